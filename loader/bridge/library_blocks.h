// Which namespaces have their TORCH_LIBRARY block: torch allows one each, and a second one ends the process.
#pragma once

#include <map>
#include <set>
#include <string>

namespace myops::bridge {

// Those of `namespaces` that have one, each with the place of it as torch tells it ("registered at FILE:LINE"), ""
// where it does not. Leaves the dispatcher as it was; a block of one of these namespaces must not come at the same time
// from another thread.
std::map<std::string, std::string> library_blocks(const std::set<std::string>& namespaces);

}  // namespace myops::bridge
