// The casting policies, and the dtype each chooses for the arguments of one call. Knows no operator.
//
// Eligible is what torch's own autocast casts: a defined tensor of a floating dtype other than float64 on the device.
// All else (float64, integers, other devices, absent arguments, scalars) passes untouched.
#pragma once

#include <ATen/autocast_mode.h>

#include <optional>

namespace myops::autocast {

enum class Policy {
  kLowerPrecision,  // the dtype of the autocast region: what is fast and safe in it
  kFloat32,         // float32: long sums
  kPromote,         // the widest eligible dtype among the arguments: several inputs of equal rank
};

inline std::optional<at::ScalarType> eligible_dtype(at::DeviceType device, const at::Tensor& tensor) {
  return at::autocast::is_eligible(tensor, device) ? std::optional(tensor.scalar_type()) : std::nullopt;
}
inline std::optional<at::ScalarType> eligible_dtype(at::DeviceType device, const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() ? eligible_dtype(device, *tensor) : std::nullopt;
}
template <class NotATensor>
std::optional<at::ScalarType> eligible_dtype(at::DeviceType /*device*/, const NotATensor& /*argument*/) {
  return std::nullopt;
}

// Neither float16 nor bfloat16 holds the other, so together they need float32 (torch's promote_type throws there).
inline std::optional<at::ScalarType> wider(std::optional<at::ScalarType> left, std::optional<at::ScalarType> right) {
  if (!left.has_value() || !right.has_value()) return left.has_value() ? left : right;
  return *left == *right ? left : at::kFloat;
}

// The dtype for the eligible arguments; none if there is nothing to cast.
template <Policy policy, class... Args>
std::optional<at::ScalarType> target_dtype(at::DeviceType device, const Args&... args) {
  if constexpr (policy == Policy::kLowerPrecision) {
    return at::autocast::get_autocast_dtype(device);
  } else if constexpr (policy == Policy::kFloat32) {
    return at::kFloat;
  } else {
    std::optional<at::ScalarType> widest;
    ((widest = wider(widest, eligible_dtype(device, args))), ...);
    return widest;
  }
}

}  // namespace myops::autocast
