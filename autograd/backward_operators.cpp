// The backward operators: differentiable once, as a part of the operator whose gradient they are. Their own derivative
// is refused where it is asked for, with the names of both.
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <string>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"
#include "myops/ops.h"

namespace myops::autograd {
namespace {

// What a backward operator takes: tensors, and the rest.
template <class... Tensors>
struct Arguments {
  std::tuple<const Tensors&...> tensors;
  explicit Arguments(const Tensors&... given) : tensors(given...) {}
};

// `functions`: what the user has called.
template <class Op, class... Tensors, class... Options>
auto once(c10::DispatchKeySet keys, const char* functions, const Arguments<Tensors...>& arguments,
          const Options&... options) {
  return std::apply(
      [&](const Tensors&... tensors) {
        refuse_tangents<Op>(tensors...);
        auto results = below_autograd<Op>(keys, tensors..., options...);
        if (needs_gradient(tensors...)) {
          const std::string name = std::string(Op::name) + ", the gradient of " + functions + ",";
          const auto node =
              new_node<torch::autograd::NotImplemented>(name, torch::autograd::collect_next_edges(tensors...));
          attach(node, results);
        }
        return results;
      },
      arguments.tensors);
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> rms_norm_backward(c10::DispatchKeySet keys, const at::Tensor& grad,
                                                     const at::Tensor& input, const std::optional<at::Tensor>& weight,
                                                     double eps, std::array<bool, 2> output_mask) {
  return once<ops::rms_norm_backward>(keys, "myops::rms_norm or myops::add_rms_norm", Arguments(grad, input, weight),
                                      eps, output_mask);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(c10::DispatchKeySet keys, const at::Tensor& grad,
                                                                   const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask) {
  return once<ops::layer_norm_backward>(keys, "myops::layer_norm or myops::add_layer_norm",
                                        Arguments(grad, input, weight), eps, output_mask);
}

at::Tensor silu_and_mul_backward(c10::DispatchKeySet keys, const at::Tensor& grad, const at::Tensor& input) {
  return once<ops::silu_and_mul_backward>(keys, "myops::silu_and_mul", Arguments(grad, input));
}

at::Tensor gelu_and_mul_backward(c10::DispatchKeySet keys, const at::Tensor& grad, const at::Tensor& input,
                                 std::string_view approximate) {
  return once<ops::gelu_and_mul_backward>(keys, "myops::gelu_and_mul", Arguments(grad, input), approximate);
}

}  // namespace myops::autograd
