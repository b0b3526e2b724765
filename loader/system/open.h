// Opens libraries, by absolute path, everything bound at once (RTLD_NOW), nothing shared (RTLD_LOCAL), and for ever.
//
// For ever, since torch's dispatcher, live tensors' grad_fn and operator handles point into what was opened.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "loader/reason.h"
#include "loader/rules/verdict.h"

namespace myops::system {

// How a library is opened: open_library(), or a test's own. None where it went well.
using Opener = std::function<std::optional<Reason>(const std::string& path)>;

// Runs the constructors of the library and of what it needs. Error: open-failed, with the linker's text, or where the
// linker gave out another library of the process for it.
std::optional<Reason> open_library(const std::string& path);

// Error: changed-while-loading, where `file.real_path` is not, or no longer, the file that was judged.
std::optional<Reason> changed_since(const rules::CandidateFile& file);

// For a file that was opened meanwhile. Error: changed-while-loading, where another lies at its path by now: which of
// the two was opened cannot be told.
std::optional<Reason> replaced_since(const rules::CandidateFile& file);

}  // namespace myops::system
