// The dtypes of the kernels, without torch: .cu files include none of its headers (6 s instead of 76 s to compile).
#pragma once

namespace myops::cuda {

enum class Dtype { kHalf, kBFloat16, kFloat, kDouble, kByte, kChar, kShort, kInt, kLong, kBool };

}  // namespace myops::cuda
