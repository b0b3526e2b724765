#include "loader/system/survey.h"

#include <gmock/gmock.h>

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(QuestionsAbout, AreOfTheOperatorsAndNamespacesThatALibraryTouches) {
  rules::Verdict verdict;
  verdict.manifest.emplace();
  verdict.manifest->op_namespace = "mine";
  verdict.manifest->libraries = {"block"};
  verdict.manifest->defines = {"defined::a(Tensor self) -> Tensor"};
  verdict.manifest->kernels["CPU"]["vision::nms"] = {};
  const SnapshotRequest request = questions_about({rules::Verdict{}, verdict});
  EXPECT_THAT(request.libraries, ElementsAre("block", "defined", "mine", "vision"));
  EXPECT_THAT(request.operators, ElementsAre("defined::a", "vision::nms"));
  EXPECT_THAT(request.namespaces, IsEmpty());
  EXPECT_THAT(request.kernels, IsEmpty());
  EXPECT_FALSE(request.everything);
}

TEST(QuestionsAbout, AreOfSingleKernelsInTorchsOwnNamespaces) {
  rules::Verdict verdict;
  verdict.manifest.emplace();
  verdict.manifest->op_namespace = "aten";
  verdict.manifest->kernels["PrivateUse1"]["aten::add.Tensor"] = {};
  const SnapshotRequest request = questions_about({verdict});
  EXPECT_THAT(request.libraries, IsEmpty());
  EXPECT_THAT(request.operators, IsEmpty());
  EXPECT_THAT(request.kernels, ElementsAre(Pair("aten::add.Tensor", "PrivateUse1")));
}

}  // namespace
}  // namespace myops::system
