// The bridge's snapshots against what torch itself answers. The dispatcher belongs to the process: CTest runs each TEST
// in one of its own.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <torch/library.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loader/bridge/bridge_c.h"
#include "tests/loader/bridge/told.h"

namespace {

using c10::DispatchKey;
using myops::testing::ask;
using myops::testing::Question;
using myops::testing::Texts;
using testing::_;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Pair;

at::Tensor keep(const at::Tensor& self, double) { return self; }
at::Tensor keep_sizes(const at::Tensor& self, c10::SymIntArrayRef) { return self; }
at::Tensor keep_ints(const at::Tensor& self, at::IntArrayRef) { return self; }
void keep_boxed(const c10::OperatorHandle&, torch::jit::Stack*) {}

}  // namespace

TORCH_LIBRARY(bridged, m) {
  m.def("keep(Tensor self, float factor=1e-06) -> Tensor");
  m.def("keep.sizes(Tensor self, SymInt[] sizes=[1,2]) -> Tensor");
  m.def("boxed(Tensor self, str mode='none') -> Tensor");
}
TORCH_LIBRARY_IMPL(bridged, CPU, m) {
  m.impl("keep", keep);
  m.impl("keep.sizes", keep_sizes);
  m.impl("boxed", torch::CppFunction::makeFromBoxedFunction<&keep_boxed>());
}
TORCH_LIBRARY_IMPL(bridged, Meta, m) { m.impl("keep.sizes", keep_ints); }
TORCH_LIBRARY_IMPL(bridged, Autograd, m) { m.impl("keep", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(bridged, CUDA, m) { m.impl("misspelt", keep); }

namespace {

constexpr Question kEverything = {MYOPS_ASK_EVERYTHING, nullptr, nullptr};
constexpr Question kSignatures = {MYOPS_ASK_SIGNATURES, nullptr, nullptr};
constexpr Question kNamespace = {MYOPS_ASK_NAMESPACE, "bridged", nullptr};

Question kernel(const char* op, const char* key) { return {MYOPS_ASK_KERNEL, op, key}; }

std::string name_of(const c10::OperatorName& name) { return c10::toString(name); }

std::set<std::string> operators_with(const std::map<std::string, Texts>& kernels, const std::string& key) {
  std::set<std::string> names;
  for (const auto& [op, texts] : kernels) {
    if (texts.contains(key)) names.insert(op);
  }
  return names;
}

std::set<std::string> registered_on(DispatchKey key) {
  std::set<std::string> names;
  for (const auto& name : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(key)) names.insert(name_of(name));
  return names;
}

TEST(Snapshot, HoldsEveryKernelThatTorchLists) {
  const auto all = ask({kEverything});
  for (const auto key : {DispatchKey::CPU, DispatchKey::Meta, DispatchKey::Autograd, DispatchKey::AutocastCPU,
                         DispatchKey::ADInplaceOrView, DispatchKey::CompositeExplicitAutograd,
                         DispatchKey::CompositeImplicitAutograd, DispatchKey::CUDA}) {
    SCOPED_TRACE(c10::toString(key));
    const auto expected = registered_on(key);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(operators_with(all.kernels, c10::toString(key)), expected);
  }
}

TEST(Snapshot, HoldsEverySchemaAsTorchPrintsIt) {
  const auto all = ask({kEverything});
  std::size_t with_schema = 0;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto handle = c10::Dispatcher::singleton().findSchema(name);
    if (!handle) continue;
    ++with_schema;
    ASSERT_EQ(all.schemas.at(name_of(name)), c10::toString(handle->schema()));
    ASSERT_EQ(all.defined_at.at(name_of(name)), handle->debug());
  }
  EXPECT_EQ(all.schemas.size(), with_schema);
  EXPECT_GT(with_schema, 2000U);
}

TEST(Snapshot, HoldsOneNamespaceAlone) {
  const auto told = ask({kNamespace});
  EXPECT_EQ(told.status, 0);
  const Texts schemas = {{"bridged::boxed", "bridged::boxed(Tensor self, str mode=\"none\") -> Tensor"},
                         {"bridged::keep", "bridged::keep(Tensor self, float factor=9.9999999999999995e-07) -> Tensor"},
                         {"bridged::keep.sizes", "bridged::keep.sizes(Tensor self, SymInt[] sizes=[1, 2]) -> Tensor"}};
  EXPECT_EQ(told.schemas, schemas);
  EXPECT_THAT(told.dangling, ElementsAre("bridged::misspelt"));
  EXPECT_EQ(operators_with(told.kernels, "CPU"),
            (std::set<std::string>{"bridged::boxed", "bridged::keep", "bridged::keep.sizes"}));
}

TEST(Snapshot, HoldsAnOperatorWithAllItsKeys) {
  const auto told =
      ask({{MYOPS_ASK_OPERATOR, "bridged::keep", nullptr}, {MYOPS_ASK_OPERATOR, "bridged::none", nullptr}});
  EXPECT_THAT(told.schemas, ElementsAre(Pair("bridged::keep", HasSubstr("factor"))));
  ASSERT_THAT(told.kernels, ElementsAre(Pair("bridged::keep", testing::SizeIs(2))));
  EXPECT_THAT(told.kernels.at("bridged::keep"), ElementsAre(Pair("Autograd", _), Pair("CPU", _)));
  EXPECT_THAT(told.dangling, testing::IsEmpty());
}

TEST(Snapshot, TellsTheFormOfAKernelByTorchsText) {
  const auto kernels = ask({kNamespace}).kernels;
  const auto text = [&](const char* op, const char* key) { return kernels.at(op).at(key); };
  EXPECT_THAT(text("bridged::keep", "CPU"), MatchesRegex("registered at .*snapshot_test.cpp:[0-9]+ :: \\(Tensor _0, "
                                                         "float _1\\) -> Tensor _0 \\[ boxed unboxed \\]"));
  EXPECT_THAT(text("bridged::keep.sizes", "CPU"), HasSubstr(":: (Tensor _0, SymInt[] _1) -> Tensor _0 [ boxed ]"));
  EXPECT_THAT(text("bridged::boxed", "CPU"), HasSubstr(":: (none) [ boxed ]"));
  EXPECT_THAT(text("bridged::keep", "Autograd"), HasSubstr(":: (none) [ fallthrough boxed ]"));
}

TEST(Snapshot, KeepsIntAndSymIntSignaturesApart) {
  const auto told = ask({kNamespace, kSignatures});
  EXPECT_EQ(told.cpp.at("bridged::keep"), "at::Tensor (at::Tensor const&, double)");
  EXPECT_EQ(told.cpp.at("bridged::keep.sizes"), "at::Tensor (at::Tensor const&, c10::ArrayRef<long>)");
  EXPECT_FALSE(told.cpp.contains("bridged::boxed"));
  EXPECT_THAT(told.cpp_symint,
              ElementsAre(Pair("bridged::keep.sizes", "at::Tensor (at::Tensor const&, c10::ArrayRef<c10::SymInt>)")));
}

TEST(Snapshot, LeavesSignaturesOutWhereNotAskedFor) {
  const auto told = ask({kNamespace});
  EXPECT_THAT(told.cpp, testing::IsEmpty());
  EXPECT_THAT(told.cpp_symint, testing::IsEmpty());
}

TEST(Snapshot, AnswersOnlyTheKernelsAskedFor) {
  const auto told =
      ask({kernel("bridged::keep", "CPU"), kernel("bridged::keep", "CUDA"), kernel("bridged::none", "CPU")});
  EXPECT_THAT(told.kernels, ElementsAre(Pair("bridged::keep", ElementsAre(Pair("CPU", _)))));
  EXPECT_THAT(told.schemas, testing::SizeIs(1));
  EXPECT_THAT(told.defined_at, testing::SizeIs(1));
  EXPECT_THAT(told.dangling, testing::IsEmpty());
  EXPECT_THAT(told.libraries, testing::IsEmpty());
}

TEST(Snapshot, AnswersTheOperatorAloneForAnEmptyKey) {
  const auto told = ask({kernel("aten::mul.Tensor", "")});
  EXPECT_THAT(told.schemas, ElementsAre(Pair("aten::mul.Tensor", _)));
  EXPECT_THAT(told.kernels, testing::IsEmpty());
}

TEST(Snapshot, ReportsADanglingKernelThatIsAskedFor) {
  const auto told = ask({kernel("bridged::misspelt", "CUDA")});
  EXPECT_THAT(told.dangling, ElementsAre("bridged::misspelt"));
  EXPECT_THAT(told.schemas, testing::IsEmpty());
  EXPECT_THAT(told.kernels, ElementsAre(Pair("bridged::misspelt", testing::SizeIs(1))));
}

TEST(Snapshot, ShowsTheKernelThatIsInForce) {
  const auto text = [] { return ask({kernel("bridged::keep", "CPU")}).kernels.at("bridged::keep").at("CPU"); };
  const auto first = text();
  {
    torch::Library later(torch::Library::IMPL, "bridged", DispatchKey::CPU, "later.cpp", 7);
    later.impl("keep", keep);
    EXPECT_THAT(text(), testing::StartsWith("registered at later.cpp:7 ::"));
  }
  EXPECT_EQ(text(), first);
}

TEST(Snapshot, TellsWhichNamespacesHaveTheirLibrary) {
  const auto libraries = [] {
    std::vector<Question> questions;
    for (const char* name : {"bridged", "bridged_fragment", "bridged_later", "aten"}) {
      questions.push_back({MYOPS_ASK_LIBRARY, name, nullptr});
    }
    return ask(questions).libraries;
  };
  const torch::Library fragment(torch::Library::FRAGMENT, "bridged_fragment", std::nullopt, "fragment.cpp", 3);
  EXPECT_THAT(libraries(), ElementsAre(Pair("aten", HasSubstr("registered at ")),
                                       Pair("bridged", MatchesRegex("registered at .*snapshot_test.cpp:[0-9]+"))));
  // Asking leaves the namespace free.
  const torch::Library later(torch::Library::DEF, "bridged_later", std::nullopt, "later.cpp", 7);
  EXPECT_EQ(libraries().at("bridged_later"), "registered at later.cpp:7");
  EXPECT_EQ(ask({kEverything}).libraries.count("bridged"), 1U);
}

TEST(Snapshot, AnswersSeveralQuestionsAtOnce) {
  const auto told = ask({kNamespace,
                         kSignatures,
                         kernel("aten::add.Tensor", "CPU"),
                         kernel("bridged::keep", "CUDA"),
                         {MYOPS_ASK_LIBRARY, "aten", nullptr}});
  EXPECT_THAT(told.kernels.at("aten::add.Tensor"), testing::SizeIs(1));
  EXPECT_TRUE(told.cpp.contains("aten::add.Tensor"));
  EXPECT_TRUE(told.kernels.at("bridged::keep").contains("CPU")) << "a namespace is whole";
  EXPECT_THAT(told.libraries, testing::SizeIs(1));
}

TEST(Snapshot, ListsKeysWithAFallback) {
  const auto fallbacks = [] { return ask({}).fallbacks; };
  const auto before = fallbacks();
  EXPECT_THAT(before, testing::Contains("ADInplaceOrView"));
  EXPECT_THAT(before, testing::Not(testing::Contains("PrivateUse2")));
  torch::Library library(torch::Library::IMPL, "_", DispatchKey::PrivateUse2, "here.cpp", 1);
  library.fallback(torch::CppFunction::makeFallthrough());
  EXPECT_THAT(fallbacks(), testing::Contains("PrivateUse2"));
  EXPECT_EQ(fallbacks().size(), before.size() + 1);
}

TEST(Snapshot, MayRunWhileOtherThreadsCallOperators) {
  const auto keep_op = c10::Dispatcher::singleton().findSchemaOrThrow("bridged::keep", "").typed<decltype(keep)>();
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> calls = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      const auto one = at::ones({2});
      while (!stop) {
        EXPECT_TRUE(keep_op.call(one, 1.0).is_same(one));
        EXPECT_EQ(at::add(one, one).sum().item<double>(), 4.0);
        ++calls;
      }
    });
  }
  while (calls == 0) std::this_thread::yield();
  const std::vector<Question> many = {kNamespace, {MYOPS_ASK_NAMESPACE, "aten", nullptr}};
  const std::vector<Question> typed = {kNamespace, kSignatures};
  const auto first_many = ask(many), first_typed = ask(typed);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(many), first_many);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(ask(typed), first_typed);
  stop = true;
  for (auto& caller : callers) caller.join();
  EXPECT_GT(calls, 0);
}

TEST(Snapshot, AnswersABadQuestionWithAnError) {
  const auto unknown = ask({{99, "a", "b"}});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_EQ(unknown.error, "unknown question 99");
  for (const int question : {MYOPS_ASK_NAMESPACE, MYOPS_ASK_OPERATOR, MYOPS_ASK_KERNEL, MYOPS_ASK_LIBRARY}) {
    const auto nameless = ask({{question, nullptr, nullptr}});
    EXPECT_EQ(nameless.status, 1) << question;
    EXPECT_EQ(nameless.error, "a question without a name") << question;
  }
  EXPECT_EQ(ask({{MYOPS_ASK_KERNEL, "bridged::keep", nullptr}}).status, 1);
  EXPECT_EQ(myops_bridge_abi(), MYOPS_BRIDGE_ABI);
}

}  // namespace
