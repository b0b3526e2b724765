// Reads the text that torch's OperatorHandle::dumpState() gives for one operator: the only public way to the
// registration text of a kernel. Pure text in, values out; it includes no torch.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace myops::bridge {

// Dispatch key → registration text, e.g. {"CPU", "registered at ./register.cpp:12 :: (Tensor _0) -> Tensor _0 [ boxed
// unboxed ]"}.
using KernelTexts = std::vector<std::pair<std::string, std::string>>;

// The kernels that are in force, in torch's order; one that a later registration covers ("(inactive)") is left out.
// `is_key` says whether a word names a dispatch key: registration text is free text, and a line of it that does not
// begin with a key continues the line before.
KernelTexts parse_kernels(std::string_view dump, const std::function<bool(std::string_view)>& is_key);

}  // namespace myops::bridge
