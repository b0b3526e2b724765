// Typed calls on tensors of 4 elements against their twins in ATen: what a call costs besides the arithmetic.
//
//   myops_bench_calls [ROUNDS] [CALLS]
//
// Three stacks of keys: inference (no_grad), requires_grad (forward, the graph built and thrown away), autocast
// (bfloat16 on CPU, float32 inputs). One line of JSON a pair; ratio = ours / ATen's.
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/chunk.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/sum.h>
#include <myops/loader.h>
#include <myops/ops.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "bench/pairs.h"

namespace {

using myops::bench::compare;

struct Load {
  int rounds;
  int calls;
};

// Every operator with a twin; its tensors require grad where the stack says so.
void compare_all(const std::string& stack, bool requires_grad, const Load& load) {
  const auto ones = [&](at::IntArrayRef sizes) { return at::ones(sizes).set_requires_grad(requires_grad); };
  const at::Tensor x = ones({4}), y = ones({4}), w = ones({4}), b = ones({4});
  const at::Tensor m = ones({2, 2}), n = ones({2, 2}), halves = ones({8});
  const auto run = [&](const char* name, const char* peer, const auto& ours, const auto& theirs) {
    compare(name, stack, peer, ours, theirs, load.rounds, load.calls);
  };
  run("myadd", "add", [&] { return myops::myadd(x, y); }, [&] { return at::add(x, y); });
  if (!requires_grad) {  // neither a leaf that requires grad nor an out tensor may be written to
    at::Tensor target = at::ones({4}), out = at::empty({4});
    run("myadd_", "add_", [&] { return myops::myadd_(target, y); }, [&] { return target.add_(y); });
    run("myadd.out", "add.out", [&] { return myops::myadd_out(out, x, y); }, [&] { return at::add_out(out, x, y); });
  }
  run("mymatmul", "matmul", [&] { return myops::mymatmul(m, n); }, [&] { return at::matmul(m, n); });
  run(
      "my_multiple_input_op", "addcmul", [&] { return myops::my_multiple_input_op(x, y); },
      [&] { return at::addcmul(x, x, y); });
  run("sum", "sum", [&] { return myops::sum(x); }, [&] { return at::sum(x); });
  run("diagonal", "diagonal", [&] { return myops::diagonal(m); }, [&] { return at::diagonal(m); });
  run("argmax", "argmax", [&] { return myops::argmax(x); }, [&] { return at::argmax(x, -1); });
  run(
      "rms_norm", "rms_norm", [&] { return myops::rms_norm(x, w, 1e-6); },
      [&] { return at::rms_norm(x, {4}, w, 1e-6); });
  run(
      "layer_norm", "layer_norm", [&] { return myops::layer_norm(x, w, b); },
      [&] { return at::layer_norm(x, {4}, w, b); });
  run(
      "add_layer_norm", "add, layer_norm", [&] { return myops::add_layer_norm(x, y, w, b); },
      [&] {
        at::Tensor sum = at::add(x, y);
        return std::tuple(at::layer_norm(sum, {4}, w, b), sum);
      });
  run(
      "add_rms_norm", "add, rms_norm", [&] { return myops::add_rms_norm(x, y, w, 1e-6); },
      [&] {
        at::Tensor sum = at::add(x, y);
        return std::tuple(at::rms_norm(sum, {4}, w, 1e-6), sum);
      });
  run(
      "silu_and_mul", "chunk, silu, mul", [&] { return myops::silu_and_mul(halves); },
      [&] {
        const auto parts = at::chunk(halves, 2, -1);
        return at::mul(at::silu(parts[0]), parts[1]);
      });
  run(
      "gelu_and_mul", "chunk, gelu, mul", [&] { return myops::gelu_and_mul(halves); },
      [&] {
        const auto parts = at::chunk(halves, 2, -1);
        return at::mul(at::gelu(parts[0]), parts[1]);
      });
}

}  // namespace

int main(int argc, char** argv) {
  const Load load{argc > 1 ? std::atoi(argv[1]) : 41, argc > 2 ? std::atoi(argv[2]) : 2000};
  myops::load({.require = {"CPU", "Autograd", "AutocastCPU"}});
  {
    const at::NoGradGuard no_grad;
    compare_all("inference", false, load);
  }
  compare_all("requires_grad", true, load);
  {
    const at::NoGradGuard no_grad;
    at::autocast::set_autocast_enabled(at::kCPU, true);
    compare_all("autocast", false, load);
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
}
