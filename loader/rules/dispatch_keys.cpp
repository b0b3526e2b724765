#include "loader/rules/dispatch_keys.h"

#include <algorithm>
#include <iterator>

namespace myops::rules {
namespace {

constexpr std::string_view kDevices[] = {"CPU",  "CUDA",        "HIP",         "XLA",        "MPS",  "IPU",
                                         "XPU",  "HPU",         "VE",          "Lazy",       "MTIA", "MAIA",
                                         "Meta", "PrivateUse1", "PrivateUse2", "PrivateUse3"};
constexpr std::string_view kLayouts[] = {"", "Quantized", "Sparse", "SparseCsr", "NestedTensor"};
constexpr std::string_view kOthers[] = {
    "FPGA", "Vulkan", "Metal", "MkldnnCPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"};

bool is_one_of(std::string_view key, const auto& names) {
  return std::find(std::begin(names), std::end(names), key) != std::end(names);
}

std::string_view canonical(std::string_view key) { return key == "Autocast" ? "AutocastCUDA" : key; }

}  // namespace

bool is_backend_key(std::string_view key) {
  if (is_one_of(key, kOthers)) return true;
  return std::any_of(std::begin(kLayouts), std::end(kLayouts), [&](std::string_view layout) {
    return key.starts_with(layout) && is_one_of(key.substr(layout.size()), kDevices);
  });
}

bool is_composite_key(std::string_view key) { return is_backend_key(key) && key.starts_with("Composite"); }

bool is_autograd_key(std::string_view key) { return key.starts_with("Autograd"); }

bool key_covers(std::string_view holder, std::string_view key) {
  return canonical(holder) == canonical(key) || (holder == "Autograd" && is_autograd_key(key));
}

}  // namespace myops::rules
