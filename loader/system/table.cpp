#include "loader/system/table.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "loader/system/bridge.h"
#include "loader/system/survey.h"

namespace myops::system {
namespace {

using Kernels = std::map<std::string, std::string>;  // dispatch key → registration text

// "myops::add.out" is meant by "add", "add.out", "myops::add" and "myops::add.out".
bool is_meant(const std::string& op, const std::string& asked) {
  const std::string without_overload = op.substr(0, op.find('.'));
  const auto matches = [&](const std::string& name) {
    return name == asked || name.substr(name.find("::") + 2) == asked;
  };
  return asked.empty() || matches(op) || matches(without_overload);
}

std::map<std::string, Kernels> by_operator(const rules::DispatcherState& state, const std::string& asked) {
  std::map<std::string, Kernels> operators;
  for (const auto& [op, schema] : state.schemas) {
    if (is_meant(op, asked)) operators[op];
  }
  for (const auto& [op_key, text] : state.kernels) {
    if (is_meant(op_key.first, asked)) operators[op_key.first][op_key.second] = text;
  }
  return operators;
}

// Real paths of the libraries in this process, those aside whose files are others by now.
std::set<std::string> loaded_files(std::vector<rules::Verdict>& files) {
  const auto mapped = find_mapped(files);
  std::set<std::string> paths(mapped.begin(), mapped.end());
  for (const rules::Verdict& file : files) {
    if (file.file.replaced) paths.erase(file.file.real_path);
  }
  return paths;
}

// The library whose manifest promises this very registration, nullptr where none does: a kernel registered from Python,
// say. Variants promise the same: of them the one in this process is meant.
const rules::Verdict* provider(const std::vector<rules::Verdict>& files, const std::set<std::string>& loaded,
                               const std::string& op, const std::string& key, const std::string& registered) {
  const rules::Verdict* first = nullptr;
  for (const rules::Verdict& file : files) {
    if (!file.manifest) continue;
    const auto of_key = file.manifest->kernels.find(key);
    if (of_key == file.manifest->kernels.end()) continue;
    const auto record = of_key->second.find(op);
    if (record == of_key->second.end() || record->second.registered != registered) continue;
    if (loaded.contains(file.file.real_path)) return &file;
    if (!first) first = &file;
  }
  return first;
}

// "myops_cpu (x86-64-v3)": which of several variants it is, where there are several.
std::string name_of(const rules::Verdict& library, const std::vector<rules::Verdict>& files) {
  const bool is_variant = std::any_of(files.begin(), files.end(), [&](const rules::Verdict& other) {
    return other.manifest && other.name == library.name && other.cpu_level != library.cpu_level;
  });
  return is_variant ? library.name + " (" + library.cpu_level + ")" : library.name;
}

boost::json::object cell(const rules::Verdict* library, bool is_loaded, const std::string& registered) {
  return {{"library", library ? library->name : ""},
          {"level", is_loaded ? library->cpu_level : ""},
          {"path", is_loaded ? library->file.path : ""},
          {"registered", registered}};
}

Answer make_table(const rules::DispatcherState& state, std::vector<rules::Verdict>& files, const std::string& asked) {
  Answer answer;
  answer.json["format"] = 1;
  boost::json::object operators;
  std::string text;
  const auto loaded = loaded_files(files);
  for (const auto& [op, kernels] : by_operator(state, asked)) {
    const auto schema = state.schemas.find(op);
    const std::string schema_text = schema == state.schemas.end() ? "" : schema->second;
    boost::json::object cells;
    text += op + (schema_text.empty() ? "  (no schema)" : "") + "\n";
    for (const auto& [key, registered] : kernels) {
      const rules::Verdict* library = provider(files, loaded, op, key, registered);
      const bool is_loaded = library && loaded.contains(library->file.real_path);
      cells[key] = cell(library, is_loaded, registered);
      std::string words = registered;
      if (library) words = is_loaded ? name_of(*library, files) : library->name;
      text += "  " + key + std::string(key.size() < 32 ? 32 - key.size() : 1, ' ') + words + "\n";
    }
    operators[op] = {{"schema", schema_text}, {"kernels", std::move(cells)}};
  }
  answer.json["operators"] = std::move(operators);
  answer.json["text"] = text;
  return answer;
}

}  // namespace

Result<Answer> table(const Options& options) {
  auto looked = survey(options, Scope::kSearchPath, Foreign::kLeftAlone);
  if (!looked) return looked.error();
  const auto& torch = looked->examiner.torch();
  if (!torch || !torch->mapped) {
    return error_answer({Code::kTorchNotFound, "this process", "a torch in this process", "none", ""}, kCannotLoad);
  }
  SnapshotRequest request;
  if (const std::size_t colons = options.op.find("::"); colons != std::string::npos) {
    request.namespaces = {options.op.substr(0, colons)};
  } else {
    request.namespaces = questions_about(looked->verdicts).libraries;
  }
  request.signatures = false;
  const auto state = snapshot(*torch, request, options.request);
  if (!state) return error_answer(state.error(), kCannotLoad);
  Answer answer = make_table(*state, looked->verdicts, options.op);
  if (!options.op.empty() && answer.json["operators"].as_object().empty()) {
    return error_answer(
        {Code::kBadOption, "operator " + options.op, "an operator of this process", "none of that name", ""},
        kCannotLoad);
  }
  return answer;
}

}  // namespace myops::system
