// The report as JSON (docs/design.md §6). Every text in it is valid UTF-8, whatever a file is named.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>

#include "loader/check_family.h"
#include "loader/printable.h"
#include "loader/rules/absent.h"
#include "loader/rules/report.h"

namespace myops::rules {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::storage_ptr;
using boost::json::value;

constexpr int kReportFormat = 1;

array texts(const std::vector<std::string>& items, const storage_ptr& memory) {
  array json(memory);
  json.reserve(items.size());
  for (const std::string& item : items) json.emplace_back(valid_utf8(item));
  return json;
}

array reasons_json(const std::vector<Reason>& reasons, const storage_ptr& memory) {
  array json(memory);
  for (const Reason& reason : reasons) json.emplace_back(to_json(reason, memory));
  return json;
}

value manifest_json(const Verdict& verdict, const storage_ptr& memory) {
  if (!verdict.manifest) return nullptr;
  const Manifest& manifest = *verdict.manifest;
  return object({{"version", valid_utf8(manifest.version)},
                 {"namespace", valid_utf8(manifest.op_namespace)},
                 {"set", valid_utf8(manifest.set)},
                 {"release", valid_utf8(manifest.release)},
                 {"keys", texts(manifest.keys(), memory)},
                 {"defines", manifest.defines.size()},
                 {"level", valid_utf8(verdict.cpu_level)},
                 {"torch", valid_utf8(manifest.torch.version)}},
                memory);
}

// Whether it registers anything with torch, as measured when it was stamped. Of others it is not known: no look at a
// file tells what its constructors do.
value registers_json(const Verdict& verdict) {
  if (!verdict.manifest) return nullptr;
  return verdict.manifest->registers();
}

bool contains(const std::vector<std::size_t>& files, std::size_t file) {
  return std::find(files.begin(), files.end(), file) != files.end();
}

// The verdict's reasons, and what a load came upon.
array all_reasons(const Report& report, std::size_t file, const storage_ptr& memory) {
  const Verdict& verdict = report.plan.files[file];
  array reasons = reasons_json(verdict.reasons, memory);
  const OpenOutcome* outcome = outcome_of(report, file);
  if (outcome && outcome->reason) reasons.emplace_back(to_json(*outcome->reason, memory));
  for (const Finding& finding : report.findings) {
    if (finding.file == verdict.file.path) reasons.emplace_back(to_json(finding.reason, memory));
  }
  return reasons;
}

array paths_json(const Report& report, const std::vector<std::size_t>& files, std::string CandidateFile::* path,
                 const storage_ptr& memory) {
  array json(memory);
  for (const std::size_t file : files) json.emplace_back(valid_utf8(report.plan.files[file].file.*path));
  return json;
}

object file_json(const Report& report, std::size_t index, const storage_ptr& memory) {
  const Verdict& verdict = report.plan.files[index];
  constexpr std::size_t kMembers = 12;
  object json(kMembers, memory);
  json.emplace("path", valid_utf8(verdict.file.path));
  json.emplace("real_path", valid_utf8(verdict.file.real_path));
  json.emplace("name", valid_utf8(verdict.name));
  json.emplace("verdict", to_text(verdict.kind));
  json.emplace("loads", verdict.loads ? value(*verdict.loads) : value(nullptr));
  json.emplace("registers", registers_json(verdict));
  json.emplace("reasons", all_reasons(report, index, memory));
  json.emplace("harmless", is_harmless(verdict));
  json.emplace("notes", texts(verdict.notes, memory));
  json.emplace("manifest", manifest_json(verdict, memory));
  if (report.applied && contains(report.plan.order, index)) {
    json.emplace("opened", is_in_process(report, index));
    json.emplace("already", contains(report.plan.already, index));
  }
  return json;
}

}  // namespace

object to_json(const Reason& reason, storage_ptr memory) {
  return object({{"code", token(reason.code)},
                 {"subject", valid_utf8(reason.subject)},
                 {"expected", valid_utf8(reason.expected)},
                 {"found", valid_utf8(reason.found)},
                 {"hint", valid_utf8(reason.hint)}},
                memory);
}

