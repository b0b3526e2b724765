// What a run of the pipeline found, as JSON (docs/design.md §6) and as text. Pure.
#pragma once

#include <boost/json/object.hpp>
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
  std::vector<std::string> notes;    // about the torch that was chosen, and the verification
  LoadPlan plan;
  bool applied = false;  // outcomes and findings are those of a real load
  std::vector<OpenOutcome> outcomes;
  std::vector<Finding> findings;
  Proof proof;
};

// Every text in the JSON is valid UTF-8, whatever the files are named. It lies in the memory that is given.
// "defined" names the operators that libraries in the process define, "composite" devices whose work composite kernels
// do, "fingerprint" is fingerprint(). "order" has the paths of the plan, "opened" the real paths of those in this
// process. A file's "reasons" hold what a load came upon, too; "harmless" is is_harmless(). "opened" and "already" of a
// file are there where a load was made and the file was in its plan.
boost::json::object to_json(const Report& report, boost::json::storage_ptr memory = {});
boost::json::object to_json(const HostFacts& host, boost::json::storage_ptr memory = {});
boost::json::object to_json(const TorchFacts& torch, boost::json::storage_ptr memory = {});
boost::json::object to_json(const Reason& reason, boost::json::storage_ptr memory = {});
// What to_json(HostFacts) wrote; "arch" and "cpu_level" are needed, the rest is optional. Error: bad-option.
Result<HostFacts> host_from_json(const boost::json::object& json);
// The torch of such a machine, as its member "torch" has it: version, git, cuda, hip and cxx11_abi, of which only the
// first is needed. None where there is no such member. Nothing is known of its files. Error: bad-option.
Result<std::optional<TorchFacts>> torch_of_host(const boost::json::object& json);
boost::json::object to_host_json(const TorchFacts& torch);
// Members that no reader of such a file knows: perhaps misspelt.
std::vector<std::string> unknown_of_host(const boost::json::object& json);

// Text for a terminal: one line a file, its reasons indented below it; of many with one code the first five.
enum class Detail {
  kList,  // every candidate and its verdict
  kPlan,  // what would be loaded, in order, and why each other file is not
  kLoad,  // what was loaded, and why each other file is not
};
std::string to_text(const Report& report, Detail detail);

// Is the file left out for reasons alone that a healthy machine shows too?
bool is_harmless(const Verdict& verdict);

// Its own notes and those about the set.
std::vector<std::string> notes_of(const Report& report);

// How opening this file of the plan ended; nullptr where it was not tried.
const OpenOutcome* outcome_of(const Report& report, std::size_t file);

// An identity of what is in the process: name and build-id of each library, whatever their order. 12 hex digits.
std::string fingerprint(const Report& report);

// Is it in the process, since this load or an earlier one?
bool is_in_process(const Report& report, std::size_t file);

// True where nothing that was required is missing, nothing planned failed to load and, of a load, there was something.
bool succeeded(const Report& report);

}  // namespace myops::rules
