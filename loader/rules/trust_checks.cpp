// Opening a library runs its code with this process's rights, so whoever can write it, or a folder on the way to it,
// has them. World-writable is refused; writable by a group, or owned by someone else, is common: of the file a note, of
// the folders not worth one, unless trust is strict.
#include <string>

#include "loader/rules/checks.h"

namespace myops::rules {
namespace {

constexpr std::uint32_t kGroupWrite = 0020, kOthersWrite = 0002, kSticky = 01000;  // the bits of st_mode
constexpr std::uint32_t kRoot = 0;

std::string mode_text(std::uint32_t mode) {
  std::string text = "mode 0";
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + ((mode >> shift) & 7));
  return text;
}

void distrust(Judgement& judgement, const std::string& path, const std::string& expected, const std::string& found) {
  judgement.reasons.push_back(
      {Code::kUntrusted, path, expected, found, "change its owner or mode, or do without strict trust"});
}

void doubt(const Question& question, Judgement& judgement, const std::string& expected, const std::string& found) {
  if (question.request.strict) return distrust(judgement, question.evidence.file.path, expected, found);
  judgement.notes.push_back("expected " + expected + ", found " + found);
}

bool is_anothers(const Request& request, std::uint32_t owner) {
  return request.user_id && owner != *request.user_id && owner != kRoot;
}

std::string own_or_roots(const Request& request) {
  return "user " + std::to_string(*request.user_id) + " or root as its owner";
}

std::string user_text(std::uint32_t owner) { return "user " + std::to_string(owner); }

// In a folder with the sticky bit (/tmp) only the owner of a file, and that of the folder, can replace it.
void check_folders(const Question& question, Judgement& judgement) {
  if (!question.evidence.file.way) return;
  bool told = false;
  for (const FolderStatus& folder : *question.evidence.file.way) {
    const std::uint32_t writable = (folder.mode & kSticky) != 0 ? 0 : folder.mode & (kGroupWrite | kOthersWrite);
    if ((writable & kOthersWrite) != 0) {
      if (told) continue;
      told = true;
      judgement.reasons.push_back({Code::kWorldWritable, folder.path, "a folder that only its owner can write to",
                                   mode_text(folder.mode), "chmod o-w " + folder.path});
    } else if (writable != 0 && question.request.strict) {
      distrust(judgement, folder.path, "a folder without group write", mode_text(folder.mode));
    }
    if (question.request.strict && is_anothers(question.request, folder.owner)) {
      distrust(judgement, folder.path, own_or_roots(question.request), user_text(folder.owner));
    }
  }
}

}  // namespace

void check_trust(const Question& question, Judgement& judgement) {
  const CandidateFile& file = question.evidence.file;
  check_folders(question, judgement);
  if (file.mode == 0) return;  // its status could not be read; that is a reason of its own
  if ((file.mode & kOthersWrite) != 0) {
    judgement.reasons.push_back({Code::kWorldWritable, file.path, "a file that only its owner can write to",
                                 mode_text(file.mode), "chmod o-w " + file.path});
  }
  if ((file.mode & kGroupWrite) != 0) doubt(question, judgement, "a file without group write", mode_text(file.mode));
  if (is_anothers(question.request, file.owner)) {
    doubt(question, judgement, own_or_roots(question.request), user_text(file.owner));
  }
}

}  // namespace myops::rules
