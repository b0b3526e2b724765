// After torch's own fallback for operators without a derivative
// (torch/csrc/autograd/autograd_not_implemented_fallback.h says what it promises), with the reason in place of "not
// implemented", and without a word where nothing asks for a gradient.
#include "loader/bridge/absent_gradient.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/torch_node.h"

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

bool is_differentiable(const at::Tensor& tensor) {
  return at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type());
}

// A view without a history has requires_grad of its base.
bool has_history(const at::Tensor& tensor) {
  return tensor.grad_fn() != nullptr || (tensor.requires_grad() && !tensor.is_view());
}

bool has_tangent(const at::Tensor& tensor) { return tensor._fw_grad(/*level=*/0).defined(); }

bool any_has_tangent(const variable_list& tensors) { return std::any_of(tensors.begin(), tensors.end(), has_tangent); }

struct Inputs {
  variable_list tensors;
  variable_list written;  // those of them that the operator writes to
};

Inputs inputs_of(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  Inputs inputs;
  const auto& arguments = op.schema().arguments();
  const auto values = torch::jit::last(stack, arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    append_tensors(values[i], inputs.tensors);
    if (is_written(arguments[i])) append_tensors(values[i], inputs.written);
  }
  return inputs;
}

// Without what was written to, which is among the inputs.
variable_list fresh_outputs(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  variable_list tensors;
  const auto& returns = op.schema().returns();
  const auto values = torch::jit::last(stack, returns.size());
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (!is_written(returns[i])) append_tensors(values[i], tensors);
  }
  return tensors;
}

// A node of its own for each tensor that was written to: its edge comes first, where torch puts that of a view's base.
auto node_for(const at::Tensor& written, const variable_list& inputs, const std::shared_ptr<const Explanation>& why) {
  return autograd::new_node<AbsentGradient>(torch::autograd::collect_next_edges(written, inputs), why);
}

// What autograd knew of a tensor before it was written to: whether somebody recorded the write is told by what changed.
// A view makes its node anew after each write: that of its base tells.
class Recorded {
 public:
  explicit Recorded(const at::Tensor& tensor)
      : node_(owner(tensor).grad_fn()), tangent_(tensor._fw_grad(/*level=*/0)), version_(version_of(tangent_)) {}

  bool has_new_node(const at::Tensor& tensor) const { return owner(tensor).grad_fn() != node_; }
  bool has_new_tangent(const at::Tensor& tensor) const {
    const at::Tensor tangent = tensor._fw_grad(/*level=*/0);
    return tangent.defined() && (!tangent.is_same(tangent_) || version_of(tangent) != version_);
  }

 private:
  static at::Tensor owner(const at::Tensor& tensor) { return tensor.is_view() ? at::Tensor(tensor._base()) : tensor; }
  static std::int64_t version_of(const at::Tensor& tensor) { return tensor.defined() ? tensor._version() : 0; }

  std::decay_t<decltype(std::declval<const at::Tensor&>().grad_fn())>
      node_;  // held, so that no other takes its address
  at::Tensor tangent_;
  std::int64_t version_;
};

class AbsentGradientKernel final : public c10::OperatorKernel {
 public:
  explicit AbsentGradientKernel(std::shared_ptr<const Explanation> why) : why_(std::move(why)) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const auto below = keys & c10::after_autograd_keyset;
    const Inputs inputs = inputs_of(op, *stack);
    const bool has_tangents = any_has_tangent(inputs.tensors);
    const bool needs_gradient = at::GradMode::is_enabled() && any_requires_grad(inputs.tensors);
    if (!has_tangents && !needs_gradient) return op.redispatchBoxed(below, stack);
    if (needs_gradient) {
      for (const at::Tensor& tensor : inputs.written) torch::autograd::check_inplace(tensor, true);
    }
    std::vector<Recorded> before;
    for (const at::Tensor& tensor : inputs.written) before.emplace_back(tensor);
    op.redispatchBoxed(below, stack);
    const variable_list outputs = fresh_outputs(op, *stack);
    if (has_tangents) refuse_lost_tangents(inputs.written, before, outputs);
    if (!needs_gradient) return;
    for (std::size_t i = 0; i < inputs.written.size(); ++i) {
      const at::Tensor& tensor = inputs.written[i];
      if (!is_differentiable(tensor) || before[i].has_new_node(tensor)) continue;
      autograd::rebase(tensor, node_for(tensor, inputs.tensors, why_));
    }
    const auto node = autograd::new_node<AbsentGradient>(torch::autograd::collect_next_edges(inputs.tensors), why_);
    for (const at::Tensor& tensor : outputs) {
      if (is_differentiable(tensor) && !has_history(tensor)) torch::autograd::set_history(tensor, node);
    }
    autograd::announce(node);
  }

 private:
  void refuse_lost_tangents(const variable_list& written, const std::vector<Recorded>& before,
                            const variable_list& outputs) const {
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (is_differentiable(written[i]) && !before[i].has_new_tangent(written[i])) why_->raise();
    }
    for (const at::Tensor& tensor : outputs) {
      if (is_differentiable(tensor) && !has_tangent(tensor)) why_->raise();
    }
  }

  std::shared_ptr<const Explanation> why_;
};

}  // namespace

c10::KernelFunction absent_gradient_kernel(std::shared_ptr<const Explanation> why) {
  return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<AbsentGradientKernel>(std::move(why)));
}

}  // namespace myops::bridge
