#include "loader/rules/dispatch_keys.h"

#include <gtest/gtest.h>

namespace myops::rules {
namespace {

TEST(DispatchKeys, KnowsKeysThatCompute) {
  for (const char* key :
       {"CPU", "CUDA", "Meta", "PrivateUse1", "XPU", "MPS", "SparseCPU", "SparseCsrCUDA", "QuantizedCPU",
        "NestedTensorCUDA", "MkldnnCPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"}) {
    EXPECT_TRUE(is_backend_key(key)) << key;
  }
}

TEST(DispatchKeys, KnowsKeysThatWrap) {
  for (const char* key : {"Autograd", "AutogradCPU", "AutocastCPU", "ADInplaceOrView", "Functionalize",
                          "FuncTorchBatched", "CompositeImplicitAutograd", "BackendSelect", "Python", "Conjugate",
                          "Sparse", "", "cpu", "NestedTensor", "SparseAutogradCPU"}) {
    EXPECT_FALSE(is_backend_key(key)) << key;
  }
}

TEST(DispatchKeys, KnowsTheAutogradFamily) {
  EXPECT_TRUE(is_autograd_key("Autograd"));
  EXPECT_TRUE(is_autograd_key("AutogradPrivateUse1"));
  EXPECT_FALSE(is_autograd_key("CompositeImplicitAutograd"));
}

TEST(DispatchKeys, LetsAliasesCoverTheirMembers) {
  EXPECT_TRUE(key_covers("CPU", "CPU"));
  EXPECT_TRUE(key_covers("Autograd", "AutogradCPU"));
  EXPECT_TRUE(key_covers("Autocast", "AutocastCUDA"));
  EXPECT_TRUE(key_covers("AutocastCUDA", "Autocast"));
  EXPECT_FALSE(key_covers("AutogradCPU", "Autograd"));
  EXPECT_FALSE(key_covers("Autocast", "AutocastCPU")) << "the alias is of CUDA only";
  EXPECT_FALSE(key_covers("CompositeExplicitAutograd", "CUDA")) << "works there, but is not its library";
  EXPECT_FALSE(key_covers("CPU", "CUDA"));
}

TEST(DispatchKeys, GuessesWhatIsMeant) {
  EXPECT_EQ(key_meant_by("cpu"), "CPU");
  EXPECT_EQ(key_meant_by("autogradcuda"), "AutogradCUDA");
  EXPECT_EQ(key_meant_by("adinplaceorview"), "ADInplaceOrView");
  EXPECT_EQ(key_meant_by("CPU"), "");
  EXPECT_EQ(key_meant_by("nonsense"), "");
  EXPECT_EQ(key_meant_by(""), "");
}

}  // namespace
}  // namespace myops::rules
