#include "backend_cuda/launch_shape.h"
#include "backend_cuda/pairs.h"
#include "tests/cuda/arrays.h"
#include "tests/cuda/emulation.h"

namespace myops::cuda {
namespace {

using namespace myops::testing;

template <class T>
std::vector<T> values_of(size_t count, unsigned seed) {
  if constexpr (std::is_integral_v<T>) {
    std::vector<T> values;
    std::mt19937_64 generator(seed);
    for (size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(generator()));
    return values;
  } else {
    return normal_values<T>(static_cast<int64_t>(count), seed);
  }
}

// As on CPU, bit for bit.
template <class T>
T expected(PairOperation operation, T a, T b) {
  const auto x = cpu::widen(a);
  const auto y = cpu::widen(b);
  return operation == PairOperation::kAdd ? cpu::narrow<T>(x + y) : cpu::narrow<T>(x * y + x);
}

template <class T>
void expect_dense(size_t count, size_t shift) {
  Array<T> a(values_of<T>(count, 1), shift);
  Array<T> b(values_of<T>(count, 2));
  for (const PairOperation operation : {PairOperation::kAdd, PairOperation::kMultiplyThenAdd}) {
    Array<T> out(count, shift);
    ASSERT_EQ(
        launch_pairs(operation, dtype_of<T>(), {out.data(), a.data(), b.data()}, static_cast<int64_t>(count), nullptr),
        cudaSuccess);
    EXPECT_TRUE(out.intact());
    const auto got = out.values();
    for (size_t i = 0; i < count; ++i) {
      const T want = expected(operation, a.values()[i], b.values()[i]);
      ASSERT_EQ(std::memcmp(&got[i], &want, sizeof(T)), 0) << "element " << i << " of " << count;
    }
  }
}

template <class T>
class CudaPairs : public ::testing::Test {};
using Numbers = ::testing::Types<float, double, c10::BFloat16, c10::Half, uint8_t, int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(CudaPairs, Numbers);

TYPED_TEST(CudaPairs, DenseArraysGiveTheBitsOfTheCpu) {
  for (const size_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 600}) {
    expect_dense<TypeParam>(count, 0);
    expect_dense<TypeParam>(count, 1);
  }
}

TYPED_TEST(CudaPairs, StridesAndBroadcastingAreFollowed) {
  using T = TypeParam;
  constexpr int64_t kRows = 3;
  constexpr int64_t kColumns = 5;
  Array<T> a(values_of<T>(kRows * kColumns, 3));  // column-major
  Array<T> b(values_of<T>(kColumns, 4));          // the same for each row
  Array<T> out(kRows * kColumns);
  constexpr int64_t kSize = sizeof(T);
  TripleDims dims;
  dims.count = 2;
  dims.elements = kRows * kColumns;
  dims.size[0] = kRows;
  dims.size[1] = kColumns;
  const int64_t strides[3][2] = {{kColumns * kSize, kSize}, {kSize, kRows * kSize}, {0, kSize}};
  for (int array = 0; array < 3; ++array) {
    for (int d = 0; d < 2; ++d) dims.stride[array][d] = strides[array][d];
  }
  ASSERT_EQ(launch_pairs(PairOperation::kAdd, dtype_of<T>(), {out.data(), a.data(), b.data()}, dims, nullptr),
            cudaSuccess);
  EXPECT_TRUE(out.intact());
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t c = 0; c < kColumns; ++c) {
      const T want = expected(PairOperation::kAdd, a.data()[c * kRows + r], b.data()[c]);
      EXPECT_EQ(std::memcmp(&out.data()[r * kColumns + c], &want, sizeof(T)), 0);
    }
  }
}

// What is added to a matrix of `rows` times `columns`, by its strides in elements.
struct Broadcast {
  const char* name;
  int64_t rows;
  int64_t columns;
  int64_t row_stride;
  int64_t column_stride;
  size_t shift;
};

