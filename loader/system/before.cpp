#include "loader/system/before.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "loader/system/bridge.h"
#include "loader/system/mapped.h"

namespace myops::system {
namespace {

std::vector<std::string> real_paths_of_mapped() {
  std::vector<std::string> paths;
  for (const std::string& path : mapped_libraries()) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    if (!error) paths.push_back(real.string());
  }
  return paths;
}

}  // namespace

Before state_before(Survey& survey) {
  Before before;
  before.mapped = real_paths_of_mapped();
  if (!survey.torch || !survey.torch->mapped) return before;
  SnapshotRequest request;
  request.scope = SnapshotRequest::Scope::kNamespaces;
  request.namespaces = namespaces(survey.verdicts);
  auto state = snapshot(*survey.torch, request);
  if (state) {
    before.state = std::move(*state);
  } else {
    survey.notes.push_back("torch's dispatcher could not be asked: " + to_text(state.error()));
  }
  return before;
}

}  // namespace myops::system
