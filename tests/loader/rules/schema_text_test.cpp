#include "loader/rules/schema_text.h"

#include <gtest/gtest.h>

namespace myops::rules {
namespace {

TEST(SchemaText, NamesOperatorAndNamespace) {
  EXPECT_EQ(operator_of("myops::myadd.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"), "myops::myadd.out");
  EXPECT_EQ(operator_of("no arguments"), "no arguments");
  EXPECT_EQ(namespace_of("myops::myadd.out"), "myops");
  EXPECT_EQ(namespace_of("myadd"), "");
}

TEST(SchemaText, KnowsTorchsOwnOperators) {
  EXPECT_TRUE(is_of_torch("aten::add.out"));
  EXPECT_TRUE(is_of_torch("_c10d_functional::wait_tensor"));
  EXPECT_FALSE(is_of_torch("myops::add"));
  EXPECT_FALSE(is_of_torch("add"));
  EXPECT_FALSE(is_of_torch("aten2::add"));
}

TEST(SchemaText, TakesTheNamespaceOffTheNameOnly) {
  EXPECT_EQ(without_namespace("myops::f(Tensor self) -> Tensor"), "f(Tensor self) -> Tensor");
  EXPECT_EQ(without_namespace("f(Tensor self) -> Tensor"), "f(Tensor self) -> Tensor");
  EXPECT_EQ(without_namespace("f(str s=\"a::b\") -> Tensor"), "f(str s=\"a::b\") -> Tensor");
}

struct Marks {
  const char* schema;
  bool aliases, mutates;
};

TEST(SchemaText, TellsWhichAliasesAreReturned) {
  const auto view = alias_marks("f(Tensor(a -> *) self) -> Tensor(a)[]");
  EXPECT_TRUE(view.returns_view && !view.returns_written);
  const auto written = alias_marks("f.out(Tensor self, str s='->', *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_TRUE(written.returns_written && !written.returns_view);
  const auto neither = alias_marks("f_(Tensor(a!) self, Tensor(b) other) -> Tensor");
  EXPECT_FALSE(neither.returns_written || neither.returns_view);
}

TEST(SchemaText, FindsAliasAnnotations) {
  const Marks kCases[] = {
      {"f(Tensor self, Tensor other) -> Tensor", false, false},
      {"f(Tensor self) -> (Tensor, Tensor)", false, false},
      {"f(Tensor(a) self) -> Tensor(a)", true, false},
      {"f_(Tensor(a!) self) -> Tensor(a!)", true, true},
      {"f_(Tensor(a!) self) -> ()", true, true},
      {"f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", true, true},
      {"f(Tensor(a!)[] out) -> ()", true, true},
      {"f(Tensor[](a!) out) -> ()", true, true},
      {"f(Tensor?(a!) out) -> ()", true, true},
      {"f(Tensor(a -> *) self) -> Tensor(a)[]", true, false},
      {"f(int[1]? dim=None, bool keepdim=False) -> Tensor", false, false},
      {"f(str s='x(a!)') -> Tensor", false, false},
      {"f(str s='it\\'s(a!)') -> Tensor", false, false},
      {"f(str s=\"x(a!)\") -> Tensor", false, false},
      {"f(int[2] size=[1, 2]) -> Tensor", false, false},
      {"f", false, false},
      {"", false, false},
      {"f(Tensor(a!", true, true},
  };
  for (const Marks& expected : kCases) {
    EXPECT_EQ(alias_marks(expected.schema).aliases, expected.aliases) << expected.schema;
    EXPECT_EQ(alias_marks(expected.schema).mutates, expected.mutates) << expected.schema;
  }
}

}  // namespace
}  // namespace myops::rules
