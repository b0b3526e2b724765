// One file judged: every reason against it, not the first. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/elf/elf_facts.h"
#include "loader/link/closure.h"
#include "loader/rules/manifest.h"
#include "loader/rules/world.h"

namespace myops::rules {

// A folder, and who may replace what lies in it.
struct FolderStatus {
  std::string path;
  std::uint32_t mode = 0;  // st_mode
  std::uint32_t owner = 0;
};

// What was gathered about one candidate before it is judged.
struct CandidateFile {
  std::string path;       // as found: folder given + name
  std::string real_path;  // links resolved, "" where that failed
  std::string folder;     // the folder of the search it was found in
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  std::uint32_t mode = 0;  // st_mode, with the file type
  std::uint32_t owner = 0;
  // The folders on the way to it, as given and with links resolved; nullptr: not looked at.
  std::shared_ptr<const std::vector<FolderStatus>> way;
  bool noexec = false;          // its mount forbids executable mappings
  std::string mount_point;      // of that mount
  bool replaced = false;        // a file of this path is in this process, and it was another one
  std::optional<Reason> error;  // could not be opened or read, or is no regular file
};

struct Evidence {
  CandidateFile file;
  std::shared_ptr<const elf::ElfFacts> elf;  // nullptr: see elf_error
  std::optional<Reason> elf_error;
  std::optional<Manifest> manifest;      // none: foreign, or see manifest_error
  std::optional<Reason> manifest_error;  // unstamped, manifest-damaged, manifest-newer
  bool resolved = false;                 // all that it needs was looked up: `missing` is the whole of it
  std::vector<link::Missing> missing;
  std::string sha256;              // of the content, where a lock lists the file
  std::vector<std::string> notes;  // doubts that arose while it was read
};

enum class VerdictKind { kUsable, kRejected, kForeign, kSuperseded, kDisabled };
std::string_view to_text(VerdictKind kind);

struct Verdict {
  VerdictKind kind = VerdictKind::kRejected;
  CandidateFile file;
  std::string name;           // manifest name, or the file name without lib and .so
  std::optional<bool> loads;  // would dlopen(RTLD_NOW) succeed in a process with this torch? none: no torch found
  std::vector<Reason> reasons;
  std::vector<std::string> notes;  // doubts: never a refusal
  std::optional<Manifest> manifest;
  bool unchecked = false;  // a reason against it was skipped
  std::string cpu_level;   // the wider of the manifest's level and the ELF property: the bytes beat the label
  std::string build_id;    // "" where the file has none
};

// Takes away the reasons that the request skips. What they were, as notes.
std::vector<std::string> skip(std::vector<Reason>& reasons, const Request& request);

// Faults of the file alone, against host, torch and request. Never looks at other files.
Verdict judge(Evidence evidence, const HostFacts& host, const std::optional<TorchFacts>& torch, const Request& request);

}  // namespace myops::rules
