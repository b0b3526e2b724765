#include "loader/system/answer.h"

#include <gmock/gmock.h>

#include "tests/support/json.h"

namespace myops::system {
namespace {

using myops::testing::as_json;
using ::testing::Optional;

TEST(ErrorAnswer, CarriesTheReasonAndItsText) {
  const Reason reason{Code::kBadOption, "paths", "a list of strings", "1", ""};
  const Answer answer = error_answer(reason, kWrongOptions);
  EXPECT_EQ(answer.status, kWrongOptions);
  EXPECT_EQ(as_json(answer.json)["error"]["code"], "bad-option");
  EXPECT_EQ(as_json(answer.json)["error"]["subject"], "paths");
  EXPECT_EQ(text_of(answer), to_text(reason));
}

TEST(Dump, ReplacesWhatIsNoUtf8) {
  boost::json::object json;
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
  EXPECT_EQ(member_text("[1]", "text"), std::nullopt);
}

TEST(MemberText, DeepNestingIsNoAnswer) {
  const std::string brackets(200'000, '[');
  EXPECT_EQ(member_text("{\"text\": " + brackets + std::string(200'000, ']') + "}", "text"), std::nullopt);
  EXPECT_EQ(member_text("{\"text\": " + brackets, "text"), std::nullopt);
}

TEST(MemberText, TakesAnAnswerOfAnySize) {
  const std::string large(std::size_t{4} << 20, 'x');
  EXPECT_THAT(member_text("{\"text\": \"" + large + "\"}", "text"), Optional(large));
}

}  // namespace
}  // namespace myops::system
