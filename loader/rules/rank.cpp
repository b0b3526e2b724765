#include "loader/rules/rank.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "loader/rules/choice.h"
#include "loader/rules/cpu_level.h"
#include "loader/rules/dispatch_keys.h"

namespace myops::rules {
namespace {

bool is_preferred(const Verdict& verdict, const Request& request) {
  return std::any_of(request.prefer.begin(), request.prefer.end(),
                     [&](const std::string& entry) { return prefers(entry, verdict); });
}

}  // namespace

std::vector<Verdict> in_search_order(std::vector<Verdict> verdicts) {
  std::map<std::string, std::size_t> folders;
  for (const Verdict& verdict : verdicts) folders.emplace(verdict.file.folder, folders.size());
  const auto place = [&](const Verdict& verdict) {
    const CandidateFile& file = verdict.file;
    return std::tie(folders.at(file.folder), file.path, file.device, file.inode);
  };
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [&](const Verdict& one, const Verdict& other) { return place(one) < place(other); });
  return verdicts;
}

Role role_of(const Verdict& verdict) {
  if (!verdict.manifest) return Role::kOther;
  if (!verdict.manifest->defines.empty()) return Role::kSchema;
  const auto keys = verdict.manifest->keys();
  return std::any_of(keys.begin(), keys.end(), is_backend_key) ? Role::kBackend : Role::kOther;
}

std::vector<std::size_t> ranked(const std::vector<Verdict>& files, const Request& request,
                                const std::set<std::size_t>& already) {
  using Place = std::tuple<bool, Role, int, bool, std::size_t>;
  std::vector<Place> places;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].kind != VerdictKind::kUsable) continue;
    const int level = level_rank(files[i].cpu_level).value_or(0);
    places.emplace_back(!already.contains(i), role_of(files[i]), -level, !is_preferred(files[i], request), i);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::size_t> order;
  for (const Place& place : places) order.push_back(std::get<std::size_t>(place));
  return order;
}

}  // namespace myops::rules
