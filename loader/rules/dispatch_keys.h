// What the rules know of torch's dispatch keys: only their names. Source: c10/core/DispatchKey.h of torch 2.11
// and 2.15. Pure.
#pragma once

#include <string>
#include <string_view>

namespace myops::rules {

// A key whose kernels compute: a device ("CPU", "Meta", "PrivateUse1"), one of its layouts ("SparseCPU"), or the
// composite keys below autograd. Not CompositeImplicitAutograd: its kernels are made of operators that have all keys of
// their own.
bool is_backend_key(std::string_view key);

// A backend key whose kernels are made of other operators' calls, which bring their own gradients and version counters.
bool is_composite_key(std::string_view key);

// "Autograd", "AutogradCPU", …
bool is_autograd_key(std::string_view key);

// Do kernels on `holder` run for `key`? The same key, an alias of it ("Autocast" is AutocastCUDA), or the family that
// "Autograd" stands for. Composite keys do not count: they serve a device without being the device's library.
bool key_covers(std::string_view holder, std::string_view key);

// The key that differs from this text in capitals alone: "CPU" for "cpu"; "" where there is none, or the text is one.
std::string key_meant_by(std::string_view text);

}  // namespace myops::rules
