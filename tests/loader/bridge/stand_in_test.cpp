// Stand-ins for missing kernels, in torch's own dispatcher. The dispatcher belongs to the process: CTest runs each TEST
// in one of its own.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_make_dual.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/library.h>

#include <string>
#include <vector>

#include "loader/bridge/bridge_c.h"
#include "tests/loader/bridge/told.h"

namespace {

using myops::testing::ask;
using myops::testing::Told;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// Raw kernels: what they write is nobody's history.
at::Tensor scale(const at::Tensor& self, double factor) {
  at::Tensor result = at::empty_like(self);
  for (std::int64_t i = 0; i < self.numel(); ++i) {
    result.data_ptr<float>()[i] = self.const_data_ptr<float>()[i] * static_cast<float>(factor);
  }
  return result;
}
at::Tensor& bump_(at::Tensor& self) {
  for (std::int64_t i = 0; i < self.numel(); ++i) self.data_ptr<float>()[i] += 1;
  return self;
}
std::tuple<at::Tensor, at::Tensor> first_and_count(at::TensorList tensors, const std::optional<at::Tensor>&) {
  return {scale(tensors[0], 1), at::ones({1}, at::kLong)};
}
void swap_(at::Tensor& first, at::Tensor& second, at::Tensor& count) {
  std::swap(first.data_ptr<float>()[0], second.data_ptr<float>()[0]);
  count.data_ptr<std::int64_t>()[0] += 1;
}
at::Tensor of_calls(const at::Tensor& self) { return at::mul(self, 3); }

TORCH_LIBRARY(standing, m) {
  m.def("scale(Tensor self, float factor) -> Tensor");
  m.def("bump_(Tensor(a!) self) -> Tensor(a!)");
  m.def("first_and_count(Tensor[] tensors, Tensor? weight=None) -> (Tensor, Tensor)");
  m.def("of_calls(Tensor self) -> Tensor");
  m.def("swap_(Tensor(a!) first, Tensor(b!) second, Tensor(c!) count) -> ()");
}
TORCH_LIBRARY_IMPL(standing, CPU, m) {
  m.impl("scale", scale);
  m.impl("bump_", bump_);
  m.impl("first_and_count", first_and_count);
  m.impl("swap_", swap_);
}
TORCH_LIBRARY_IMPL(standing, CompositeExplicitAutograd, m) { m.impl("of_calls", of_calls); }

Told put(const std::vector<myops_bridge_absence>& absences) {
  Told told;
  told.status = myops_bridge_stand_in(absences.data(), absences.size(), &myops::testing::take, &told);
  return told;
}

Told told_of(const char* op) { return ask({{MYOPS_ASK_OPERATOR, op, nullptr}}); }

template <class Signature>
auto op(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}
at::Tensor call_scale(const at::Tensor& self) {
  return op<at::Tensor(const at::Tensor&, double)>("standing::scale").call(self, 2);
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const c10::NotImplementedError& error) {
    return error.what_without_backtrace();
  }
  return "no NotImplementedError";
}

// A tensor of the CUDA key without a GPU: dispatch reads the keys alone.
at::Tensor cuda_tensor() {
  return at::detail::make_tensor<c10::TensorImpl>(c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                                  caffe2::TypeMeta::Make<float>(), c10::Device(c10::kCUDA, 0));
}

TEST(StandIn, TellsAtACallForADevice) {
  EXPECT_EQ(put({{"standing::scale", "CUDA", "libx.so was not loaded"}}).status, 0);
  EXPECT_EQ(error_of([] { call_scale(cuda_tensor()); }), "libx.so was not loaded");
  EXPECT_EQ(call_scale(at::ones({2})).sum().item<float>(), 4);
}

TEST(StandIn, IsNoKernelInASnapshot) {
  const Told before = told_of("standing::scale");
  put({{"standing::scale", "CUDA", "x"}, {"standing::scale", "Autograd", "y"}});
  Told after = told_of("standing::scale");
  EXPECT_THAT(after.explained, ElementsAre(Pair("standing::scale", "Autograd"), Pair("standing::scale", "CUDA")));
  after.explained.clear();
  EXPECT_EQ(after, before);
}

TEST(StandIn, LeavesKernelsThatAreThere) {
  put({{"standing::scale", "CPU", "x"}, {"standing::of_calls", "CUDA", "x"}, {"standing::nobody", "CPU", "x"}});
  EXPECT_THAT(told_of("standing::scale").explained, IsEmpty());
  EXPECT_THAT(told_of("standing::of_calls").explained, IsEmpty());
}

TEST(StandIn, GetsANewTextAndGoes) {
  put({{"standing::scale", "CUDA", "first"}});
  put({{"standing::scale", "CUDA", "second"}});
  EXPECT_EQ(error_of([] { call_scale(cuda_tensor()); }), "second");
  const myops_bridge_absence place = {"standing::scale", "CUDA", nullptr}, none = {"standing::scale", "CPU", nullptr};
  Told told;
  EXPECT_EQ(myops_bridge_stand_aside(&none, 1, &myops::testing::take, &told), 0);
  EXPECT_THAT(told_of("standing::scale").explained, testing::SizeIs(1));
  EXPECT_EQ(myops_bridge_stand_aside(&place, 1, &myops::testing::take, &told), 0);
  EXPECT_THAT(told_of("standing::scale").explained, IsEmpty());
  EXPECT_THAT(error_of([] { call_scale(cuda_tensor()); }), HasSubstr("Could not run 'standing::scale'"));
}

