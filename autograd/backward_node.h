// The one Node type of this library: everything of a backward node that does not depend on the operator. A Rule says
// the rest:
//
//   struct RmsNormGradient {
//     static constexpr const char* kName = "RmsNormBackward";           // grad_fn's name
//     static constexpr size_t kEdges = 2;                               // tensor arguments of the operator
//     using Saved = std::tuple<SavedInput, SavedInput, double>;         // kept from the forward call
//     static Gradients<2> gradients(const variable_list& grads, const Wanted<2>& wanted,
//                                   const at::Tensor& input, const at::Tensor& weight, double eps);
//   };
//
// `gradients` is called with at least one defined incoming gradient and leaves undefined what is not wanted. A gradient
// may still have the broadcast shape: the engine sums it to the argument's (torch's validate_outputs, on which the
// generated nodes rely as well). Being a pure function of its arguments, it is also what compiled autograd calls.
#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autograd/saved.h"

namespace myops::autograd {

using torch::autograd::variable_list;

template <size_t kEdges>
using Wanted = std::array<bool, kEdges>;
template <size_t kEdges>
using Gradients = std::array<at::Tensor, kEdges>;

template <class Rule>
class BackwardNode final : public torch::autograd::Node {
 public:
  using Saved = typename Rule::Saved;

  explicit BackwardNode(torch::autograd::edge_list&& edges) : Node(std::move(edges)) {}

  std::string name() const override { return Rule::kName; }

  // Once, before anyone else sees the node.
  void save(Saved&& fields) { saved_ = std::move(fields); }

  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for_each_field([](auto traits, auto& field) { traits.release(field); });
  }

  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& arguments) const override {
    std::apply([&](const auto&... field) { (traits_of(field).collect(arguments, field), ...); }, saved_);
  }

  variable_list apply_with_saved(const variable_list& grads,
                                 torch::dynamo::autograd::SwapSavedVariables& tracer) override {
    for_each_field([&](auto traits, auto& field) { tracer.before(traits.visited(field)); });
    auto result = traced_call(grads, tracer.get_py_compiler());
    for_each_field([&](auto traits, auto& field) { tracer.after(traits.visited(field)); });
    return result;
  }

 private:
  using WantedEdges = Wanted<Rule::kEdges>;
  using PackedWanted = std::vector<bool>;
  using PackedArgs = torch::dynamo::autograd::PackedArgs;
  template <class T>
  using Packer = torch::dynamo::autograd::IValuePacker<T>;

  template <class Field>
  static FieldTraits<Field> traits_of(const Field& /*field*/) {
    return {};
  }
  template <class Tuple>
  struct ValuesOf;
  template <class... Field>
  struct ValuesOf<std::tuple<Field...>> {
    using Type = std::tuple<typename FieldTraits<Field>::Value...>;
  };
  using Values = typename ValuesOf<Saved>::Type;

  template <class Visit>
  void for_each_field(Visit visit) {
    std::apply([&](auto&... field) { (visit(traits_of(field), field), ...); }, saved_);
  }

  variable_list apply(variable_list&& grads) override { return run(grads, wanted(), values()); }

  WantedEdges wanted() const {
    WantedEdges result{};
    for (size_t edge = 0; edge < Rule::kEdges; ++edge) result[edge] = task_should_compute_output(edge);
    return result;
  }

  // Unpacked under the lock: another thread may release the same graph (torch's Note [Thread Safety on Autograd Node]).
  Values values() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::apply([&](const auto&... field) { return Values(traits_of(field).value(field, getptr())...); }, saved_);
  }

  static variable_list run(const variable_list& grads, const WantedEdges& wanted, const Values& values) {
    bool any_defined = false;
    for (const auto& grad : grads) any_defined |= grad.defined();
    if (!any_defined) return variable_list(Rule::kEdges);
    auto result = std::apply([&](const auto&... value) { return Rule::gradients(grads, wanted, value...); }, values);
    return variable_list(std::make_move_iterator(result.begin()), std::make_move_iterator(result.end()));
  }

  // Puts a call of run_packed into the graph that compiled autograd builds, as torch's generated nodes do (torch's NOTE
  // [Compiled Autograd and backward functions]). Bound as a custom function, whose name torch makes unique.
  variable_list traced_call(const variable_list& grads, PyObject* python_compiler) {
    PackedArgs packed;
    const auto edges = wanted();
    packed.pack(PackedWanted(edges.begin(), edges.end()));
    std::apply([&](const auto&... value) { (packed.pack(value), ...); }, values());
    const auto metadata = Packer<std::vector<std::optional<torch::autograd::InputMetadata>>>::pack(
        torch::dynamo::autograd::get_input_metadata(next_edges()));
    const auto& compiler = torch::dynamo::autograd::getPyCompilerInterface();
    static const std::string function =
        compiler->bind_function(python_compiler, Rule::kName, run_packed, packed_types(static_cast<Values*>(nullptr)),
                                /*is_custom_function=*/true, /*is_traceable=*/true);
    return compiler->call_function(python_compiler, "apply_functional", function, grads, packed.vec(), metadata);
  }

  template <class... Value>
  static std::vector<at::TypePtr> packed_types(std::tuple<Value...>* /*values*/) {
    return {Packer<PackedWanted>::packed_type(), Packer<Value>::packed_type()...};
  }
  template <class... Value>
  static std::tuple<Value...> unpacked(PackedArgs& packed, std::tuple<Value...>* /*values*/) {
    return std::tuple<Value...>{packed.unpack<Value>()...};  // braces: from left to right
  }
  static variable_list run_packed(const variable_list& grads, const std::vector<c10::IValue>& arguments) {
    PackedArgs packed(arguments);
    const auto edges = packed.unpack<PackedWanted>();
    WantedEdges wanted{};
    std::copy_n(edges.begin(), std::min(edges.size(), wanted.size()), wanted.begin());
    return run(grads, wanted, unpacked(packed, static_cast<Values*>(nullptr)));
  }

  Saved saved_;
};

}  // namespace myops::autograd
