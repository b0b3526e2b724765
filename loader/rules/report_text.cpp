// The report as text for a terminal. Everything that comes from outside goes through printable().
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "loader/printable.h"
#include "loader/rules/absent.h"
#include "loader/rules/listing.h"
#include "loader/rules/report.h"
#include "loader/rules/text_table.h"

namespace myops::rules {
namespace {

// Of many alike, the others are counted.
constexpr std::size_t kShown = 5;

// One line a reason; of those that share a code the first five, and how many more there are.
std::vector<std::string> reason_lines(const std::vector<Reason>& reasons) {
  std::map<Code, std::size_t> count;
  for (const Reason& reason : reasons) ++count[reason.code];
  std::map<Code, std::size_t> shown;
  std::vector<std::string> lines;
  for (const Reason& reason : reasons) {
    const std::size_t number = ++shown[reason.code];
    if (number <= kShown) lines.push_back(to_text(reason));
    if (number == kShown && count[reason.code] > kShown) {
      lines.push_back("… and " + std::to_string(count[reason.code] - kShown) + " more " +
                      std::string(token(reason.code)) + " (--json lists all)");
    }
  }
  return lines;
}

// The files' notes: one that many files share stands with the first of them, and says how many have it.
class FileNotes {
 public:
  explicit FileNotes(const Report& report) {
    for (const Verdict& file : report.plan.files) {
      for (const std::string& note : std::set<std::string>(file.notes.begin(), file.notes.end())) ++count_[note];
    }
  }

  std::vector<std::string> lines_of(const Verdict& verdict) {
    std::vector<std::string> lines;
    for (const std::string& note : verdict.notes) {
      if (!told_.insert(note).second) continue;
      const std::size_t files = count_[note];
      lines.push_back("note: " + printable(note) + (files > 1 ? " (" + std::to_string(files) + " files)" : ""));
    }
    return lines;
  }