TYPED_TEST(CudaPairs, BroadcastOperandsAreReadInPacksOrOneByOne) {
  using T = TypeParam;
  constexpr int64_t kSize = sizeof(T);
  for (const Broadcast c : {Broadcast{"a row", 5, 64, 0, 1, 0},
                            {"a column", 5, 64, 1, 0, 0},
                            {"a scalar", 5, 64, 0, 0, 0},
                            {"a scalar, shifted", 5, 64, 0, 0, 1},
                            {"a row, shifted", 5, 64, 0, 1, 1},
                            {"a row, odd", 5, 63, 0, 1, 0},
                            {"every other row", 5, 64, 128, 1, 0},
                            {"rows with a gap", 5, 64, 65, 1, 0}}) {
    SCOPED_TRACE(c.name);
    Array<T> matrix(values_of<T>(static_cast<size_t>(c.rows * c.columns), 5));
    Array<T> other(
        values_of<T>(static_cast<size_t>((c.rows - 1) * c.row_stride + (c.columns - 1) * c.column_stride + 1), 6),
        c.shift);
    for (const bool swaps : {false, true}) {
      Array<T> out(static_cast<size_t>(c.rows * c.columns));
      TripleDims dims;
      dims.count = 2;
      dims.elements = c.rows * c.columns;
      dims.size[0] = c.rows;
      dims.size[1] = c.columns;
      for (const int array : {0, swaps ? 2 : 1}) {
        dims.stride[array][0] = c.columns * kSize;
        dims.stride[array][1] = kSize;
      }
      dims.stride[swaps ? 1 : 2][0] = c.row_stride * kSize;
      dims.stride[swaps ? 1 : 2][1] = c.column_stride * kSize;
      const PairOperands operands = swaps ? PairOperands{out.data(), other.data(), matrix.data()}
                                          : PairOperands{out.data(), matrix.data(), other.data()};
      ASSERT_EQ(launch_pairs(PairOperation::kMultiplyThenAdd, dtype_of<T>(), operands, dims, nullptr), cudaSuccess);
      EXPECT_TRUE(out.intact());
      for (int64_t r = 0; r < c.rows; ++r) {
        for (int64_t i = 0; i < c.columns; ++i) {
          const T x = matrix.data()[r * c.columns + i];
          const T y = other.data()[r * c.row_stride + i * c.column_stride];
          const T want =
              swaps ? expected(PairOperation::kMultiplyThenAdd, y, x) : expected(PairOperation::kMultiplyThenAdd, x, y);
          ASSERT_EQ(std::memcmp(&out.data()[r * c.columns + i], &want, sizeof(T)), 0) << r << ", " << i;
        }
      }
    }
  }
}

TEST(CudaPairsOfFloats, BroadcastInPacksOfFour) {
  constexpr int64_t kRows = 16;
  constexpr int64_t kColumns = 1024;
  Array<float> matrix(values_of<float>(kRows * kColumns, 7));
  Array<float> row(values_of<float>(kColumns, 8));
  Array<float> out(kRows * kColumns);
  for (const auto& [row_stride, column_stride, packs] :
       {std::tuple{0, 4, true}, {0, 0, true}, {4, 0, true}, {4, 4, false}}) {
    TripleDims dims;
    dims.count = 2;
    dims.elements = kRows * kColumns;
    dims.size[0] = kRows;
    dims.size[1] = column_stride == 4 && row_stride == 4 ? kColumns - kRows : kColumns;
    for (int array = 0; array < 3; ++array) {
      dims.stride[array][0] = array == 2 ? row_stride : kColumns * 4;
      dims.stride[array][1] = array == 2 ? column_stride : 4;
    }
    dims.elements = kRows * dims.size[1];
    const PairOperands operands{out.data(), matrix.data(), row.data()};
    ASSERT_EQ(launch_pairs(PairOperation::kAdd, Dtype::kFloat, operands, dims, nullptr), cudaSuccess);
    EXPECT_EQ(emulation::last_blocks, elementwise_blocks(packs ? dims.elements / 4 : dims.elements));
  }
}

TEST(CudaPairsDtypes, OthersAreRefused) {
  EXPECT_EQ(launch_pairs(PairOperation::kAdd, Dtype::kBool, {nullptr, nullptr, nullptr}, 1, nullptr),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace myops::cuda