TEST(StandIn, WhatCannotBeIsAnError) {
  EXPECT_THAT(put({{"standing::scale", "Meta", "x"}}).error, HasSubstr("nothing stands in on Meta"));
  EXPECT_EQ(put({{"standing::scale", "Nonsense", "x"}}).status, 1);
  EXPECT_THAT(put({{"standing::scale", nullptr, "x"}}).error, HasSubstr("not told to the end"));
}

TEST(AbsentGradient, IsAnErrorInBackward) {
  put({{"standing::scale", "Autograd", "no autograd library"}});
  const at::Tensor x = at::ones({2}).requires_grad_();
  const at::Tensor y = call_scale(x);
  EXPECT_TRUE(y.requires_grad());
  EXPECT_EQ(y.sum().item<float>(), 4);
  EXPECT_EQ(error_of([&] { y.sum().backward(); }), "no autograd library");
}

TEST(AbsentGradient, IsNotThereWhereNobodyAsksForOne) {
  put({{"standing::scale", "Autograd", "x"}});
  EXPECT_FALSE(call_scale(at::ones({2})).requires_grad());
  const at::NoGradGuard guard;
  EXPECT_FALSE(call_scale(at::ones({2}).requires_grad_()).requires_grad());
}

TEST(AbsentGradient, PassesThroughListsAndSparesIntegers) {
  put({{"standing::first_and_count", "Autograd", "no autograd library"}});
  const std::vector<at::Tensor> inputs = {at::ones({2}), at::ones({2}).requires_grad_()};
  using Signature = std::tuple<at::Tensor, at::Tensor>(at::TensorList, const std::optional<at::Tensor>&);
  const auto [first, count] = op<Signature>("standing::first_and_count").call(inputs, std::nullopt);
  EXPECT_TRUE(first.requires_grad());
  EXPECT_FALSE(count.requires_grad());
  EXPECT_EQ(error_of([&, y = first] { y.sum().backward(); }), "no autograd library");
}

TEST(AbsentGradient, OfAWriteIsAnErrorToo) {
  put({{"standing::bump_", "Autograd", "no autograd library"}});
  const auto bump = op<at::Tensor&(at::Tensor&)>("standing::bump_");
  const at::Tensor x = at::ones({2}).requires_grad_();
  at::Tensor y = at::mul(x, 2);
  bump.call(y);
  EXPECT_EQ(error_of([&] { y.sum().backward(); }), "no autograd library");
  at::Tensor leaf = at::ones({2}).requires_grad_();
  EXPECT_THROW(bump.call(leaf), c10::Error);
  EXPECT_EQ(leaf.sum().item<float>(), 2);
}

// A view makes its node anew after each write that is counted.
TEST(AbsentGradient, OfAWriteIntoAViewIsAnErrorToo) {
  using Bump = at::Tensor&(at::Tensor&);
  torch::Library counted(torch::Library::IMPL, "standing", c10::DispatchKey::ADInplaceOrView, __FILE__, __LINE__);
  counted.impl("bump_", [](c10::DispatchKeySet keys, at::Tensor& self) -> at::Tensor& {
    op<Bump>("standing::bump_").redispatch(keys & c10::after_ADInplaceOrView_keyset, self);
    torch::autograd::impl::bump_version(self);
    return self;
  });
  put({{"standing::bump_", "Autograd", "no autograd library"}});
  const at::Tensor x = at::ones({2, 2}).requires_grad_(), y = at::mul(x, 2);
  at::Tensor view = at::select(y, 0, 1);
  op<Bump>("standing::bump_").call(view);
  EXPECT_EQ(y.sum().item<float>(), 10);
  EXPECT_EQ(error_of([&] { y.sum().backward(); }), "no autograd library");
}

// Its tangent stays what it was before the write.
TEST(AbsentGradient, OfAWriteInForwardModeIsAnErrorToo) {
  put({{"standing::bump_", "Autograd", "no autograd library"}, {"standing::scale", "Autograd", "nor here"}});
  torch::autograd::ForwardADLevel::get_next_idx();
  at::Tensor dual = at::_make_dual(at::ones({2}), at::ones({2}), /*level=*/0);
  EXPECT_EQ(error_of([&] { op<at::Tensor&(at::Tensor&)>("standing::bump_").call(dual); }), "no autograd library");
  EXPECT_EQ(error_of([&] { call_scale(dual); }), "nor here");
}

TEST(AbsentGradient, OfEveryTensorThatIsWrittenToAndOfNoInteger) {
  put({{"standing::swap_", "Autograd", "no autograd library"}});
  const at::Tensor x = at::ones({2}).requires_grad_();
  at::Tensor first = at::mul(x, 2), second = at::mul(x, 3).sum(), count = at::ones({1}, at::kLong);
  op<void(at::Tensor&, at::Tensor&, at::Tensor&)>("standing::swap_").call(first, second, count);
  EXPECT_EQ(error_of([&] { first.sum().backward(); }), "no autograd library");
  EXPECT_EQ(error_of([&] { second.backward(); }), "no autograd library") << "its shape is another";
  EXPECT_FALSE(count.requires_grad());
}

TEST(AbsentGradient, LeavesWhatTheCallsInAKernelRecord) {
  put({{"standing::of_calls", "Autograd", "x"}});
  const at::Tensor x = at::ones({2}).requires_grad_();
  op<at::Tensor(const at::Tensor&)>("standing::of_calls").call(x).sum().backward();
  EXPECT_EQ(x.grad().sum().item<float>(), 6);
}

}  // namespace
