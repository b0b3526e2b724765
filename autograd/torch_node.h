// Nodes of any kind, as the torch at hand wants them. The only place that knows that torch holds a Node by shared_ptr
// up to some version after 2.11, by intrusive_ptr since, and tells hooks of new nodes only in newer ones. Knows nothing
// of this library, so that the loader's bridge (loader/bridge/absent_gradient) makes its nodes with it, too.
#pragma once

#include <torch/csrc/autograd/VariableTypeUtils.h>

#include <memory>
#include <type_traits>
#include <utility>

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

// Tells torch's hooks of new nodes, in a torch that has them.
template <class NodePointer>
void announce(const NodePointer& node) {
  if constexpr (requires { fire_node_creation_hooks(node); }) fire_node_creation_hooks(node);
}

// Makes `node`, which is complete, the history of a tensor that was changed in place; of its base, if it is a view.
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
