#include "loader/system/survey.h"

#include <gmock/gmock.h>

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(QuestionsAbout, AreOfEveryNamespaceThatALibraryTouches) {
  rules::Verdict verdict;
  verdict.manifest.emplace();
  verdict.manifest->op_namespace = "mine";
  verdict.manifest->libraries = {"block"};
  verdict.manifest->defines = {"defined::a(Tensor self) -> Tensor"};
  verdict.manifest->kernels["CPU"]["vision::nms"] = {};
  const SnapshotRequest request = questions_about({rules::Verdict{}, verdict});
  EXPECT_EQ(request.scope, SnapshotRequest::Scope::kNamespaces);
  EXPECT_THAT(request.namespaces, ElementsAre("block", "defined", "mine", "vision"));
  EXPECT_THAT(request.pairs, IsEmpty());
}

TEST(QuestionsAbout, AreOfSingleKernelsInTorchsOwnNamespaces) {
  rules::Verdict verdict;
  verdict.manifest.emplace();
  verdict.manifest->op_namespace = "aten";
  verdict.manifest->kernels["PrivateUse1"]["aten::add.Tensor"] = {};
  const SnapshotRequest request = questions_about({verdict});
  EXPECT_THAT(request.namespaces, IsEmpty());
  EXPECT_THAT(request.pairs, ElementsAre(Pair("aten::add.Tensor", "PrivateUse1")));
}

}  // namespace
}  // namespace myops::system
