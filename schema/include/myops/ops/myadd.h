// self + other, elementwise and with broadcasting: the functional, the in-place and the out form.
#pragma once

#include <ATen/core/Tensor.h>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct myadd {
  using Schema = at::Tensor(const at::Tensor&, const at::Tensor&);
  static constexpr const char* name = "myops::myadd";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "myadd(Tensor self, Tensor other) -> Tensor";

  static at::Tensor call(const at::Tensor& self, const at::Tensor& other) {
    return typed_handle<myadd>().call(self, other);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other) {
    return typed_handle<myadd>().redispatch(keys, self, other);
  }
};

struct myadd_ {
  using Schema = at::Tensor&(at::Tensor&, const at::Tensor&);
  static constexpr const char* name = "myops::myadd_";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "myadd_(Tensor(a!) self, Tensor other) -> Tensor(a!)";

  static at::Tensor& call(at::Tensor& self, const at::Tensor& other) {
    return typed_handle<myadd_>().call(self, other);
  }
  static at::Tensor& redispatch(c10::DispatchKeySet keys, at::Tensor& self, const at::Tensor& other) {
    return typed_handle<myadd_>().redispatch(keys, self, other);
  }
};

struct myadd_out {
  using Schema = at::Tensor&(const at::Tensor&, const at::Tensor&, at::Tensor&);
  static constexpr const char* name = "myops::myadd";
  static constexpr const char* overload_name = "out";
  static constexpr const char* schema_str = "myadd.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)";

  static at::Tensor& call(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
    return typed_handle<myadd_out>().call(self, other, out);
  }
  static at::Tensor& redispatch(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other,
                                at::Tensor& out) {
    return typed_handle<myadd_out>().redispatch(keys, self, other, out);
  }
};

}  // namespace ops

// A new tensor of the broadcast shape. Both arguments have the same dtype: float16, bfloat16, float32, float64 or
// an integer type (wraps around).
inline at::Tensor myadd(const at::Tensor& self, const at::Tensor& other) { return ops::myadd::call(self, other); }

// Writes the sum into `self`, which keeps its shape and must not overlap itself nor, partially, `other`:
// the two share no element, or are the same ones. Any strides are looked through for that; what cannot be decided
// within some thousand tries counts as overlap.
inline at::Tensor& myadd_(at::Tensor& self, const at::Tensor& other) { return ops::myadd_::call(self, other); }

// Writes the sum into `out`, resizing it to the broadcast shape. `out` comes first, as in at::add_out. It must not
// overlap itself nor, partially, an input; where it is resized it must not share their memory at all.
inline at::Tensor& myadd_out(at::Tensor& out, const at::Tensor& self, const at::Tensor& other) {
  return ops::myadd_out::call(self, other, out);
}

}  // namespace myops
