// After torch's own fallback for operators without a derivative
// (torch/csrc/autograd/autograd_not_implemented_fallback.h says what it promises), with the reason in place of "not
// implemented", and without a word where nothing asks for a gradient.
#include "loader/bridge/absent_gradient.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace myops::bridge {
namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;

class AbsentGradient final : public Node {
 public:
  AbsentGradient(torch::autograd::edge_list edges, std::shared_ptr<const Explanation> why)
      : Node(std::move(edges)), why_(std::move(why)) {}
  std::string name() const override { return "AbsentGradient"; }
  variable_list apply(variable_list&&) override { why_->raise(); }
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs&) const override { why_->raise(); }
  variable_list apply_with_saved(const variable_list&, torch::dynamo::autograd::SwapSavedVariables&) override {
    why_->raise();
  }

 private:
  std::shared_ptr<const Explanation> why_;
};

// As torch holds nodes: by intrusive_ptr, up to some version after 2.11 by shared_ptr.
template <class Made, class... Arguments>
auto new_node(Arguments&&... arguments) {
  if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, Made>) {
    return c10::make_intrusive<Made>(std::forward<Arguments>(arguments)...);
  } else {
    return std::shared_ptr<Made>(new Made(std::forward<Arguments>(arguments)...), [](Made* node) { deleteNode(node); });
  }
}

// Every tensor in a value: it, or those of a list.
void append_tensors(const c10::IValue& value, variable_list& tensors) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) tensors.push_back(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) tensors.push_back(tensor);
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) append_tensors(item, tensors);
  }
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool any_requires_grad(const variable_list& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) { return tensor.requires_grad(); });
}

bool has_tangent(const at::Tensor& tensor) { return tensor._fw_grad(/*level=*/0).defined(); }

class AbsentGradientKernel final : public c10::OperatorKernel {
 public:
  AbsentGradientKernel(std::shared_ptr<const Explanation> why, c10::DispatchKeySet devices)
      : why_(std::move(why)), backends_(devices.raw_repr() & c10::full_backend_mask) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const auto below = keys & c10::after_autograd_keyset;
    if ((keys.raw_repr() & backends_) == 0) return op.redispatchBoxed(below, stack);
    const Inputs inputs = inputs_of(op, *stack);
    for (const at::Tensor& tensor : inputs.tensors) {
      if (has_tangent(tensor)) why_->raise();
    }
    if (!at::GradMode::is_enabled() || !any_requires_grad(inputs.tensors)) {
      const at::AutoDispatchBelowAutograd guard;
      return op.redispatchBoxed(below, stack);
    }
    for (const at::Tensor& tensor : inputs.written) torch::autograd::check_inplace(tensor, true);
    const auto node = new_node<AbsentGradient>(torch::autograd::collect_next_edges(inputs.tensors), why_);
    {
      const at::AutoDispatchBelowAutograd guard;
      op.redispatchBoxed(below, stack);
    }
    for (const at::Tensor& tensor : inputs.written) torch::autograd::rebase_history(tensor, node);
    for (const at::Tensor& tensor : fresh_outputs(op, *stack)) {
      if (at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type())) {
        torch::autograd::set_history(tensor, node);
      }
    }
  }

 private:
  struct Inputs {
    variable_list tensors;
    variable_list written;
  };

  static Inputs inputs_of(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    Inputs inputs;
    const auto& arguments = op.schema().arguments();
    const auto values = torch::jit::last(stack, arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      append_tensors(values[i], inputs.tensors);
      if (is_written(arguments[i])) append_tensors(values[i], inputs.written);
    }
    return inputs;
  }

  // What was written to has its history already.
  static variable_list fresh_outputs(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    variable_list tensors;
    const auto& returns = op.schema().returns();
    const auto values = torch::jit::last(stack, returns.size());
    for (std::size_t i = 0; i < returns.size(); ++i) {
      if (!is_written(returns[i])) append_tensors(values[i], tensors);
    }
    return tensors;
  }

  std::shared_ptr<const Explanation> why_;
  std::uint64_t backends_;  // bits of the devices
};

}  // namespace

c10::KernelFunction absent_gradient_kernel(std::shared_ptr<const Explanation> why, c10::DispatchKeySet devices) {
  return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<AbsentGradientKernel>(std::move(why), devices));
}

}  // namespace myops::bridge
