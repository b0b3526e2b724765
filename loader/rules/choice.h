// What a request says of one library: `disable` and `prefer` by its name, `cpu_cap` by its level. Pure.
#pragma once

#include <string>

#include "loader/rules/verdict.h"

namespace myops::rules {

// Does a `disable` entry mean this library? It is one that `prefer` takes, or a dispatch key when the library has
// kernels for that key and no other.
bool disables(const std::string& entry, const Verdict& verdict);

// Does a `prefer` entry mean this library? It is a glob on its name ("myops_cpu", which variants share), its component
// name ("myops_cpu.x86-64-v4") or its file name; with a slash in it, on its path.
bool prefers(const std::string& entry, const Verdict& verdict);

// Does it need a wider CPU level than `cpu_cap` allows?
bool is_above_cap(const Verdict& verdict, const Request& request);

// "libmyops_cpu.so" of a path.
std::string file_name(const std::string& path);

// "myops_cpu.x86-64-v4" of "/path/libmyops_cpu.x86-64-v4.so".
std::string component_name(const std::string& path);

}  // namespace myops::rules
