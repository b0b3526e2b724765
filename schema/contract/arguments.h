// What every contract is made of: checks of one argument whose messages name operator, argument, expected and got.
// Sizes are SymInts, so the same check serves real tensors and torch.compile's symbolic ones. Knows no operator.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

namespace myops::contract {

struct Argument {
  const char* name;
  const at::Tensor& tensor;
};

enum class Dtypes {
  kFloating,        // float16, bfloat16, float32, float64
  kNumbers,         // those, and the integer types from 8 to 64 bits
  kNumbersAndBool,  // those, and bool
};

inline std::string dtype_name(at::ScalarType dtype) { return std::string(c10::getDtypeNames(dtype).first); }

inline bool is_floating(at::ScalarType dtype) {
  return dtype == at::kFloat || dtype == at::kDouble || dtype == at::kBFloat16 || dtype == at::kHalf;
}

inline bool is_allowed(at::ScalarType dtype, Dtypes allowed) {
  if (is_floating(dtype)) {
    return true;
  }
  if (dtype == at::kBool) {
    return allowed == Dtypes::kNumbersAndBool;
  }
  const bool integer =
      dtype == at::kByte || dtype == at::kChar || dtype == at::kShort || dtype == at::kInt || dtype == at::kLong;
  return integer && allowed != Dtypes::kFloating;
}

inline const char* describe(Dtypes allowed) {
  switch (allowed) {
    case Dtypes::kFloating:
      return "float16, bfloat16, float32 or float64";
    case Dtypes::kNumbers:
      return "float16, bfloat16, float32, float64, uint8, int8, int16, int32 or int64";
    case Dtypes::kNumbersAndBool:
      return "float16, bfloat16, float32, float64, uint8, int8, int16, int32, int64 or bool";
  }
  return "";
}

inline void check_dense(const char* op, const Argument& argument) {
  TORCH_CHECK(argument.tensor.defined(), op, ": ", argument.name, " must be a tensor, got None");
  TORCH_CHECK(argument.tensor.layout() == at::kStrided, op, ": ", argument.name, " must be a dense tensor, got layout ",
              argument.tensor.layout());
}

inline void check_dtype(const char* op, const Argument& argument, Dtypes allowed) {
  check_dense(op, argument);
  TORCH_CHECK_TYPE(is_allowed(argument.tensor.scalar_type(), allowed), op, ": ", argument.name, " must have dtype ",
                   describe(allowed), ", got ", dtype_name(argument.tensor.scalar_type()));
}

// Same device and dtype as `model`. The dispatcher picks one kernel for mixed devices (Meta before CPU): every kernel
// must ask.
inline void check_alike(const char* op, const Argument& argument, const Argument& model) {
  check_dense(op, argument);
  TORCH_CHECK(argument.tensor.device() == model.tensor.device(), op, ": ", argument.name, " must be on ",
              model.tensor.device(), " like ", model.name, ", got ", argument.tensor.device());
  TORCH_CHECK_TYPE(argument.tensor.scalar_type() == model.tensor.scalar_type(), op, ": ", argument.name,
                   " must have dtype ", dtype_name(model.tensor.scalar_type()), " like ", model.name, ", got ",
                   dtype_name(argument.tensor.scalar_type()));
}

inline constexpr int64_t kMaxDims = 64;  // as torch's own reductions

inline void check_dims(const char* op, const Argument& argument, int64_t least) {
  const int64_t dims = argument.tensor.dim();
  TORCH_CHECK(dims >= least, op, ": ", argument.name, " must have at least ", least,
              least == 1 ? " dimension" : " dimensions", ", got shape ", argument.tensor.sym_sizes());
  TORCH_CHECK(dims <= kMaxDims, op, ": ", argument.name, " must have at most ", kMaxDims, " dimensions, got ", dims);
}

// `expected` is the shape of what `like` names: "input", "the result".
inline void check_shape(const char* op, const Argument& argument, c10::SymIntArrayRef expected, const char* like) {
  const auto got = argument.tensor.sym_sizes();
  bool same = got.size() == expected.size();
  for (size_t d = 0; same && d < got.size(); ++d) {
    same = got[d].sym_eq(expected[d]).expect_true(__FILE__, __LINE__);
  }
  TORCH_CHECK(same, op, ": ", argument.name, " must have shape ", expected, " like ", like, ", got ", got);
}

inline void check_same_shape(const char* op, const Argument& argument, const Argument& model) {
  check_shape(op, argument, model.tensor.sym_sizes(), model.name);
}

// The tensor of an optional argument; null where it was not given. An undefined tensor counts as not given.
inline const at::Tensor* given(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() && tensor->defined() ? &*tensor : nullptr;
}

}  // namespace myops::contract
