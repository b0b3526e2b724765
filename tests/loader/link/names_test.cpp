// Mangled names: their scopes, what they can expand to, and demangling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "loader/link/closure.h"
#include "loader/link/demangle.h"
#include "loader/link/expansion.h"
#include "loader/link/mangled.h"

namespace myops::link {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

std::vector<std::string_view> scopes(std::string_view mangled) {
  const EnclosingScopes found(mangled);
  return {found.begin(), found.end()};
}

TEST(EnclosingScopes, OfMangledNames) {
  EXPECT_THAT(scopes("_ZN3c1010Dispatcher4callEv"), ElementsAre("3c1010Dispatcher", "3c10"));
  EXPECT_THAT(scopes("_ZNK2at6Tensor3addERKS0_"), ElementsAre("2at6Tensor", "2at"));
  EXPECT_THAT(scopes("_ZNVKR1A1fEv"), ElementsAre("1A"));
  EXPECT_THAT(scopes("_ZN3c105ErrorC1Ev"), ElementsAre("3c105Error", "3c10"));
  EXPECT_THAT(scopes("_ZTVN3c105ErrorE"), ElementsAre("3c105Error", "3c10"));
  EXPECT_THAT(scopes("_ZTIN3c105ErrorE"), ElementsAre("3c105Error", "3c10"));
  EXPECT_THAT(scopes("_ZGVN1A1xE"), ElementsAre("1A"));
  EXPECT_THAT(scopes("_ZNSt6vectorIiSaIiEE4sizeEv"), ElementsAre("St6vector", "St"));
  EXPECT_THAT(scopes("_ZN1a1b1c1d1e1f1g1hEv"),
              ElementsAre("1a1b1c1d1e1f", "1a1b1c1d1e", "1a1b1c1d", "1a1b1c", "1a1b", "1a"));
}

TEST(EnclosingScopes, OfOthersThereAreNone) {
  for (const char* name :
       {"", "printf", "_Z", "_ZN", "_Z4mainv", "_ZN99xE", "_ZNK", "_ZN18446744073709551616xE", "_ZN0E", "PyList_New"}) {
    EXPECT_THAT(scopes(name), IsEmpty()) << name;
  }
}

TEST(Demangle, Names) {
  EXPECT_EQ(demangle("_ZN3c1017C10_LAZY_GLOBAL_XEv"), "c10::C10_LAZY_GLOBAL_X()");
  EXPECT_EQ(demangle("_ZNK5torch8autograd13SavedVariable6unpackESt10shared_ptrINS0_4NodeEE"),
            "torch::autograd::SavedVariable::unpack(std::shared_ptr<torch::autograd::Node>) const");
  EXPECT_EQ(demangle("_ZN2at6TensoraSERKS0_"), "at::Tensor::operator=(at::Tensor const&)");
  EXPECT_EQ(demangle("_ZN2at6TensormIERKS0_"), "at::Tensor::operator-=(at::Tensor const&)");
}

TEST(Demangle, WhatIsNoMangledNameStays) {
  for (const char* name : {"", "i", "printf", "_Z", "_ZN", "_ZN99xE", "_ZN3c10"}) EXPECT_EQ(demangle(name), name);
}

// A name with 20 parameters that repeat: long, and harmless.
TEST(Demangle, ManyFlatSubstitutions) {
  std::string name = "_ZN2at4convERKNS_6TensorE";
  std::string expected = "at::conv(at::Tensor const&";
  for (int i = 0; i < 20; ++i) {
    name += "S2_";
    expected += ", at::Tensor const&";
  }
  EXPECT_EQ(demangle(name), expected + ")");
}

// f(A<int, int>, A<A<int, int>, A<int, int>>, …): each type twice the one before.
std::string doubling(int levels) {
  std::string name = "_Z1f1AIiiE";
  for (int i = 1; i < levels; ++i) {
    constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string digits;
    for (int rest = i - 1;; rest = rest / 36 - 1) {
      digits.insert(digits.begin(), kDigits[rest % 36]);
      if (rest < 36) break;
    }
    const std::string earlier = "S" + digits + "_";
    name += "S_I" + earlier + earlier + "E";
  }
  return name;
}

TEST(Demangle, AFewDoublingsAreFine) {
  EXPECT_EQ(demangle(doubling(2)), "f(A<int, int>, A<A<int, int>, A<int, int> >)");
}

TEST(Demangle, NamesThatExpandBeyondReasonStayAsTheyAre) {
  for (const int levels : {24, 30, 36}) {
    const std::string name = doubling(levels);
    EXPECT_LT(name.size(), 500U);
    EXPECT_GT(demangled_bound(name), std::uint64_t{1} << levels);
    EXPECT_EQ(demangle(name), name);
  }
}

TEST(Demangle, DoublingInOtherGuises) {
  std::string nested = "_Z1f";  // A<A<A<…>, S_>, S0_>
  for (int i = 0; i < 30; ++i) nested += "1AI";
  nested += "i";
  for (int i = 0; i < 30; ++i)
    nested += i == 0 ? "iE" : "S" + std::string(1, static_cast<char>(i <= 10 ? '0' + i - 1 : 'A' + i - 11)) + "_E";
  std::string members = "_Z1f1A";  // pointers to members: A A::*, …
  std::string functions = "_Z1f1A";
  for (int i = 0; i < 30; ++i) {
    const std::string earlier =
        i == 0 ? "S_" : "S" + std::string(1, static_cast<char>(i <= 10 ? '0' + i - 1 : 'A' + i - 11)) + "_";
    members += "M" + earlier + earlier;
    functions += "F" + earlier + earlier + "E";
  }
  for (const std::string& name : {nested, members, functions}) {
    EXPECT_GT(demangled_bound(name), std::uint64_t{1} << 26) << name;
    EXPECT_EQ(demangle(name), name);
  }
}

TEST(Demangle, ABudgetForMany) {
  const std::string name = doubling(6);
  Demangler demangled;
  int done = 0;
  while (done < 100000 && demangled(name) != name) ++done;
  EXPECT_GT(done, 1000);
  EXPECT_LT(done, 100000) << "the budget ends";
  EXPECT_EQ(demangled("_Z1fv"), "_Z1fv");
}

TEST(Demangle, OverlongNamesStay) {
  const std::string name = "_ZN5000" + std::string(5000, 'x') + "1fEv";
  EXPECT_EQ(demangle(name), name);
}

}  // namespace
}  // namespace myops::link
