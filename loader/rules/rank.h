// Orders: in which the candidates are listed, and in which the plan takes them. Both are total and independent of
// readdir. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "loader/rules/plan.h"

namespace myops::rules {

// By folder, in the order in which the folders first occur; within one by path. Whatever readdir gave, the same comes
// out.
std::vector<Verdict> in_search_order(std::vector<Verdict> verdicts);

// What a library is for decides when it is taken.
enum class Role { kSchema, kBackend, kOther };
Role role_of(const Verdict& verdict);

// The usable files, in the order in which the plan takes them: those in the process already, then by role,
// then the widest CPU level, then `prefer`, then by folder. Within a folder the schema library comes first that most
// others are made for, so that a stray one does not cost the set; then by path. `files` is in search order.
std::vector<std::size_t> ranked(const std::vector<Verdict>& files, const Request& request,
                                const std::set<std::size_t>& already);

// The taken files in the order in which they are opened, so that nothing is in the process without what it relies on:
// those in the process already, then by what they bring: definitions, then kernels on ADInplaceOrView, then any others.
// Within each as they were taken.
std::vector<std::size_t> in_opening_order(std::vector<std::size_t> taken, const std::vector<Verdict>& files,
                                          const std::set<std::size_t>& already);

}  // namespace myops::rules
