// Whether strided arrays share memory. Knows sizes, strides and offsets only, all in elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace myops::contract {

// Offsets that are sums of steps: stride · k for each dimension, with any k from 0 to a largest one. Whether one of
// them is a given number is a knapsack problem; the layouts that tensors have are decided in a few tries.
class OffsetSums {
 public:
  // Strides are not negative. Takes 256 dimensions at most.
  void add(int64_t stride, int64_t largest) {
    if (stride > 0 && largest > 0) {
      steps_[count_++] = {stride, largest, 0, 0};
    }
  }

  // False is a proof. True is one too, but where kTries did not suffice.
  bool may_be(int64_t sum) {
    std::sort(steps_.begin(), steps_.begin() + count_,
              [](const Step& a, const Step& b) { return a.stride > b.stride; });
    merge_equal_strides();
    for (int i = count_ - 1; i >= 0; --i) {
      const Step& next = steps_[i + 1];  // all zero behind the last
      steps_[i].divisor = std::gcd(steps_[i].stride, next.divisor);
      steps_[i].reach = steps_[i].stride * steps_[i].largest + next.reach;
    }
    tries_ = kTries;
    return search(0, sum);
  }

 private:
  static constexpr int kTries = 10000;

  struct Step {
    int64_t stride;
    int64_t largest;
    int64_t divisor;  // of every sum of this step and those behind it
    int64_t reach;    // the largest of these sums
  };

  void merge_equal_strides() {
    int merged = 0;
    for (int i = 0; i < count_; ++i) {
      if (merged > 0 && steps_[merged - 1].stride == steps_[i].stride) {
        steps_[merged - 1].largest += steps_[i].largest;
      } else {
        steps_[merged++] = steps_[i];
      }
    }
    steps_[merged] = {};
    count_ = merged;
  }

  bool search(int i, int64_t sum) {
    const Step& step = steps_[i];
    if (sum == 0 || --tries_ < 0) {
      return true;
    }
    if (i == count_ || sum < 0 || sum > step.reach || sum % step.divisor != 0) {
      return false;
    }
    const int64_t missing = sum - steps_[i + 1].reach;  // what this step must cover at least
    const int64_t least = missing <= 0 ? 0 : (missing + step.stride - 1) / step.stride;
    for (int64_t k = std::min(step.largest, sum / step.stride); k >= least; --k) {
      if (search(i + 1, sum - k * step.stride)) {
        return true;
      }
    }
    return false;
  }

  std::array<Step, 257> steps_;
  int count_ = 0;
  int tries_ = 0;
};

struct StridedArray {
  const int64_t* sizes;
  const int64_t* strides;
  int64_t dims;
  int64_t offset = 0;

  bool is_empty() const {
    return std::any_of(sizes, sizes + dims, [](int64_t size) { return size == 0; });
  }
};

// Whether two indices of an array are the same element, as in an expanded array, or in one that slides a window over
// memory. Of two such indices, those of the first dimension in which they differ are told apart by one step or more; in
// the dimensions behind it the difference goes either way.
inline bool overlaps_itself(const StridedArray& array) {
  if (array.is_empty()) {
    return false;
  }
  for (int64_t first = 0; first < array.dims; ++first) {
    if (array.sizes[first] == 1) {
      continue;
    }
    OffsetSums sums;
    int64_t zero = -array.strides[first];
    sums.add(array.strides[first], array.sizes[first] - 2);
    for (int64_t d = first + 1; d < array.dims; ++d) {
      sums.add(array.strides[d], 2 * (array.sizes[d] - 1));
      zero += array.strides[d] * (array.sizes[d] - 1);
    }
    if (sums.may_be(zero)) {
      return true;
    }
  }
  return false;
}

// Whether two arrays of one storage have an element in common.
inline bool share_elements(const StridedArray& one, const StridedArray& other) {
  if (one.is_empty() || other.is_empty()) {
    return false;
  }
  OffsetSums sums;
  int64_t distance = other.offset - one.offset;
  for (int64_t d = 0; d < one.dims; ++d) {
    sums.add(one.strides[d], one.sizes[d] - 1);
  }
  for (int64_t d = 0; d < other.dims; ++d) {  // counted from its last element
    sums.add(other.strides[d], other.sizes[d] - 1);
    distance += other.strides[d] * (other.sizes[d] - 1);
  }
  return sums.may_be(distance);
}

// Whether each index means the same element in both.
inline bool are_same_elements(const StridedArray& one, const StridedArray& other) {
  bool same = one.offset == other.offset && one.dims == other.dims;
  for (int64_t d = 0; same && d < one.dims; ++d) {
    same = one.sizes[d] == other.sizes[d] && (one.sizes[d] == 1 || one.strides[d] == other.strides[d]);
  }
  return same;
}

}  // namespace myops::contract
