// Gradient of the sum: the incoming one, repeated over the summed dimensions.
#include "myops/ops/sum.h"

#include <ATen/WrapDimUtilsMulti.h>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct SumGradient {
  static constexpr const char* kName = "SumBackward";
  static constexpr size_t kEdges = 1;
  using Saved = std::tuple<std::vector<c10::SymInt>, std::vector<int64_t>, bool>;  // sizes of self; dim; keepdim

  static Gradients<1> gradients(const variable_list& grads, const Wanted<1>& /*wanted*/,
                                const std::vector<c10::SymInt>& sizes, const std::vector<int64_t>& dim, bool keepdim) {
    auto grad = grads[0];
    const bool all_dimensions = dim.empty();
    if (!keepdim && !all_dimensions && !sizes.empty()) {
      const auto summed = at::dim_list_to_bitset(dim, sizes.size());
      for (size_t d = 0; d < sizes.size(); ++d) {
        if (summed[d]) grad = grad.unsqueeze(static_cast<int64_t>(d));
      }
    }
    return {grad.expand_symint(sizes)};
  }
};

}  // namespace

at::Tensor sum(c10::DispatchKeySet keys, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
  refuse_tangents<ops::sum>(self);
  if (!needs_gradient(self)) return below_autograd<ops::sum>(keys, self, dim, keepdim);
  const auto node = make_node<SumGradient>(self);
  auto result = below_autograd<ops::sum>(keys, self, dim, keepdim);
  attach(node, result);
  complete(node, self.sym_sizes().vec(), dim.has_value() ? dim->vec() : std::vector<int64_t>(), keepdim);
  return result;
}

}  // namespace myops::autograd
