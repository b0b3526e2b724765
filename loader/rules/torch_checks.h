// What else needs to know of how a plugin and a torch fit.
#pragma once

#include "loader/rules/manifest.h"
#include "loader/rules/world.h"

namespace myops::rules {

// Do the build-ids that the plugin was linked against, libc10's and libtorch_cpu's among them, equal those present?
// That proves every symbol and version of torch, and resolving the file's symbols can be skipped.
bool is_same_torch_build(const Manifest& manifest, const TorchFacts& torch);

}  // namespace myops::rules
