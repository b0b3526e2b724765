// The rules of a set: what can be held against a file by the files taken before it and by the dispatcher. Each returns
// every fault it finds; none: the file may be taken. Pure.
//
// To add a rule: a function here, a file of its own beside a test, a line in plan.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "loader/rules/plan_draft.h"

namespace myops::rules {

// definition_rules.cpp: operator-conflict, or where no operator is shared namespace-taken. A second TORCH_LIBRARY of a
// namespace, or a second definition of an operator, throws in a static constructor: the process dies. Any number of
// TORCH_LIBRARY_FRAGMENT may stand beside the one TORCH_LIBRARY, before it or after.
std::vector<Reason> definition_faults(const PlanDraft& draft, std::size_t file);

// schema_rules.cpp, once all definitions are taken: mixed-release, schema-missing, schema-mismatch.
std::vector<Reason> schema_faults(const PlanDraft& draft, std::size_t file);
// Its operators that nothing defines.
std::vector<std::string> undefined_operators(const PlanDraft& draft, const Manifest& manifest);

// kernel_rules.cpp, file by file: superseded, or kernel-conflict and those of signature_faults() and
// explained_faults(). Of two kernels for one operator and key the later wins without a word; a second backend fallback
// kills the process.
std::vector<Reason> kernel_faults(const PlanDraft& draft, std::size_t file);

// signature_rules.cpp: signature-mismatch. A kernel whose C++ signature differs from the schema, or from that of
// another kernel of the operator, throws in a static constructor.
std::vector<Reason> signature_faults(const PlanDraft& draft, const Manifest& manifest);

// explained_rules.cpp: not-quiescent. A kernel where a stand-in of ours tells that it is missing, in a process whose
// operators may be running: torch cannot have one replaced meanwhile.
std::vector<Reason> explained_faults(const PlanDraft& draft, const Manifest& manifest);

// completeness_rules.cpp, once all kernels are taken: inplace-or-view-missing.
std::vector<Reason> completeness_faults(const PlanDraft& draft, std::size_t file);
// Operators of the file's backend kernels that write to or alias their arguments, without a kernel on ADInplaceOrView.
std::vector<std::string> unguarded_operators(const PlanDraft& draft, const Manifest& manifest);

// requirement.cpp: key-not-served, for each required key that no taken file serves, or none of a set whose operators
// are defined and whose own library for the key is refused.
std::vector<Reason> unserved(const PlanDraft& draft, const std::vector<std::string>& required);
// "/path/lib.so (no-gpu, driver-too-old)" for every candidate that would help and is not taken.
std::vector<std::string> refused_candidates(const PlanDraft& draft,
                                            const std::function<bool(const Manifest&)>& would_help);

// plan_notes.cpp: doubts about the set: gradients or Functionalize kernels missing, entries that match nothing, …
std::vector<std::string> plan_notes(const PlanDraft& draft, const Request& request);

// plan.cpp: what is required and missing, the notes about the set, and whether it is tainted.
void tell_of_set(const PlanDraft& draft, const Request& request, LoadPlan& plan);

}  // namespace myops::rules
