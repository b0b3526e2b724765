// What a library registered, as the difference of two snapshots written by hand.
#include <gmock/gmock.h>

#include "loader/system/stamp_registrations.h"

namespace myops::system {
namespace {

using rules::DispatcherState;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr const char* kUnboxedText = "registered at ./a.cpp:1 :: (Tensor _0) -> Tensor _0 [ boxed unboxed ]";
constexpr const char* kSymIntText = "registered at ./a.cpp:2 :: (Tensor _0, SymInt[] _1) -> Tensor _0 [ boxed ]";
constexpr const char* kBoxedText = "registered at ./a.cpp:3 :: (none) [ boxed ]";
constexpr const char* kFallthroughText = "registered at ./a.cpp:4 :: (none) [ fallthrough boxed ]";

DispatcherState with_schema() {
  DispatcherState state;
  state.schemas = {{"ns::f", "ns::f(Tensor self) -> Tensor"}, {"aten::g", "aten::g(Tensor self) -> Tensor"}};
  state.kernels[{"aten::g", "CPU"}] = "registered by torch :: (none) [ boxed ]";
  state.fallbacks = {"ADInplaceOrView", "Python"};
  return state;
}

TEST(Registrations, AreEmptyBetweenEqualStates) {
  const auto state = with_schema();
  const auto added = difference(state, state);
  EXPECT_TRUE(added.empty());
  EXPECT_THAT(added.schemas, IsEmpty());
  EXPECT_THAT(added.namespaces(), IsEmpty());
  EXPECT_THAT(new_kernels(state, state), IsEmpty());
}

TEST(Registrations, GiveEachKernelItsSchemaAndTheSignatureOfItsForm) {
  auto after = with_schema();
  after.kernels[{"ns::f", "CPU"}] = kUnboxedText;
  after.kernels[{"ns::f", "Meta"}] = kSymIntText;
  after.kernels[{"ns::f", "CUDA"}] = kBoxedText;
  after.kernels[{"ns::f", "AutocastCPU"}] = kFallthroughText;
  after.cpp = {{"ns::f", "plain"}};
  after.cpp_symint = {{"ns::f", "symbolic"}};
  const auto added = difference(with_schema(), after);
  ASSERT_EQ(added.kernels.size(), 4U);
  const auto record = [&](const char* key) { return added.kernels.at(key).at("ns::f"); };
  for (const auto* key : {"CPU", "Meta", "CUDA", "AutocastCPU"}) {
    EXPECT_EQ(record(key).schema, "f(Tensor self) -> Tensor") << key;
    EXPECT_EQ(record(key).registered, after.kernels.at({"ns::f", key})) << key;
    EXPECT_EQ(record(key).cpp, std::string(key) == "CPU" ? "plain" : "") << key;
    EXPECT_EQ(record(key).cpp_symint, std::string(key) == "Meta" ? "symbolic" : "") << key;
  }
}

TEST(Registrations, SeeAKernelPutOverAnother) {
  auto after = with_schema();
  after.kernels[{"aten::g", "CPU"}] = kUnboxedText;
  EXPECT_THAT(new_kernels(with_schema(), after), ElementsAre(Pair("aten::g", "CPU")));
  EXPECT_EQ(difference(with_schema(), after).kernels.at("CPU").at("aten::g").schema, "g(Tensor self) -> Tensor");
}

TEST(Registrations, HoldDefinitionsFallbacksAndDanglingOperators) {
  auto before = with_schema();
  before.dangling = {"other::old"};
  auto after = before;
  after.schemas["ns::h.out"] = "ns::h.out(Tensor self) -> Tensor";
  after.schemas["two::a"] = "two::a() -> ()";
  after.fallbacks = {"Python", "PrivateUse1", "ADInplaceOrView"};
  after.dangling = {"ns::misspelt", "other::old"};
  before.libraries = {{"ns", "registered at a.cpp:1"}};
  after.libraries = {{"ns", "registered at a.cpp:1"}, {"two", "registered at b.cpp:1"}};
  const auto added = difference(before, after);
  EXPECT_THAT(added.defines, ElementsAre("ns::h.out(Tensor self) -> Tensor", "two::a() -> ()"));
  EXPECT_THAT(added.libraries, ElementsAre("two"));
  EXPECT_THAT(added.fallbacks, ElementsAre("PrivateUse1"));
  EXPECT_THAT(added.dangling, ElementsAre("ns::misspelt"));
  EXPECT_THAT(added.namespaces(), ElementsAre("ns", "two"));
}

TEST(Registrations, ListEverySchemaOfTheNamespacesTouched) {
  auto after = with_schema();
  after.kernels[{"ns::f", "CPU"}] = kUnboxedText;
  EXPECT_THAT(difference(with_schema(), after).schemas, ElementsAre("ns::f(Tensor self) -> Tensor"));
}

TEST(KernelForm, IsReadFromTheEndOfTheText) {
  EXPECT_EQ(kernel_form(kUnboxedText), KernelForm::kUnboxed);
  EXPECT_EQ(kernel_form(kSymIntText), KernelForm::kSymInt);
  EXPECT_EQ(kernel_form(kBoxedText), KernelForm::kBoxed);
  EXPECT_EQ(kernel_form(kFallthroughText), KernelForm::kFallthrough);
  EXPECT_EQ(kernel_form("registered at unboxed.cpp:1 :: (none) [ boxed ]"), KernelForm::kBoxed);
  EXPECT_EQ(kernel_form(""), KernelForm::kBoxed);
}

}  // namespace
}  // namespace myops::system
