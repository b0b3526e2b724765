// Opening a library runs its code with this process's rights, so whoever can write it, or a folder on the way to it,
// has them. World-writable is refused, and so is what someone else put into a folder with the sticky bit; writable by a
// group, or owned by someone else, is common: of the file a note, of the folders not worth one, unless trust is strict.
#include <optional>
#include <string>
#include <utility>

#include "loader/rules/checks.h"

namespace myops::rules {
namespace {

constexpr std::uint32_t kGroupWrite = 0020, kOthersWrite = 0002, kSticky = 01000;  // the bits of st_mode
constexpr std::uint32_t kRoot = 0;

std::string mode_text(std::uint32_t mode) {
  std::string text = (mode & kSticky) != 0 ? "mode 01" : "mode 0";
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

bool lies_in(const std::string& path, const std::string& folder) {
  const std::size_t slash = path.rfind('/');
  return slash != std::string::npos && path.substr(0, slash == 0 ? 1 : slash) == folder && slash + 1 < path.size();
}

// The entry of `folder` on the way to the file, or the file itself, that belongs to someone else; "" where none does.
// Links are left to the kernel (proc(5), protected_symlinks).
std::string anothers_entry(const Question& question, const std::string& folder) {
  const CandidateFile& file = question.evidence.file;
  for (const FolderStatus& next : *file.way) {
    if (lies_in(next.path, folder) && is_anothers(question.request, next.owner)) {
      return next.path + " of " + user_text(next.owner);
    }
  }
  const bool is_entry = file.mode != 0 && lies_in(file.real_path, folder);
  return is_entry && is_anothers(question.request, file.owner) ? file.real_path + " of " + user_text(file.owner) : "";
}

// What speaks against a folder that anyone can write to. The sticky bit (of /tmp) lets only the owner of an entry, and
// that of the folder, replace it; but anyone can put a new one there.
std::optional<Reason> open_to_all(const Question& question, const FolderStatus& folder) {
  if ((folder.mode & kOthersWrite) == 0) return std::nullopt;
  if ((folder.mode & kSticky) == 0) {
    return Reason{Code::kWorldWritable, folder.path, "a folder that only its owner can write to",
                  mode_text(folder.mode), "chmod o-w " + folder.path};
  }
  const std::string entry = anothers_entry(question, folder.path);
  if (entry.empty()) return std::nullopt;
  return Reason{Code::kWorldWritable, folder.path, own_or_roots(question.request),
                mode_text(folder.mode) + ", and in it " + entry, "copy it to a folder that only you can write to"};
}

void check_folders(const Question& question, Judgement& judgement) {
  if (!question.evidence.file.way) return;
  const bool strict = question.request.strict;
  bool told = false;
  for (const FolderStatus& folder : *question.evidence.file.way) {
    if (auto reason = open_to_all(question, folder)) {
      if (told) continue;
      told = true;
      judgement.reasons.push_back(std::move(*reason));
    } else if (strict && (folder.mode & kGroupWrite) != 0 && (folder.mode & kSticky) == 0) {
      distrust(judgement, folder.path, "a folder without group write", mode_text(folder.mode));
    }
    if (strict && is_anothers(question.request, folder.owner)) {
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
