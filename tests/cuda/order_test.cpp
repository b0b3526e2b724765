// Results have the same bits whatever the order of blocks and threads, and an emulated kernel that races is seen.
#include "backend_cuda/gated.h"
#include "backend_cuda/launch_shape.h"
#include "backend_cuda/norms.h"
#include "backend_cuda/reductions.h"
#include "tests/cuda/arrays.h"
#include "tests/cuda/emulation.h"

namespace myops::cuda {
namespace {

using namespace myops::testing;
using emulation::Order;

// The bytes that `body` gives, in each order of blocks and threads.
void expect_same_bits(const std::function<std::vector<float>()>& body) {
  emulation::order = Order::kForwards;
  const std::vector<float> first = body();
  for (const Order order : {Order::kBackwards, Order::kShuffled}) {
    emulation::order = order;
    const std::vector<float> again = body();
    ASSERT_EQ(again.size(), first.size());
    EXPECT_EQ(std::memcmp(again.data(), first.data(), first.size() * sizeof(float)), 0);
  }
  emulation::order = Order::kForwards;
}

TEST(CudaOrder, OfBlocksAndThreadsDoesNotShowInSums) {
  const auto values = normal_values<float>(60000, 1);
  for (const auto& [rows, columns, reduced] : {std::tuple{1, 60000, 1}, {60000, 1, 0}, {30, 2000, 0}, {30, 2000, 1}}) {
    const int64_t sizes[] = {rows, columns};
    const int64_t strides[] = {columns, 1};
    const Reduction reduction =
        make_reduction(sizes, strides, 2, std::bitset<kMaxDims>().set(static_cast<size_t>(reduced)));
    Array<float> input(values);
    expect_same_bits([&] {
      Array<float> output(static_cast<size_t>(reduction.kept.elements));
      Array<char> partial(static_cast<size_t>(scratch_bytes(reduction)));
      EXPECT_EQ(launch_sum(Dtype::kFloat, input.data(), reduction, partial.data(), output.data(), nullptr),
                cudaSuccess);
      return output.values();
    });
  }
}

TEST(CudaOrder, OfBlocksAndThreadsDoesNotShowInArgmax) {
  std::vector<float> values = normal_values<float>(60000, 2);
  values[40000] = values[59999] = values[7] = 100;
  const int64_t sizes[] = {60000};
  const int64_t strides[] = {1};
  const Reduction reduction = make_reduction(sizes, strides, 1, std::bitset<kMaxDims>().set(0));
  Array<float> input(values);
  expect_same_bits([&] {
    Array<int64_t> output(1);
    Array<char> partial(static_cast<size_t>(scratch_bytes(reduction)));
    EXPECT_EQ(launch_argmax(Dtype::kFloat, input.data(), reduction, partial.data(), output.data(), nullptr),
              cudaSuccess);
    EXPECT_EQ(output.data()[0], 7);
    return std::vector<float>{static_cast<float>(output.data()[0])};
  });
}

TEST(CudaOrder, OfBlocksAndThreadsDoesNotShowInNormsAndTheirGradients) {
  for (const auto& [rows, size] : {std::pair<int64_t, int64_t>{70, 20}, {9, 500}, {3, 4100}, {2, 20000}}) {
    Array<float> input(normal_values<float>(rows * size, 3));
    Array<float> grad(normal_values<float>(rows * size, 4));
    Array<float> weight(normal_values<float>(size, 5));
    const Rows inputs = rows_at(input.data(), rows, size);
    const Rows grads = rows_at(grad.data(), rows, size);
    const int64_t chunks = column_chunks(rows, size);
    for (const Norm norm : {Norm::kRms, Norm::kLayer}) {
      expect_same_bits([&, rows = rows, size = size] {
        Array<float> output(static_cast<size_t>(rows * size));
        Array<float> grad_input(static_cast<size_t>(rows * size));
        Array<float> grad_weight(static_cast<size_t>(size));
        Array<char> moments(static_cast<size_t>(rows * moments_bytes(Dtype::kFloat)));
        Array<double> sums(static_cast<size_t>(chunks * size));
        NormForward forward{};
        forward.input = inputs;
        forward.weight = {weight.data(), 1};
        forward.output = output.data();
        forward.rows = rows;
        forward.size = size;
        forward.eps = 1e-5;
        EXPECT_EQ(launch_norm(norm, Dtype::kFloat, forward, nullptr), cudaSuccess);
        const NormBackward backward{grads, inputs, forward.weight, grad_input.data(), moments.data(), rows, size, 1e-5};
        EXPECT_EQ(launch_norm_backward(norm, Dtype::kFloat, backward, nullptr), cudaSuccess);
        const ColumnSums columns{grads, inputs, moments.data(), sums.data(), nullptr, rows, size, chunks};
        EXPECT_EQ(launch_column_sums(Dtype::kFloat, columns, nullptr), cudaSuccess);
        EXPECT_EQ(launch_sum_of_rows(Dtype::kFloat, sums.data(), chunks, size, grad_weight.data(), nullptr),
                  cudaSuccess);
        std::vector<float> all = output.values();
        for (const auto& more : {grad_input.values(), grad_weight.values()}) {
          all.insert(all.end(), more.begin(), more.end());
        }
        return all;
      });
    }
  }
}

TEST(CudaEmulation, ShowsARace) {
  static float shared = 0;
  std::vector<float> got;
  for (const Order order : {Order::kForwards, Order::kBackwards}) {
    emulation::order = order;
    emulation::run(1, 64, [] { shared = static_cast<float>(threadIdx.x); });
    got.push_back(shared);
  }
  emulation::order = Order::kForwards;
  EXPECT_NE(got[0], got[1]);
}

TEST(CudaEmulationDeathTest, EndsWhereThreadsWaitAtDifferentPlacesOrReadOutside) {
  EXPECT_DEATH(emulation::run(1, 64,
                              [] {
                                if (threadIdx.x != 7) __syncthreads();
                              }),
               "wait at different places");
  EXPECT_DEATH(emulation::run(1, 64,
                              [] {
                                if (threadIdx.x != 7) __shfl_xor_sync(~0U, 1, 1);
                              }),
               "different places");
  Array<float> array(10);
  volatile float* data = array.data();
  EXPECT_DEATH(static_cast<void>(data[4096]), "");
  EXPECT_DEATH(static_cast<void>(data[-4096]), "");
  EXPECT_TRUE(std::isnan(data[10]) && std::isnan(data[-1]));
  array.data()[10] = 0;
  EXPECT_FALSE(array.intact());
}

// A warp may shuffle where others of its block wait: they need not be at the same place.
TEST(CudaEmulation, LetsOneWarpShuffleAlone) {
  std::vector<int> got(64, -1);
  emulation::run(1, 64, [&got] {
    if (threadIdx.x < 32) got[threadIdx.x] = __shfl_xor_sync(~0U, static_cast<int>(threadIdx.x), 1);
    __syncthreads();
  });
  EXPECT_EQ(got[0], 1);
  EXPECT_EQ(got[31], 30);
  EXPECT_EQ(got[32], -1);
}

}  // namespace
}  // namespace myops::cuda