object to_json(const TorchFacts& torch, storage_ptr memory) {
  object build_ids(memory);
  for (const auto& [file, id] : torch.build_ids) build_ids[valid_utf8(file)] = valid_utf8(id);
  return object({{"version", valid_utf8(torch.version)},
                 {"git", valid_utf8(torch.git)},
                 {"cuda", valid_utf8(torch.cuda)},
                 {"hip", valid_utf8(torch.hip)},
                 {"cxx11_abi", valid_utf8(torch.cxx11_abi)},
                 {"lib_dir", valid_utf8(torch.lib_dir)},
                 {"build_ids", std::move(build_ids)},
                 {"mapped", torch.mapped},
                 {"cuda_mapped", torch.cuda_mapped},
                 {"python", valid_utf8(torch.python)}},
                memory);
}

object to_json(const Report& report, storage_ptr memory) {
  const LoadPlan& plan = report.plan;
  array files(memory);
  files.reserve(plan.files.size());
  for (std::size_t file = 0; file < plan.files.size(); ++file) files.emplace_back(file_json(report, file, memory));
  std::vector<std::size_t> opened;
  std::copy_if(plan.order.begin(), plan.order.end(), std::back_inserter(opened),
               [&](std::size_t file) { return is_in_process(report, file); });
  object json(memory);
  json["format"] = kReportFormat;
  json["succeeded"] = succeeded(report);
  json["host"] = to_json(report.host, memory);
  json["torch"] = report.torch ? value(to_json(*report.torch, memory)) : value(nullptr);
  json["folders"] = texts(report.folders, memory);
  json["folder_notes"] = reasons_json(report.folder_notes, memory);
  json["files"] = std::move(files);
  json["order"] = paths_json(report, plan.order, &CandidateFile::path, memory);
  json["opened"] = paths_json(report, opened, &CandidateFile::real_path, memory);
  json["defined"] = texts(defined_operators(report), memory);
  json["fingerprint"] = report.applied ? value(fingerprint(report)) : value(nullptr);
  json["composite"] = texts(served_by_composite(report), memory);
  json["missing"] = reasons_json(plan.missing, memory);
  json["notes"] = texts(notes_of(report), memory);
  json["tainted"] = plan.tainted;
  json["applied"] = report.applied;
  return json;
}

bool is_harmless(const Verdict& verdict) {
  const auto& reasons = verdict.reasons;
  const auto any_is = [&](std::initializer_list<Code> codes) {
    return std::any_of(reasons.begin(), reasons.end(), [&](const Reason& reason) {
      return std::find(codes.begin(), codes.end(), reason.code) != codes.end();
    });
  };
  // What is for other hardware, or for a torch with CUDA, may need what only comes with that.
  const bool is_for_another = any_is(
      {Code::kNoGpu, Code::kCudaNotInTorch, Code::kTorchIsRocm, Code::kWrongArchitecture, Code::kIsaLevelMissing});
  return !reasons.empty() && std::all_of(reasons.begin(), reasons.end(), [&](const Reason& reason) {
    const bool is_missing = family_of(reason.code).token == "dependencies";
    return myops::is_harmless(reason.code) || (is_for_another && is_missing);
  });
}

std::vector<std::string> notes_of(const Report& report) {
  std::vector<std::string> notes = report.notes;
  notes.insert(notes.end(), report.plan.notes.begin(), report.plan.notes.end());
  return notes;
}

const OpenOutcome* outcome_of(const Report& report, std::size_t file) {
  const auto outcome = std::find_if(report.outcomes.begin(), report.outcomes.end(),
                                    [&](const OpenOutcome& candidate) { return candidate.file == file; });
  return outcome == report.outcomes.end() ? nullptr : &*outcome;
}

bool is_in_process(const Report& report, std::size_t file) {
  const OpenOutcome* outcome = outcome_of(report, file);
  return contains(report.plan.already, file) || (outcome && outcome->opened);
}

std::string fingerprint(const Report& report) {
  std::vector<std::string> libraries;
  for (const std::size_t file : report.plan.order) {
    const Verdict& verdict = report.plan.files[file];
    // Of one that was replaced since, what the file says is not what runs.
    const std::string id = verdict.file.replaced ? "replaced" : verdict.build_id;
    if (is_in_process(report, file)) libraries.push_back(verdict.name + " " + id);
  }
  return schemas_hash(std::move(libraries));
}

bool succeeded(const Report& report) {
  const auto opened = [](const OpenOutcome& outcome) { return outcome.opened || outcome.already; };
  if (report.applied && report.outcomes.empty()) return false;
  return report.plan.missing.empty() && report.findings.empty() &&
         std::all_of(report.outcomes.begin(), report.outcomes.end(), opened);
}

}  // namespace myops::rules
