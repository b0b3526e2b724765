#include "loader/rules/duplicates.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace myops::rules {
namespace {

// Those in the process first, then the order given.
std::vector<std::size_t> by_precedence(const std::vector<Verdict>& files, const std::set<std::string>& already_loaded) {
  std::vector<std::size_t> first, then;
  for (std::size_t i = 0; i < files.size(); ++i) {
    (already_loaded.contains(files[i].file.real_path) ? first : then).push_back(i);
  }
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

void set_apart(Verdict& verdict, const Verdict& first, const char* how) {
  if (verdict.kind == VerdictKind::kUsable) {
    verdict.reasons.push_back({Code::kDuplicate, verdict.name, "", first.file.path, ""});
    verdict.kind = VerdictKind::kSuperseded;
  } else {
    verdict.notes.push_back(how + first.file.path);
  }
}

// Files of one build-id. Manifests are compared as text, which is made only where there are two.
class Copies {
 public:
  // The first of these files with the same manifest; the file itself where there is none.
  std::size_t first_of(const std::vector<Verdict>& files, std::size_t index) {
    if (!only_) return only_.emplace(index);
    if (by_manifest_.empty()) by_manifest_.emplace(to_json_text(*files[*only_].manifest), *only_);
    return by_manifest_.try_emplace(to_json_text(*files[index].manifest), index).first->second;
  }

 private:
  std::optional<std::size_t> only_;
  std::map<std::string, std::size_t> by_manifest_;
};

}  // namespace

void set_duplicates_apart(std::vector<Verdict>& files, const std::set<std::string>& already_loaded) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_inode;
  std::map<std::string, Copies> by_build_id;
  for (const std::size_t index : by_precedence(files, already_loaded)) {
    Verdict& verdict = files[index];
    const CandidateFile& file = verdict.file;
    if (file.inode != 0) {
      const auto [first, is_new] = by_inode.try_emplace({file.device, file.inode}, index);
      const bool was_usable = files[first->second].kind == VerdictKind::kUsable;
      if (!is_new && (was_usable || verdict.kind != VerdictKind::kUsable)) {
        set_apart(verdict, files[first->second], "the same file as ");
        continue;
      }
      first->second = index;
    }
    if (verdict.kind != VerdictKind::kUsable || verdict.build_id.empty() || !verdict.manifest) continue;
    const std::size_t first = by_build_id[verdict.build_id].first_of(files, index);
    if (first != index) set_apart(verdict, files[first], "a copy of ");
  }
}

}  // namespace myops::rules
