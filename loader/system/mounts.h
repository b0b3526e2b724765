// The mount a file lies on: does it forbid executable mappings, and where is it.
#pragma once

#include <string>
#include <string_view>

namespace myops::system {

// True where the mount of `path` has the noexec option: dlopen of a file there fails, for root too.
bool is_noexec(const std::string& path);

// The mount point that holds the absolute path `real_path`, from the text of /proc/self/mountinfo (proc(5)): the
// longest one that is a leading part of it, and the last mounted of those; "" where there is none. Pure.
std::string mount_point_in(std::string_view mountinfo, std::string_view real_path);

}  // namespace myops::system
