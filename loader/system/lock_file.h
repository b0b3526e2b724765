// Lock files on disk: read for a load that may open only what they list, and written by `myops lock`.
#pragma once

#include <memory>
#include <string>

#include "loader/reason.h"
#include "loader/rules/lock.h"
#include "loader/system/answer.h"
#include "loader/system/options.h"

namespace myops::system {

// The lock file, with the real paths of what it lists. Errors: unreadable; bad-option, `subject` naming file and field.
Result<std::shared_ptr<const rules::Lock>> read_lock(const std::string& path);

// Writes options.output: every library with a manifest in the search path, in all folders torch-*, and the bridges:
// what any machine with this install may open. Status 1 where there is no plugin, the file cannot be written, or
// something could not be looked at: the answer names that.
Result<Answer> write_lock(const Options& options);

}  // namespace myops::system
