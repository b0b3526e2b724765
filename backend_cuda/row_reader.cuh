// A row shared out among `lanes` threads, in packs of neighbouring elements: lane l has packs l, l + lanes, … The first
// ones stay in registers, so that a row that fits is read from memory once; the rest of a longer one is read again.
#pragma once

#include "backend_cuda/numbers.cuh"

namespace myops::cuda {

// Packs that stay in registers: 4 of 16 bytes, or 8 single elements.
template <int kWidth>
inline constexpr int kCachedPacks = kWidth == 1 ? 8 : 4;

struct Lane {
  int index;
  int lanes;
};

template <class T, int kWidth>
__device__ Pack<T, kWidth> read_pack(const T* row, int64_t stride, int64_t pack) {
  if constexpr (kWidth == 1) {
    return {{row[pack * stride]}};
  } else {
    return reinterpret_cast<const Pack<T, kWidth>*>(row)[pack];
  }
}

template <class T, int kWidth>
__device__ void write_pack(T* row, int64_t pack, const Pack<T, kWidth>& values) {
  reinterpret_cast<Pack<T, kWidth>*>(row)[pack] = values;
}

// The elements of a weight or bias under a pack, or a constant where there is none.
template <class T, int kWidth>
__device__ void read_parameter(const Parameter& parameter, int64_t pack, Wide<T> absent, Wide<T> (&values)[kWidth]) {
  if (parameter.data == nullptr) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      values[k] = absent;
    }
    return;
  }
  const auto elements = read_pack<T, kWidth>(static_cast<const T*>(parameter.data), parameter.stride, pack);
#pragma unroll
  for (int k = 0; k < kWidth; ++k) {
    values[k] = widen(elements.values[k]);
  }
}

template <class T, int kWidth, int kCached = kCachedPacks<kWidth>>
class CachedRow {
 public:
  // A row of `packs` packs; 0 for a thread that has none to work on.
  __device__ CachedRow(const T* row, int64_t stride, int64_t packs, Lane lane)
      : row_(row), stride_(stride), packs_(packs), lane_(lane) {}

  // Reads what stays in registers: all at once, since memory is far away.
  __device__ void read() {
#pragma unroll
    for (int k = 0; k < kCached; ++k) {
      const int64_t pack = pack_of(k);
      if (pack < packs_) {
        cached_[k] = read_pack<T, kWidth>(row_, stride_, pack);
      }
    }
  }

  // The same for a row that is made here: make(pack) gives a pack, and has written it to the row by then.
  template <class Make>
  __device__ void fill(const Make& make) {
#pragma unroll
    for (int k = 0; k < kCached; ++k) {
      const int64_t pack = pack_of(k);
      if (pack < packs_) {
        cached_[k] = make(pack);
      }
    }
    for (int64_t pack = pack_of(kCached); pack < packs_; pack += lane_.lanes) {
      make(pack);
    }
  }

  // No lane has more packs than stay in registers.
  static bool is_one_batch(int64_t size, int lanes) { return size <= static_cast<int64_t>(kCached) * kWidth * lanes; }

  // body(pack, its elements) for each pack of this lane; between() after every kCached of them, but the last.
  template <class Body, class Between>
  __device__ void for_each(const Body& body, const Between& between) const {
#pragma unroll
    for (int k = 0; k < kCached; ++k) {
      const int64_t pack = pack_of(k);
      if (pack < packs_) {
        body(pack, cached_[k]);
      }
    }
    for (int64_t pack = pack_of(kCached); pack < packs_;) {
      between();
#pragma unroll 1
      for (int k = 0; k < kCached; ++k, pack += lane_.lanes) {
        if (pack < packs_) {
          body(pack, read_pack<T, kWidth>(row_, stride_, pack));
        }
      }
    }
  }

  // The same with body(pack, its elements, those of `other`, a row of the same length).
  template <class Body, class Between>
  __device__ void for_each_with(const CachedRow& other, const Body& body, const Between& between) const {
#pragma unroll
    for (int k = 0; k < kCached; ++k) {
      const int64_t pack = pack_of(k);
      if (pack < packs_) {
        body(pack, cached_[k], other.cached_[k]);
      }
    }
    for (int64_t pack = pack_of(kCached); pack < packs_;) {
      between();
#pragma unroll 1
      for (int k = 0; k < kCached; ++k, pack += lane_.lanes) {
        if (pack < packs_) {
          body(pack, read_pack<T, kWidth>(row_, stride_, pack), read_pack<T, kWidth>(other.row_, other.stride_, pack));
        }
      }
    }
  }

 private:
  __device__ int64_t pack_of(int k) const { return lane_.index + static_cast<int64_t>(k) * lane_.lanes; }

  Pack<T, kWidth> cached_[kCached];
  const T* row_;
  int64_t stride_;
  int64_t packs_;
  Lane lane_;
};

}  // namespace myops::cuda
