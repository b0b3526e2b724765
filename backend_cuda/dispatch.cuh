// From a dtype at run time to a type: body(T()) of the one that it is.
#pragma once

#include "backend_cuda/dtype.h"
#include "backend_cuda/numbers.cuh"

namespace myops::cuda {

// float16, bfloat16, float32 and float64 only.
template <class Body>
cudaError_t dispatch_floating(Dtype dtype, const Body& body) {
  switch (dtype) {
    case Dtype::kHalf:
      return body(__half());
    case Dtype::kBFloat16:
      return body(__nv_bfloat16());
    case Dtype::kFloat:
      return body(float());
    case Dtype::kDouble:
      return body(double());
    default:
      return cudaErrorInvalidValue;
  }
}

// Integers by their size only, as unsigned ones: for what gives the same bits whatever their sign.
template <class Body>
cudaError_t dispatch_numbers_by_size(Dtype dtype, const Body& body) {
  switch (dtype) {
    case Dtype::kByte:
    case Dtype::kChar:
      return body(uint8_t());
    case Dtype::kShort:
      return body(uint16_t());
    case Dtype::kInt:
      return body(uint32_t());
    case Dtype::kLong:
      return body(uint64_t());
    default:
      return dispatch_floating(dtype, body);
  }
}

template <class Body>
cudaError_t dispatch_numbers(Dtype dtype, const Body& body) {
  switch (dtype) {
    case Dtype::kByte:
      return body(uint8_t());
    case Dtype::kChar:
      return body(int8_t());
    case Dtype::kShort:
      return body(int16_t());
    case Dtype::kInt:
      return body(int32_t());
    case Dtype::kLong:
      return body(int64_t());
    default:
      return dispatch_floating(dtype, body);
  }
}

template <class Body>
cudaError_t dispatch_numbers_and_bool(Dtype dtype, const Body& body) {
  return dtype == Dtype::kBool ? body(bool()) : dispatch_numbers(dtype, body);
}

}  // namespace myops::cuda
