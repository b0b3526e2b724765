#include "loader/rules/cpp_signature.h"

#include <gtest/gtest.h>

#include <string>

namespace myops::rules {
namespace {

struct Pair {
  const char* signature;
  const char* schema;
};

TEST(CppSignature, FitsWhatTorchTakes) {
  const Pair kPairs[] = {
      {"at::Tensor (at::Tensor const&, double)", "f(Tensor self, float factor) -> Tensor"},
      {"at::Tensor (at::Tensor, double)", "f(Tensor self, float factor) -> Tensor"},
      {"at::Tensor (c10::DispatchKeySet, at::Tensor const&)", "f(Tensor self) -> Tensor"},
      {"at::Tensor& (at::Tensor&, at::Tensor const&)", "f_(Tensor(a!) self, Tensor other) -> Tensor(a!)"},
      {"at::Tensor& (at::Tensor const&, at::Tensor&)", "f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"},
      {"void (at::Tensor&)", "f_(Tensor(a!) self) -> ()"},
      {"std::tuple<at::Tensor, at::Tensor> (at::Tensor const&)", "f(Tensor self) -> (Tensor, Tensor)"},
      {"std::tuple<at::Tensor&, at::Tensor&> (at::Tensor&, at::Tensor&)",
       "f(Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))"},
      {"at::Tensor (at::Tensor const&, std::optional<at::Tensor> const&, double)",
       "rms_norm(Tensor input, Tensor? weight, float eps=1e-06) -> Tensor"},
      {"at::Tensor (at::Tensor const&, c10::OptionalArrayRef<long>, bool)",
       "sum(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor"},
      {"at::Tensor (at::Tensor const&, std::optional<c10::ArrayRef<long> >, bool)",
       "sum(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor"},
      {"at::Tensor (c10::ArrayRef<at::Tensor>, c10::ArrayRef<double>)", "f(Tensor[] x, float[2] y=[0., 1.]) -> Tensor"},
      {"at::Tensor (c10::List<std::optional<at::Tensor> > const&)", "f(Tensor?[] x) -> Tensor"},
      {"at::Tensor (at::Tensor const&, long)", "f(Tensor self, SymInt size) -> Tensor"},
      {"at::Tensor (at::Tensor const&, c10::SymInt)", "f(Tensor self, SymInt size) -> Tensor"},
      {"at::Tensor (at::Tensor const&, std::basic_string_view<char, std::char_traits<char> >)",
       "f(Tensor self, *, str approximate='none, or tanh') -> Tensor"},
      {"at::Tensor (at::Tensor const&, std::optional<c10::Scalar> const&)", "f(Tensor self, Scalar? x=None) -> Tensor"},
      {"std::vector<at::Tensor, std::allocator<at::Tensor> > (at::Tensor const&)",
       "f(Tensor(a -> *) self) -> Tensor(a)[]"},
  };
  for (const Pair& pair : kPairs) EXPECT_TRUE(signature_fits_schema(pair.signature, pair.schema)) << pair.signature;
}

TEST(CppSignature, DoesNotFitWhatTorchRefuses) {
  const Pair kPairs[] = {
      {"at::Tensor (at::Tensor const&, long)", "f(Tensor self, float factor) -> Tensor"},
      {"at::Tensor (at::Tensor const&)", "f(Tensor self, float factor) -> Tensor"},
      {"at::Tensor (at::Tensor const&, double, double)", "f(Tensor self, float factor) -> Tensor"},
      {"void (at::Tensor const&)", "f(Tensor self) -> Tensor"},
      {"at::Tensor (at::Tensor const&)", "f(Tensor self) -> (Tensor, Tensor)"},
      {"std::tuple<at::Tensor, at::Tensor> (at::Tensor const&)", "f(Tensor self) -> Tensor"},
      {"at::Tensor (at::Tensor const&)", "f(Tensor? self) -> Tensor"},
      {"at::Tensor (std::optional<at::Tensor> const&)", "f(Tensor self) -> Tensor"},
      {"at::Tensor (c10::ArrayRef<double>)", "f(int[] self) -> Tensor"},
      {"at::Tensor (long)", "f(int[1] self) -> Tensor"},
      {"at::Tensor (bool)", "f(str self) -> Tensor"},
      {"double (at::Tensor const&)", "f(Tensor self) -> Tensor"},
      {"at::Tensor (std::optional<c10::ArrayRef<double> >)", "f(int[]? dim) -> Tensor"},
  };
  for (const Pair& pair : kPairs) EXPECT_FALSE(signature_fits_schema(pair.signature, pair.schema)) << pair.signature;
}

TEST(CppSignature, SaysNothingAgainstWhatItDoesNotKnow) {
  const Pair kPairs[] = {
      {"at::Tensor (at::Tensor const&, c10::ScalarType)", "f(Tensor self, int dtype) -> Tensor"},
      {"at::Tensor (at::Tensor const&, std::optional<c10::ScalarType>)", "f(Tensor self, ScalarType? dtype) -> Tensor"},
      {"at::Tensor (c10::intrusive_ptr<Thing>)", "f(__torch__.torch.classes.my.Thing thing) -> Tensor"},
      {"at::Tensor (c10::Dict<std::string, at::Tensor>)", "f(Dict(str, Tensor) x) -> Tensor"},
      {"at::Tensor (at::Tensor const&)", "f(...) -> ..."},
      {"at::Tensor (at::Tensor const&)", "f(Tensor self) -> ..."},
      {"at::Tensor (at::Tensor const&)", "no schema"},
      {"at::Tensor (at::Tensor const&)", "f(Tensor self"},
      {"no signature", "f(Tensor self) -> Tensor"},
      {"", "f(Tensor self) -> Tensor"},
      {"at::Tensor (at::Tensor const&, ", "f(Tensor self) -> Tensor"},
      {"at::Tensor (std::optional<>)", "f(Tensor self) -> Tensor"},
      {"at::Tensor (long)", "f(int[1 self) -> Tensor"},
  };
  for (const Pair& pair : kPairs) EXPECT_TRUE(signature_fits_schema(pair.signature, pair.schema)) << pair.signature;
}

TEST(CppSignature, SurvivesDeepNesting) {
  std::string type = "at::Tensor";
  for (int i = 0; i < 5000; ++i) type = "std::optional<" + type + ">";
  EXPECT_TRUE(signature_fits_schema("at::Tensor (" + type + ")", "f(int self) -> Tensor"));
  EXPECT_TRUE(signature_fits_schema(std::string(16384, '<'), std::string(16384, '(')));
}

}  // namespace
}  // namespace myops::rules
