// What each field of a manifest may look like. Pure.
#pragma once

#include "loader/rules/json_fields.h"

namespace myops::rules {

extern const TextForm kNameForm;        // "myops_cpu"
extern const TextForm kReleaseForm;     // "0.1.0+torch2.15+1a2b3c4d5e6f"
extern const TextForm kNamespaceForm;   // "myops"
extern const TextForm kOperatorForm;    // "myops::myadd.out"
extern const TextForm kDefinitionForm;  // "myops::myadd(Tensor self, Tensor other) -> Tensor"
extern const TextForm kKeyForm;         // "CompositeExplicitAutograd"
extern const TextForm kVersionForm;     // "2.15.0", "2.16.0a0"
extern const TextForm kCudaForm;        // "13.2", or "" for a CPU-only torch
extern const TextForm kAbiForm;         // "exact", "stable>=2.11"
extern const TextForm kCxx11AbiForm;    // "new", "old", or "" where it was not recorded
extern const TextForm kBuildIdForm;     // "1f0a…", or "" where the library has none
extern const TextForm kArchForm;        // "x86_64"
extern const TextForm kLevelForm;       // "x86-64-v3", or "" where the machine has no levels
extern const TextForm kGpuArchForm;     // "75", "90a"
extern const TextForm kGitForm;         // a revision, or ""

// "stable>=2.11" → "2.11"; "" for "exact".
std::string stable_since(std::string_view abi);

}  // namespace myops::rules
