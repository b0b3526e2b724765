// What else needs to know of how a plugin and a torch fit.
#pragma once

#include "loader/rules/manifest.h"
#include "loader/rules/world.h"

namespace myops::rules {

// Do the build-ids of the libc10 and libtorch_cpu that the plugin was linked against equal those present? That proves
// every symbol of torch, and looking them up can be skipped.
bool is_same_torch_build(const Manifest& manifest, const TorchFacts& torch);
// The same of one library of torch.
bool is_same_build(const Manifest& manifest, const TorchFacts& torch, const std::string& library);

}  // namespace myops::rules
