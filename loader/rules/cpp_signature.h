// Does a kernel's C++ signature ("at::Tensor (at::Tensor const&, double)") fit an operator's schema? Pure text.
#pragma once

#include <string_view>

namespace myops::rules {

// False only where torch is sure to refuse it: another number of arguments or results, or a type that is known on both
// sides and differs. A type that is not known here fits. References, const and a leading DispatchKeySet make no
// difference, nor does SymInt in the place of int. Source: c10/core/op_registration/infer_schema.h, ATen/core/boxing
// and the types of ATen/core/jit_type.h.
bool signature_fits_schema(std::string_view signature, std::string_view schema);

}  // namespace myops::rules
