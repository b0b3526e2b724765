// What a run of the pipeline found, as JSON (docs/design.md §6) and as text. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "loader/rules/plan.h"

namespace myops::rules {

// How opening one planned file ended (loader/system/apply).
struct OpenOutcome {
  std::size_t file;  // index into LoadPlan::files
  bool opened = false;
  bool already = false;          // an earlier load had opened it
  std::optional<Reason> reason;  // open-failed, changed-while-loading
};

struct Report {
  HostFacts host;
  std::optional<TorchFacts> torch;
  std::vector<std::string> folders;  // searched, in order
  std::vector<Reason> folder_notes;  // entries that could not be searched
  LoadPlan plan;
  bool applied = false;  // outcomes and findings are those of a real load
  std::vector<OpenOutcome> outcomes;
  std::vector<Finding> findings;
};

nlohmann::ordered_json to_json(const Report& report);
nlohmann::ordered_json to_json(const HostFacts& host);
nlohmann::ordered_json to_json(const TorchFacts& torch);
nlohmann::ordered_json to_json(const Reason& reason);
Result<HostFacts> host_from_json(const nlohmann::ordered_json& json);  // of a --host file

// Text for a terminal: one line a file, its reasons indented below it.
enum class Detail { kList, kPlan, kLoad };
std::string to_text(const Report& report, Detail detail);

// True where nothing that was required is missing and nothing planned failed to load.
bool succeeded(const Report& report);

}  // namespace myops::rules
