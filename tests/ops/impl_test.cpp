// Which C++ signatures myops::impl takes for an operator. That it refuses the others at compile time is its
// static_assert on the same constant.
#include "myops/impl.h"

#include <gtest/gtest.h>

#include "myops/ops.h"

namespace myops {
namespace {

using at::Tensor;
using Schema = ops::rms_norm::Schema;

TEST(Impl, TakesTheSchemaWithOrWithoutAKeySet) {
  EXPECT_TRUE((detail::kMatches<Schema, Tensor(const Tensor&, const std::optional<Tensor>&, double)>));
  EXPECT_TRUE(
      (detail::kMatches<Schema, Tensor(c10::DispatchKeySet, const Tensor&, const std::optional<Tensor>&, double)>));
}

TEST(Impl, RefusesWhatTorchWouldDieOf) {
  EXPECT_FALSE((detail::kMatches<Schema, Tensor(Tensor, const std::optional<Tensor>&, double)>));
  EXPECT_FALSE((detail::kMatches<Schema, Tensor(const Tensor&, std::optional<Tensor>, double)>));
  EXPECT_FALSE((detail::kMatches<Schema, Tensor(const Tensor&, const std::optional<Tensor>&, float)>));
  EXPECT_FALSE((detail::kMatches<Schema, Tensor(const Tensor&, const std::optional<Tensor>&)>));
  EXPECT_FALSE((detail::kMatches<Schema, Tensor(const Tensor&, const Tensor&, double)>));
  EXPECT_FALSE((detail::kMatches<ops::myadd_::Schema, Tensor(Tensor&, const Tensor&)>));
}

TEST(Impl, TakesTheFormWithoutSymInt) {
  using Symbolic = Tensor(const Tensor&, c10::SymInt, c10::SymIntArrayRef);
  EXPECT_TRUE((detail::kMatches<Symbolic, Symbolic>));
  EXPECT_TRUE((detail::kMatches<Symbolic, Tensor(const Tensor&, int64_t, at::IntArrayRef)>));
  EXPECT_TRUE((detail::kMatches<Symbolic, Tensor(c10::DispatchKeySet, const Tensor&, int64_t, at::IntArrayRef)>));
  EXPECT_FALSE((detail::kMatches<Symbolic, Tensor(const Tensor&, int64_t, c10::SymIntArrayRef)>));
}

TEST(Impl, NamesTheOverload) {
  EXPECT_EQ(detail::qualified_name<ops::myadd>(), "myops::myadd");
  EXPECT_EQ(detail::qualified_name<ops::myadd_out>(), "myops::myadd.out");
}

TEST(TypedCaller, SaysWhichLibraryIsMissing) {
  try {
    myops::myadd(Tensor(), Tensor());
    FAIL() << "no library defines the operator here";
  } catch (const c10::Error& error) {
    EXPECT_EQ(error.msg(), "operator myops::myadd is not defined: the library myops_schema is not loaded");
  }
}

}  // namespace
}  // namespace myops
