// The reader of torch's dumpState() text, from text alone.
#include "loader/bridge/dump_state.h"

#include <gmock/gmock.h>

#include <set>

namespace myops::bridge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

bool is_key(std::string_view word) {
  static const std::set<std::string_view> keys = {"CPU", "Meta", "Autograd", "CompositeExplicitAutograd"};
  return keys.contains(word);
}

constexpr std::string_view kHead =
    "name: myops::f\n"
    "schema: myops::f(Tensor self) -> Tensor\n"
    "debug: registered at ./schema.cpp:3\n"
    "alias analysis kind: FROM_SCHEMA\n";

TEST(DumpState, ReadsKernelsAndAliases) {
  const auto dump = std::string(kHead) +
                    "CPU: registered at ./a.cpp:1 :: (Tensor _0) -> Tensor _0 [ boxed unboxed ]\n"
                    "Autograd[alias]: registered at ./b.cpp:2 :: (none) [ fallthrough boxed ]\n";
  EXPECT_THAT(parse_kernels(dump, is_key),
              ElementsAre(Pair("CPU", "registered at ./a.cpp:1 :: (Tensor _0) -> Tensor _0 [ boxed unboxed ]"),
                          Pair("Autograd", "registered at ./b.cpp:2 :: (none) [ fallthrough boxed ]")));
}

TEST(DumpState, LeavesOutWhatALaterRegistrationCovers) {
  const auto dump = std::string(kHead) +
                    "Meta: registered at ./new.cpp:1 :: (none) [ boxed ]\n"
                    "Meta (inactive): registered at ./old.cpp:1 :: (none) [ boxed ]\n"
                    "Autograd[alias]: registered at ./new.cpp:2 :: (none) [ boxed ]\n"
                    "Autograd[alias] (inactive): registered at ./old.cpp:2 :: (none) [ boxed ]\n";
  EXPECT_THAT(parse_kernels(dump, is_key),
              ElementsAre(Pair("Meta", "registered at ./new.cpp:1 :: (none) [ boxed ]"),
                          Pair("Autograd", "registered at ./new.cpp:2 :: (none) [ boxed ]")));
}

TEST(DumpState, KeepsRegistrationTextOfSeveralLinesTogether) {
  const auto dump = std::string(kHead) +
                    "CPU: registered by\nsomebody: at home :: (none) [ boxed ]\n"
                    "Meta (inactive): registered by\nnobody\n"
                    "Meta: last :: (none) [ boxed ]";
  EXPECT_THAT(parse_kernels(dump, is_key),
              ElementsAre(Pair("CPU", "registered by\nsomebody: at home :: (none) [ boxed ]"),
                          Pair("Meta", "last :: (none) [ boxed ]")));
}

TEST(DumpState, FindsNothingWhereThereIsNothing) {
  EXPECT_THAT(parse_kernels("", is_key), IsEmpty());
  EXPECT_THAT(parse_kernels(kHead, is_key), IsEmpty());
  EXPECT_THAT(parse_kernels("\n\n: \nCPU\nCPU:", is_key), IsEmpty());
}

}  // namespace
}  // namespace myops::bridge
