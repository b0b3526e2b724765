#include "loader/rules/dispatch_keys.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace myops::rules {
namespace {

constexpr std::string_view kDevices[] = {"CPU",  "CUDA",        "HIP",         "XLA",        "MPS",  "IPU",
                                         "XPU",  "HPU",         "VE",          "Lazy",       "MTIA", "MAIA",
                                         "Meta", "PrivateUse1", "PrivateUse2", "PrivateUse3"};
constexpr std::string_view kLayouts[] = {"", "Quantized", "Sparse", "SparseCsr", "NestedTensor"};
constexpr std::string_view kOthers[] = {
    "FPGA", "Vulkan", "Metal", "MkldnnCPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"};

// Keys that wrap, each also with a device behind it, or alone.
constexpr std::string_view kWrapping[] = {"Autograd", "Autocast"};
constexpr std::string_view kAlone[] = {"ADInplaceOrView",
                                       "Functionalize",
                                       "BackendSelect",
                                       "Python",
                                       "Conjugate",
                                       "Negative",
                                       "ZeroTensor",
                                       "FuncTorchBatched",
                                       "Named",
                                       "Tracer",
                                       "CompositeImplicitAutograd"};

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  for (const auto device : kDevices) {
    for (const auto prefix : kLayouts) keys.push_back(std::string(prefix) + std::string(device));
    for (const auto prefix : kWrapping) keys.push_back(std::string(prefix) + std::string(device));
  }
  keys.insert(keys.end(), std::begin(kWrapping), std::end(kWrapping));
  keys.insert(keys.end(), std::begin(kAlone), std::end(kAlone));
  keys.insert(keys.end(), std::begin(kOthers), std::end(kOthers));
  return keys;
}

// ASCII only, whatever the locale: the keys are.
std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

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

std::string key_meant_by(std::string_view text) {
  const std::string lower = lower_case(text);
  for (const std::string& key : known_keys()) {
    if (lower_case(key) == lower) return key == text ? "" : key;
  }
  return "";
}

}  // namespace myops::rules
