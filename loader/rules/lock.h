// A lock file: which libraries may be opened, by path, content and build-id, and no other. Pure: text in, value out.
//
//   {"format": 1, "files": {"plugins/torch-2.15/libmyops_cpu.so": {"sha256": "…", "build_id": "…"}, …}}
//
// Paths are relative to the folder of the lock file, so that an install can be moved with it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "loader/reason.h"

namespace myops::rules {

struct LockedFile {
  std::string sha256;    // of the whole content, lower-case hex
  std::string build_id;  // lower-case hex, "" where the file has none
};

struct Lock {
  std::string path;                         // of the lock file
  std::map<std::string, LockedFile> files;  // by path: as the text has it, or the real path (loader/system/lock_file)
};

// Paths that leave the folder ("../lib/libx.so") are taken, absolute ones are not. Errors: bad-option, whose subject
// names the field. `path` is left to the caller.
Result<Lock> parse_lock(std::string_view text);
// A line for each file, in the order of paths: equal locks give equal bytes, and a diff shows what changed.
std::string to_json_text(const Lock& lock);

}  // namespace myops::rules
