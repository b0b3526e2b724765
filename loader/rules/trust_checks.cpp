// Opening a library runs its code with this process's rights, so whoever can write it has them. World-writable is
// refused; writable by a group, or owned by someone else, is common and a note, unless trust is strict.
#include <string>

#include "loader/rules/checks.h"

namespace myops::rules {
namespace {

constexpr std::uint32_t kGroupWrite = 0020, kOthersWrite = 0002;  // the bits of st_mode
constexpr std::uint32_t kRoot = 0;

std::string mode_text(std::uint32_t mode) {
  std::string text = "mode 0";
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + ((mode >> shift) & 7));
  return text;
}

void doubt(const Question& question, Judgement& judgement, const std::string& expected, const std::string& found) {
  const std::string& path = question.evidence.file.path;
  if (question.request.strict) {
    judgement.reasons.push_back(
        {Code::kUntrusted, path, expected, found, "change its owner or mode, or do without strict trust"});
  } else {
    judgement.notes.push_back("expected " + expected + ", found " + found);
  }
}

}  // namespace

void check_trust(const Question& question, Judgement& judgement) {
  const CandidateFile& file = question.evidence.file;
  if (file.world_writable_on_the_way) {
    const std::string& folder = file.world_writable_folder;
    judgement.reasons.push_back(
        {Code::kWorldWritable, folder, "a folder that only its owner can write to", "", "chmod o-w " + folder});
  }
  if (file.mode == 0) return;  // its status could not be read; that is a reason of its own
  if ((file.mode & kOthersWrite) != 0) {
    judgement.reasons.push_back({Code::kWorldWritable, file.path, "a file that only its owner can write to",
                                 mode_text(file.mode), "chmod o-w " + file.path});
  }
  if ((file.mode & kGroupWrite) != 0) doubt(question, judgement, "a file without group write", mode_text(file.mode));
  const auto user = question.request.user_id;
  if (user && file.owner != *user && file.owner != kRoot) {
    doubt(question, judgement, "user " + std::to_string(*user) + " or root as its owner",
          "user " + std::to_string(file.owner));
  }
}

}  // namespace myops::rules
