// Making a BackwardNode and tying it to the results of the call.
#pragma once

#include <torch/csrc/autograd/VariableTypeUtils.h>

#include <tuple>
#include <utility>

#include "autograd/backward_node.h"
#include "autograd/gate.h"
#include "autograd/torch_node.h"

namespace myops::autograd {

// A node with one edge for each of the operator's tensor arguments, in their order.
template <class Rule, class... Tensors>
auto make_node(const Tensors&... tensors) {
  using Node = BackwardNode<Rule>;
  static_assert(sizeof...(Tensors) == Rule::kEdges, "one edge for each tensor argument");
  return new_node<Node>(torch::autograd::collect_next_edges(tensors...));
}

// A result as attach() takes it: without history where none of the tensors it is made of requires a gradient. The node
// then gets an undefined gradient for it.
template <class... Tensors>
at::Tensor made_of(const at::Tensor& result, const Tensors&... tensors) {
  return needs_gradient(tensors...) ? result : at::Tensor();
}

// Makes `node` the history of fresh results, in the order of the operator's outputs.
template <class NodePointer, class... Tensors>
void attach(const NodePointer& node, const Tensors&... results) {
  (torch::autograd::set_history(results, node), ...);
}

template <class NodePointer, class... Tensors>
void attach(const NodePointer& node, const std::tuple<Tensors...>& results) {
  std::apply([&](const Tensors&... result) { attach(node, result...); }, results);
}

// Stores the fields of the Rule. The last step, after attach: hooks see a complete node.
template <class NodePointer, class... Fields>
void complete(const NodePointer& node, Fields&&... fields) {
  node->save({std::forward<Fields>(fields)...});
  announce(node);
}

}  // namespace myops::autograd
