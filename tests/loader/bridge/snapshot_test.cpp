// The bridge's snapshots against what torch itself answers. The dispatcher belongs to the process: CTest runs each TEST
// in one of its own.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <torch/library.h>
#include <torch/version.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loader/bridge/bridge_c.h"

namespace {

using c10::DispatchKey;
using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

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

json ask(const json& request) {
  const std::unique_ptr<char, decltype(&myops_bridge_free)> text(myops_bridge_snapshot(request.dump().c_str()),
                                                                 myops_bridge_free);
  return json::parse(text.get());
}

// A vector, since nlohmann takes a list of pairs of strings for an object.
json ask_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  return ask({{"scope", "pairs"}, {"pairs", pairs}});
}

std::string error_of(const char* request) {
  const std::unique_ptr<char, decltype(&myops_bridge_free)> text(myops_bridge_snapshot(request), myops_bridge_free);
  return json::parse(text.get()).at("error");
}

std::string name_of(const c10::OperatorName& name) { return c10::toString(name); }

std::set<std::string> operators_with(const json& kernels, const std::string& key) {
  std::set<std::string> names;
  for (const auto& [op, texts] : kernels.items()) {
    if (texts.contains(key)) names.insert(op);
  }
  return names;
}

std::set<std::string> registered_on(DispatchKey key) {
  std::set<std::string> names;
  for (const auto& name : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(key)) names.insert(name_of(name));
  return names;
}

TEST(Snapshot, NamesTheTorchThatRuns) {
  const std::unique_ptr<char, decltype(&myops_bridge_free)> text(myops_bridge_torch(), myops_bridge_free);
  const auto facts = json::parse(text.get());
  EXPECT_EQ(facts.at("version"), TORCH_VERSION);
  EXPECT_THAT(facts.at("git").get<std::string>(), MatchesRegex("[0-9a-f]{40}"));
  EXPECT_EQ(facts.at("cxx11_abi"), "new");
  EXPECT_TRUE(facts.at("cuda").is_string());
}

TEST(Snapshot, HoldsEveryKernelThatTorchLists) {
  const auto all = ask({{"scope", "all"}, {"signatures", false}});
  for (const auto key : {DispatchKey::CPU, DispatchKey::Meta, DispatchKey::Autograd, DispatchKey::AutocastCPU,
                         DispatchKey::ADInplaceOrView, DispatchKey::CompositeExplicitAutograd,
                         DispatchKey::CompositeImplicitAutograd, DispatchKey::CUDA}) {
    SCOPED_TRACE(c10::toString(key));
    const auto expected = registered_on(key);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(operators_with(all.at("kernels"), c10::toString(key)), expected);
  }
}

TEST(Snapshot, HoldsEverySchemaAsTorchPrintsIt) {
  const auto all = ask({{"scope", "all"}, {"signatures", false}});
  std::size_t with_schema = 0;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto handle = c10::Dispatcher::singleton().findSchema(name);
    if (!handle) continue;
    ++with_schema;
    ASSERT_EQ(all.at("schemas").at(name_of(name)), c10::toString(handle->schema()));
    ASSERT_EQ(all.at("defined_at").at(name_of(name)), handle->debug());
  }
  EXPECT_EQ(all.at("schemas").size(), with_schema);
  EXPECT_GT(with_schema, 2000U);
}

TEST(Snapshot, HoldsOneNamespaceAlone) {
  const auto state = ask({{"scope", "namespaces"}, {"namespaces", {"bridged"}}});
  const json schemas = {{"bridged::boxed", "bridged::boxed(Tensor self, str mode=\"none\") -> Tensor"},
                        {"bridged::keep", "bridged::keep(Tensor self, float factor=9.9999999999999995e-07) -> Tensor"},
                        {"bridged::keep.sizes", "bridged::keep.sizes(Tensor self, SymInt[] sizes=[1, 2]) -> Tensor"}};
  EXPECT_EQ(state.at("schemas"), schemas);
  EXPECT_EQ(state.at("dangling"), json({"bridged::misspelt"}));
  EXPECT_EQ(operators_with(state.at("kernels"), "CPU"),
            (std::set<std::string>{"bridged::boxed", "bridged::keep", "bridged::keep.sizes"}));
}

TEST(Snapshot, TellsTheFormOfAKernelByTorchsText) {
  const auto kernels = ask({{"scope", "namespaces"}, {"namespaces", {"bridged"}}}).at("kernels");
  const auto text = [&](const char* op, const char* key) { return kernels.at(op).at(key).get<std::string>(); };
  EXPECT_THAT(text("bridged::keep", "CPU"), MatchesRegex("registered at .*snapshot_test.cpp:[0-9]+ :: \\(Tensor _0, "
                                                         "float _1\\) -> Tensor _0 \\[ boxed unboxed \\]"));
  EXPECT_THAT(text("bridged::keep.sizes", "CPU"), HasSubstr(":: (Tensor _0, SymInt[] _1) -> Tensor _0 [ boxed ]"));
  EXPECT_THAT(text("bridged::boxed", "CPU"), HasSubstr(":: (none) [ boxed ]"));
  EXPECT_THAT(text("bridged::keep", "Autograd"), HasSubstr(":: (none) [ fallthrough boxed ]"));
}

