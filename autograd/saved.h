// What a backward node keeps from the forward call: tensors, whose version is checked when they are used, and plain
// values. Knows no operator.
#pragma once

#include <torch/csrc/autograd/saved_variable.h>

#include <optional>

namespace myops::autograd {

// kIsOutput: the tensor is an output of the node itself. Such a tensor is kept without its history, because node and
// tensor would own each other, and must be saved after torch::autograd::set_history (torch's saved_variable.h).
template <bool kIsOutput>
struct SavedTensor {
  torch::autograd::SavedVariable variable;

  SavedTensor() = default;
  explicit SavedTensor(const at::Tensor& tensor) : variable(tensor, kIsOutput) {}
  explicit SavedTensor(const std::optional<at::Tensor>& tensor) : variable(tensor, kIsOutput) {}

  // The tensor, undefined where none was saved. Throws if it was changed in place or released since.
  template <class NodePointer>
  at::Tensor unpack(const NodePointer& node) const {
    if constexpr (kIsOutput) {
      return variable.unpack(node);
    } else {
      return variable.unpack();
    }
  }
};

using SavedInput = SavedTensor<false>;
using SavedOutput = SavedTensor<true>;

// Of a product, each factor is needed only for the gradient of the other.
inline SavedInput saved_if(bool needed, const at::Tensor& tensor) { return needed ? SavedInput(tensor) : SavedInput(); }

// A saved optional argument, for the backward operators.
inline std::optional<at::Tensor> optional_of(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

// The operations of a BackwardNode on one field: value of it, release, and torch's visitors of compiled autograd.
template <class Field>
struct FieldTraits {
  using Value = Field;

  template <class NodePointer>
  static const Field& value(const Field& field, const NodePointer& /*node*/) {
    return field;
  }
  static void release(Field& /*field*/) {}
  template <class Arguments>
  static void collect(Arguments& arguments, const Field& field) {
    arguments.collect(field);
  }
  static Field& visited(Field& field) { return field; }
};

template <bool kIsOutput>
struct FieldTraits<SavedTensor<kIsOutput>> {
  using Field = SavedTensor<kIsOutput>;
  using Value = at::Tensor;

  template <class NodePointer>
  static at::Tensor value(const Field& field, const NodePointer& node) {
    return field.unpack(node);
  }
  static void release(Field& field) { field.variable.reset_data(); }
  template <class Arguments>
  static void collect(Arguments& arguments, const Field& field) {
    arguments.collect(field.variable, kIsOutput);
  }
  static torch::autograd::SavedVariable& visited(Field& field) { return field.variable; }
};

}  // namespace myops::autograd
