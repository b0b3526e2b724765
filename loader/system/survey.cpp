#include "loader/system/survey.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "loader/rules/schema_text.h"
#include "loader/system/candidate.h"
#include "loader/system/files.h"
#include "loader/system/folders.h"
#include "loader/system/host.h"
#include "loader/system/mapped.h"
#include "loader/system/torch.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

Gathered gather_for(const Options& options, Scope scope, const std::optional<rules::TorchFacts>& torch) {
  if (scope == Scope::kSearchPath) {
    return gather(search_path(options.request.paths, options.late_paths), torch ? torch->minor() : "");
  }
  Gathered gathered;
  for (const std::string& path : options.files) gathered.files.push_back(candidate_at(path));
  return gathered;
}

// The linker, too, knows a file by device and inode.
using FileKey = std::pair<std::uint64_t, std::uint64_t>;

bool is_any_mapped(const std::vector<rules::Verdict>& verdicts) {
  std::set<FileKey> mapped;
  for (const std::string& path : mapped_libraries()) {
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0) mapped.emplace(status.st_dev, status.st_ino);
  }
  return std::ranges::any_of(verdicts, [&](const rules::Verdict& verdict) {
    return mapped.contains({verdict.file.device, verdict.file.inode});
  });
}

// As far as both are known: a --host file need not have more than the version.
bool is_same_torch(const rules::TorchFacts& one, const rules::TorchFacts& other) {
  const auto agree = [](const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; };
  return one.version == other.version && agree(one.git, other.git) && one.cuda == other.cuda && one.hip == other.hip &&
         agree(one.cxx11_abi, other.cxx11_abi);
}

// What is named goes before the torch of a --host file; of that one the files are known where it is here too, as the
// one that MYOPS_TORCH names or any other that would be found.
Result<TorchChoice> torch_for(const Options& options) {
  std::string named = options.request.torch_dir;
  if (named.empty() && options.host_torch) named = variable("MYOPS_TORCH").value_or("");
  auto here = choose_torch(named, options.host ? Machine::kAnother : Machine::kThis);
  if (!options.host_torch || !options.request.torch_dir.empty()) return here;
  if (here && here->torch && is_same_torch(*here->torch, *options.host_torch)) return here;
  return TorchChoice{options.host_torch, {}};
}

}  // namespace

Result<Survey> survey(const Options& options, Scope scope, Foreign foreign) {
  auto choice = torch_for(options);
  if (!choice) return choice.error();
  Survey survey{.examiner = Examiner(options.host ? *options.host : read_host(options.driver), std::move(choice->torch),
                                     foreign == Foreign::kResolved, options.request.allow_no_gpu, options.request.lock),
                .folders = {},
                .folder_notes = {},
                .notes = std::move(choice->notes),
                .verdicts = {}};
  survey.notes.insert(survey.notes.end(), options.notes.begin(), options.notes.end());
  Examiner& examiner = survey.examiner;
  Gathered gathered = gather_for(options, scope, examiner.torch());
  survey.folders = std::move(gathered.folders);
  survey.folder_notes = std::move(gathered.notes);
  std::ranges::move(gathered.doubts, std::back_inserter(survey.notes));
  survey.verdicts.reserve(gathered.files.size());
  for (rules::Evidence& evidence : examiner.examine(std::move(gathered.files))) {
    survey.verdicts.push_back(rules::judge(std::move(evidence), examiner.host(), examiner.torch(), options.request));
  }
  return survey;
}

std::vector<std::string> find_mapped(std::vector<rules::Verdict>& verdicts) {
  if (!is_any_mapped(verdicts)) return {};
  std::map<FileKey, bool> mapped;  // → replaced since
  for (const MappedLibrary& library : read_mapped_libraries()) {
    if (library.inode != 0) mapped[{library.device, library.inode}] |= library.replaced;
  }
  std::vector<std::string> paths;
  for (rules::Verdict& verdict : verdicts) {
    const auto found = mapped.find({verdict.file.device, verdict.file.inode});
    if (found == mapped.end()) continue;
    paths.push_back(verdict.file.real_path);
    verdict.file.replaced |= found->second;
  }
  return paths;
}

SnapshotRequest questions_about(const std::vector<rules::Verdict>& verdicts) {
  std::set<std::string> libraries, operators;
  std::set<rules::DispatcherState::OpKey> kernels;
  const auto ask = [&](const std::string& op, const std::string& key) {
    if (rules::is_of_torch(op)) {
      kernels.emplace(op, key);
    } else {
      libraries.emplace(rules::namespace_of(op));
      operators.insert(op);
    }
  };
  for (const rules::Verdict& verdict : verdicts) {
    if (!verdict.manifest) continue;
    const std::string& own = verdict.manifest->op_namespace;
    if (!rules::is_of_torch(own + "::")) libraries.insert(own);
    libraries.insert(verdict.manifest->libraries.begin(), verdict.manifest->libraries.end());
    for (const std::string& schema : verdict.manifest->defines) ask(std::string(rules::operator_of(schema)), "");
    for (const auto& [key, records] : verdict.manifest->kernels) {
      for (const auto& [op, record] : records) ask(op, key);
    }
  }
  SnapshotRequest request;
  request.libraries.assign(libraries.begin(), libraries.end());
  request.operators.assign(operators.begin(), operators.end());
  request.kernels.assign(kernels.begin(), kernels.end());
  return request;
}

rules::Report make_report(Survey survey, rules::LoadPlan plan) {
  rules::Report report;
  report.host = survey.examiner.host();
  report.torch = survey.examiner.torch();
  report.folders = std::move(survey.folders);
  report.folder_notes = std::move(survey.folder_notes);
  report.notes = std::move(survey.notes);
  report.plan = std::move(plan);
  return report;
}

}  // namespace myops::system
