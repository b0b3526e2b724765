// The registrations of this library: the operators that write into an argument or return a view of it. For all others
// torch's fallthrough on this key is right.
#include <torch/library.h>

#include "inplace_or_view/kernels.h"
#include "myops/impl.h"
#include "myops/ops.h"

namespace myops::inplace_or_view {
namespace {

TORCH_LIBRARY_IMPL(myops, ADInplaceOrView, m) {
  impl<ops::myadd_>(m, myadd_);
  impl<ops::myadd_out>(m, myadd_out);
  impl<ops::diagonal>(m, diagonal);
}

}  // namespace
}  // namespace myops::inplace_or_view
