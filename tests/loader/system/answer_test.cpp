#include "loader/system/answer.h"

#include <gmock/gmock.h>

namespace myops::system {
namespace {

using ::testing::Optional;

TEST(ErrorAnswer, CarriesTheReasonAndItsText) {
  const Reason reason{Code::kBadOption, "paths", "a list of strings", "1", ""};
  const Answer answer = error_answer(reason, kWrongOptions);
  EXPECT_EQ(answer.status, kWrongOptions);
  EXPECT_EQ(answer.json["error"]["code"], "bad-option");
  EXPECT_EQ(answer.json["error"]["subject"], "paths");
  EXPECT_EQ(answer.json["text"], to_text(reason));
}

TEST(Dump, ReplacesWhatIsNoUtf8) {
  nlohmann::ordered_json json;
  json["path"] = "/a/\xff.so";
  EXPECT_EQ(dump(json), "{\"path\":\"/a/\xEF\xBF\xBD.so\"}");
}

TEST(MemberText, IsPlainText) {
  const std::string json =
      R"({"text": "a \"b\"", "opened": ["/x", "/y"], "none": [], "files": [{"a": 1}], "number": 3})";
  EXPECT_THAT(member_text(json, "text"), Optional(std::string("a \"b\"")));
  EXPECT_THAT(member_text(json, "opened"), Optional(std::string("/x\n/y")));
  EXPECT_THAT(member_text(json, "none"), Optional(std::string("")));
  EXPECT_THAT(member_text(json, "files"), Optional(std::string("{\"a\":1}")));
  EXPECT_THAT(member_text(json, "number"), Optional(std::string("3")));
  EXPECT_EQ(member_text(json, "absent"), std::nullopt);
  EXPECT_EQ(member_text("no JSON", "text"), std::nullopt);
}

}  // namespace
}  // namespace myops::system
