#include "loader/rules/duplicates.h"

#include <map>
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

}  // namespace

void set_duplicates_apart(std::vector<Verdict>& files, const std::set<std::string>& already_loaded) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_inode;
  std::map<std::pair<std::string, std::string>, std::size_t> by_content;
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
    const auto [first, is_new] = by_content.try_emplace({verdict.build_id, to_json_text(*verdict.manifest)}, index);
    if (!is_new) set_apart(verdict, files[first->second], "a copy of ");
  }
}

}  // namespace myops::rules
