#include "loader/rules/rank.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "loader/rules/choice.h"
#include "loader/rules/cpu_level.h"
#include "loader/rules/dispatch_keys.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

bool is_preferred(const Verdict& verdict, const Request& request) {
  return std::any_of(request.prefer.begin(), request.prefer.end(),
                     [&](const std::string& entry) { return prefers(entry, verdict); });
}

std::map<std::string, std::size_t> folder_places(const std::vector<Verdict>& verdicts) {
  std::map<std::string, std::size_t> places;
  for (const Verdict& verdict : verdicts) places.emplace(verdict.file.folder, places.size());
  return places;
}

// Where a file stands: what is smaller comes first.
struct Place {
  bool is_new;  // not in the process already
  Role role;
  int level;
  bool is_not_preferred;
  std::size_t folder;
  int of_release, kernels;  // negative counts of followers
  std::size_t file;

  auto operator<=>(const Place&) const = default;
};

// The widest level first; then what is above the cap, the narrowest first.
int level_place(const Verdict& verdict, const Request& request) {
  const int rank = level_rank(verdict.cpu_level).value_or(0);
  return is_above_cap(verdict, request) ? rank : -rank;
}

// The libraries that go with each release of a set, and those with kernels for each operator.
struct Followers {
  std::map<std::pair<std::string, std::string>, int> of_release;
  std::map<std::string_view, int> of_operator;
};

Followers count_followers(const std::vector<Verdict>& files) {
  Followers followers;
  for (const Verdict& verdict : files) {
    if (verdict.kind != VerdictKind::kUsable || !verdict.manifest) continue;
    ++followers.of_release[{verdict.manifest->set, verdict.manifest->release}];
    std::set<std::string_view> operators;
    for (const auto& [key, records] : verdict.manifest->kernels) {
      for (const auto& [op, record] : records) operators.insert(op);
    }
    for (const std::string_view op : operators) ++followers.of_operator[op];
  }
  return followers;
}

// How many libraries a schema library is for: first those of its release, then kernels for its operators.
std::pair<int, int> following(const Verdict& verdict, const Followers& followers) {
  if (role_of(verdict) != Role::kSchema) return {0, 0};
  const Manifest& manifest = *verdict.manifest;
  int kernels = 0;
  for (const std::string& schema : manifest.defines) {
    const auto count = followers.of_operator.find(operator_of(schema));
    if (count != followers.of_operator.end()) kernels += count->second;
  }
  return {followers.of_release.at({manifest.set, manifest.release}), kernels};
}

// What others rely on, and so cannot be done without.
enum class Brings { kDefinitions, kGuards, kOther };

Brings brought_by(const Verdict& verdict) {
  if (role_of(verdict) == Role::kSchema) return Brings::kDefinitions;
  return verdict.manifest && verdict.manifest->kernels.contains("ADInplaceOrView") ? Brings::kGuards : Brings::kOther;
}

}  // namespace

std::vector<Verdict> in_search_order(std::vector<Verdict> verdicts) {
  const auto folders = folder_places(verdicts);
  const auto place = [&](const Verdict& verdict) {
    const CandidateFile& file = verdict.file;
    return std::tie(folders.at(file.folder), file.path, file.device, file.inode);
  };
  const auto is_before = [&](const Verdict& one, const Verdict& other) { return place(one) < place(other); };
  // As they were found they are, and a verdict is much to move.
  if (!std::ranges::is_sorted(verdicts, is_before)) std::ranges::stable_sort(verdicts, is_before);
  return verdicts;
}

Role role_of(const Verdict& verdict) {
  if (!verdict.manifest) return Role::kOther;
  if (!verdict.manifest->defines.empty()) return Role::kSchema;
  return verdict.manifest->has_key(is_backend_key) ? Role::kBackend : Role::kOther;
}

std::vector<std::size_t> ranked(const std::vector<Verdict>& files, const Request& request,
                                const std::set<std::size_t>& already) {
  const auto folders = folder_places(files);
  const Followers followers = count_followers(files);
  std::vector<Place> places;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].kind != VerdictKind::kUsable) continue;
    const auto [of_release, kernels] = following(files[i], followers);
    places.push_back({!already.contains(i), role_of(files[i]), level_place(files[i], request),
                      !is_preferred(files[i], request), folders.at(files[i].file.folder), -of_release, -kernels, i});
  }
  std::sort(places.begin(), places.end());
  std::vector<std::size_t> order;
  for (const Place& place : places) order.push_back(place.file);
  return order;
}

std::vector<std::size_t> in_opening_order(std::vector<std::size_t> taken, const std::vector<Verdict>& files,
                                          const std::set<std::size_t>& already) {
  const auto place = [&](std::size_t file) { return std::pair(!already.contains(file), brought_by(files[file])); };
  std::stable_sort(taken.begin(), taken.end(),
                   [&](std::size_t one, std::size_t other) { return place(one) < place(other); });
  return taken;
}

}  // namespace myops::rules