TEST(Snapshot, KeepsIntAndSymIntSignaturesApart) {
  const auto state = ask({{"scope", "namespaces"}, {"namespaces", {"bridged"}}});
  EXPECT_EQ(state.at("cpp").at("bridged::keep"), "at::Tensor (at::Tensor const&, double)");
  EXPECT_EQ(state.at("cpp").at("bridged::keep.sizes"), "at::Tensor (at::Tensor const&, c10::ArrayRef<long>)");
  EXPECT_EQ(state.at("cpp_symint").at("bridged::keep.sizes"),
            "at::Tensor (at::Tensor const&, c10::ArrayRef<c10::SymInt>)");
  EXPECT_FALSE(state.at("cpp_symint").contains("bridged::keep"));
  EXPECT_FALSE(state.at("cpp").contains("bridged::boxed"));
}

TEST(Snapshot, AnswersOnlyThePairsAskedFor) {
  const auto state = ask_pairs({{"bridged::keep", "CPU"}, {"bridged::keep", "CUDA"}, {"bridged::none", "CPU"}});
  EXPECT_EQ(state.at("kernels").size(), 1U);
  EXPECT_EQ(state.at("kernels").at("bridged::keep").size(), 1U);
  EXPECT_TRUE(state.at("kernels").at("bridged::keep").contains("CPU"));
  EXPECT_EQ(state.at("schemas").size(), 1U);
  EXPECT_EQ(state.at("defined_at").size(), 1U);
  EXPECT_TRUE(state.at("dangling").empty());
}

TEST(Snapshot, ReportsADanglingKernelAmongThePairs) {
  const auto state = ask_pairs({{"bridged::misspelt", "CUDA"}});
  EXPECT_EQ(state.at("dangling"), json({"bridged::misspelt"}));
  EXPECT_TRUE(state.at("schemas").empty());
  EXPECT_EQ(state.at("kernels").at("bridged::misspelt").size(), 1U);
}

TEST(Snapshot, LeavesSignaturesOutWhereNotAskedFor) {
  const auto state = ask({{"scope", "namespaces"}, {"namespaces", {"bridged"}}, {"signatures", false}});
  EXPECT_TRUE(state.at("cpp").empty());
  EXPECT_TRUE(state.at("cpp_symint").empty());
}

TEST(Snapshot, ShowsTheKernelThatIsInForce) {
  const auto text = [] {
    const auto state = ask_pairs({{"bridged::keep", "CPU"}});
    return state.at("kernels").at("bridged::keep").at("CPU").get<std::string>();
  };
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
    return ask({{"scope", "namespaces"}, {"namespaces", {"bridged", "bridged_fragment", "bridged_later", "aten"}}})
        .at("libraries");
  };
  const torch::Library fragment(torch::Library::FRAGMENT, "bridged_fragment", std::nullopt, "fragment.cpp", 3);
  EXPECT_EQ(libraries().size(), 2U);
  EXPECT_THAT(libraries().at("bridged").get<std::string>(), MatchesRegex("registered at .*snapshot_test.cpp:[0-9]+"));
  EXPECT_THAT(libraries().at("aten").get<std::string>(), HasSubstr("registered at "));
  // Asking leaves the namespace free.
  const torch::Library later(torch::Library::DEF, "bridged_later", std::nullopt, "later.cpp", 7);
  EXPECT_EQ(libraries().at("bridged_later"), "registered at later.cpp:7");
  EXPECT_EQ(ask({{"scope", "all"}, {"signatures", false}}).at("libraries").count("bridged"), 1U);
  EXPECT_TRUE(ask_pairs({{"bridged::keep", "CPU"}}).at("libraries").empty());
}

TEST(Snapshot, AnswersPairsBesideNamespaces) {
  json request = {{"scope", "namespaces"}, {"namespaces", {"bridged"}}};
  request["pairs"] = std::vector<std::pair<std::string, std::string>>{
      {"aten::add.Tensor", "CPU"}, {"aten::mul.Tensor", ""}, {"bridged::keep", "CUDA"}};
  const auto state = ask(request);
  EXPECT_EQ(state.at("kernels").at("aten::add.Tensor").size(), 1U);
  EXPECT_TRUE(state.at("cpp").contains("aten::add.Tensor"));
  EXPECT_FALSE(state.at("kernels").contains("aten::mul.Tensor"));
  EXPECT_TRUE(state.at("schemas").contains("aten::mul.Tensor"));
  EXPECT_TRUE(state.at("kernels").at("bridged::keep").contains("CPU")) << "a namespace is whole";
}

TEST(Snapshot, ListsKeysWithAFallback) {
  const auto fallbacks = [] { return ask_pairs({}).at("fallbacks"); };
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
  const json many = {{"scope", "namespaces"}, {"namespaces", {"bridged", "aten"}}, {"signatures", false}};
  const json typed = {{"scope", "namespaces"}, {"namespaces", {"bridged"}}};
  const auto first_many = ask(many), first_typed = ask(typed);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(many), first_many);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(ask(typed), first_typed);
  stop = true;
  for (auto& caller : callers) caller.join();
  EXPECT_GT(calls, 0);
}

TEST(Snapshot, AnswersABadRequestWithAnError) {
  EXPECT_EQ(error_of(R"({"scope": "some"})"), "unknown scope \"some\"");
  EXPECT_THAT(error_of(R"({"scope": "pairs"})"), HasSubstr("'pairs' not found"));
  EXPECT_THAT(error_of(R"({"scope": "pairs", "pairs": [["a"]]})"), HasSubstr("json.exception"));
  EXPECT_THAT(error_of("{"), HasSubstr("parse error"));
  EXPECT_THAT(error_of(nullptr), HasSubstr("parse error"));
  EXPECT_EQ(myops_bridge_abi(), MYOPS_BRIDGE_ABI);
}

}  // namespace
