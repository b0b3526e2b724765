// Making a BackwardNode and tying it to the results of the call. The only place that knows that torch holds a Node by
// shared_ptr up to some version after 2.11, by intrusive_ptr since, and tells hooks of new nodes only in newer ones.
#pragma once

#include <torch/csrc/autograd/VariableTypeUtils.h>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "autograd/backward_node.h"
#include "autograd/gate.h"

namespace myops::autograd {

// A Node of any type, held as torch holds them.
template <class Node, class... Arguments>
auto new_node(Arguments&&... arguments) {
  if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, Node>) {
    return c10::make_intrusive<Node>(std::forward<Arguments>(arguments)...);
  } else {
    return std::shared_ptr<Node>(new Node(std::forward<Arguments>(arguments)...), [](Node* node) { deleteNode(node); });
  }
}

// A node with one edge for each of the operator's tensor arguments, in their order.
template <class Rule, class... Tensors>
auto make_node(const Tensors&... tensors) {
  using Node = BackwardNode<Rule>;
  static_assert(sizeof...(Tensors) == Rule::kEdges, "one edge for each tensor argument");
  return new_node<Node>(torch::autograd::collect_next_edges(tensors...));
}

// Tells torch's hooks of new nodes, in a torch that has them.
template <class NodePointer>
void announce(const NodePointer& node) {
  if constexpr (requires { fire_node_creation_hooks(node); }) fire_node_creation_hooks(node);
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

// Makes `node`, which saves nothing, the history of a tensor that was changed in place; of its base, if it is a view.
template <class NodePointer>
void rebase(const at::Tensor& self, const NodePointer& node) {
  using Attached = decltype(torch::autograd::rebase_history(self, node));
  if constexpr (std::is_void_v<Attached>) {
    torch::autograd::rebase_history(self, node);
  } else {
    announce(torch::autograd::rebase_history(self, node));
  }
}

}  // namespace myops::autograd