 private:
  std::map<std::string, std::size_t> count_;
  std::set<std::string> told_;
};

// "defines 11 operators", "CPU", "AutocastCPU, AutocastCUDA".
std::string content_of(const Verdict& verdict) {
  if (!verdict.manifest) return "";
  std::vector<std::string> parts;
  const std::size_t defined = verdict.manifest->defines.size();
  if (defined > 0) parts.push_back("defines " + std::to_string(defined) + (defined == 1 ? " operator" : " operators"));
  const auto keys = verdict.manifest->keys();
  if (!keys.empty()) parts.push_back(listed(keys));
  return joined(parts, "; ");
}

TableRow row_of(const Verdict& verdict, std::string first_cell, FileNotes& notes) {
  const std::string version = verdict.manifest ? verdict.manifest->version : "";
  std::vector<std::string> details = reason_lines(verdict.reasons);
  for (std::string& line : notes.lines_of(verdict)) details.push_back(std::move(line));
  return {{std::move(first_cell), printable(verdict.name), version, content_of(verdict), printable(verdict.file.path)},
          std::move(details)};
}

std::string gpus_text(const HostFacts& host) {
  if (host.gpus.empty()) return "no GPU";
  std::vector<std::string> names;
  for (const Gpu& gpu : host.gpus) {
    names.push_back(gpu.name.empty() ? "GPU" : gpu.name);
    if (!gpu.capability.empty()) names.back() += " (" + gpu.capability + ")";
  }
  return joined(names) + (host.driver.empty() ? "" : ", driver " + host.driver);
}

std::string header(const Report& report) {
  std::vector<std::string> host;
  for (const auto& fact : {report.host.arch, report.host.cpu_name, report.host.cpu_level, report.host.libc}) {
    if (!fact.empty()) host.push_back(fact);
  }
  std::string torch = "none found";
  if (report.torch) {
    torch = report.torch->version + ", " + (report.torch->cuda.empty() ? "no CUDA" : "CUDA " + report.torch->cuda) +
            (report.torch->lib_dir.empty() ? "" : ", " + report.torch->lib_dir) +
            (report.torch->mapped ? " (in this process)" : "");
  }
  return "host   " + printable(joined(host) + ", " + gpus_text(report.host)) + "\ntorch  " + printable(torch) + "\n";
}

// Why nothing was found, or what could not be searched.
std::string folders_text(const Report& report) {
  std::string text;
  if (report.plan.files.empty()) {
    text += "\nno library found";
    text += report.folders.empty() ? "; no folder was searched\n" : "; looked in:\n";
    for (const std::string& folder : report.folders) text += "  " + printable(folder) + "\n";
    if (!report.torch) text += "and in none of their folders torch-*, for want of a torch\n";
  }
  for (const std::string& line : reason_lines(report.folder_notes)) text += "note: " + line + "\n";
  return text;
}

std::string list_section(const Report& report) {
  std::vector<TableRow> rows;
  FileNotes notes(report);
  for (const Verdict& verdict : report.plan.files) {
    rows.push_back(row_of(verdict, std::string(to_text(verdict.kind)), notes));
  }
  return rows.empty() ? "" : "\n" + table(rows);
}

std::string outcome_text(const OpenOutcome* outcome, bool is_here) {
  if (!outcome) return is_here ? "already" : "not tried";
  if (outcome->already) return "already";
  return outcome->opened ? "opened" : "failed";
}

// What was planned: numbered, or with its outcome.
std::string planned_section(const Report& report, bool loaded, FileNotes& notes) {
  std::vector<TableRow> rows;
  for (const std::size_t file : report.plan.order) {
    const Verdict& verdict = report.plan.files[file];
    const OpenOutcome* outcome = outcome_of(report, file);
    const bool is_here = std::ranges::count(report.plan.already, file) > 0;
    TableRow row = row_of(verdict, loaded ? outcome_text(outcome, is_here) : std::to_string(rows.size() + 1), notes);
    std::vector<Reason> faults;
    if (outcome && outcome->reason) faults.push_back(*outcome->reason);
    for (const Finding& finding : report.findings) {
      if (finding.file == verdict.file.path) faults.push_back(finding.reason);
    }
    const auto lines = reason_lines(faults);
    row.details.insert(row.details.begin(), lines.begin(), lines.end());
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return loaded ? "\nnothing was loaded\n" : "\nnothing to load\n";
  const bool is_refused_whole = loaded && report.outcomes.empty();
  const char* refused =
      report.plan.already.empty() ? "planned, but nothing was opened" : "planned, but nothing more was opened";
  const char* title = is_refused_whole ? refused : loaded ? "loaded, in this order" : "to load, in this order";
  return std::string("\n") + title + ":\n" + table(rows);
}

// Of the libraries that are nobody's plugin the first five, and how many more there are.
std::string others_section(const Report& report, FileNotes& notes) {
  const auto& order = report.plan.order;
  std::vector<TableRow> rows;
  std::size_t foreign = 0;
  for (std::size_t file = 0; file < report.plan.files.size(); ++file) {
    if (std::find(order.begin(), order.end(), file) != order.end()) continue;
    const Verdict& verdict = report.plan.files[file];
    if (verdict.kind == VerdictKind::kForeign && ++foreign > kShown) continue;
    rows.push_back(row_of(verdict, std::string(to_text(verdict.kind)), notes));
  }
  const std::string more = foreign > kShown ? "… and " + std::to_string(foreign - kShown) +
                                                  " more without a manifest (`myops list` names all)\n"
                                            : "";
  return rows.empty() ? "" : "\nnot loaded:\n" + table(rows) + more;
}

std::string verified_section(const Report& report) {
  const Proof& proof = report.proof;
  const bool is_proven = std::none_of(report.outcomes.begin(), report.outcomes.end(),
                                      [](const OpenOutcome& outcome) { return outcome.reason.has_value(); });
  if (!is_proven || report.plan.tainted || !report.findings.empty() || proof.operators + proof.kernels == 0) return "";
  return "\nverified: the dispatcher holds the " + std::to_string(proof.operators) + " operators and " +
         std::to_string(proof.kernels) + " kernels that were promised" +
         (proof.complete ? ""
                         : "; libraries that were replaced on disk since, and kernels that others were put over, were "
                           "passed over") +
         "\n";
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text = notes.empty() ? "" : "\n";
  for (const std::string& note : notes) text += "note: " + printable(note) + "\n";
  return text;
}

std::string set_section(const Report& report) {
  std::string text;
  if (!report.plan.missing.empty()) text += "\nrequired, and missing:\n";
  for (const Reason& reason : report.plan.missing) text += "  " + to_text(reason) + "\n";
  text += notes_text(notes_of(report));
  for (const std::string& device : served_by_composite(report)) text += "\n" + device + ": served by composite\n";
  if (report.plan.tainted) text += "tainted: results cannot be vouched for, see the notes\n";
  return text;
}

}  // namespace

std::string to_text(const Report& report, Detail detail) {
  std::string text = header(report) + folders_text(report);
  if (detail == Detail::kList) return text + list_section(report) + notes_text(report.notes);
  FileNotes notes(report);
  text += planned_section(report, detail == Detail::kLoad, notes);
  return text + others_section(report, notes) + verified_section(report) + set_section(report);
}

}  // namespace myops::rules
