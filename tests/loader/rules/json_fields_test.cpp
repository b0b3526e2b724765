#include "loader/rules/json_fields.h"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const TextForm kLetterA = {"a text of 'a'", [](std::string_view text) { return text == "a"; }};

boost::json::object parsed(const std::string& text) { return boost::json::parse(text).as_object(); }

class JsonFields : public ::testing::Test {
 protected:
  const Reason& fault() const {
    static const Reason kNone = {Code::kForeign, "", "", "", ""};
    return first.reason() ? *first.reason() : kNone;
  }

  boost::json::object object =
      parsed(R"({"text": "a", "wrong": "b", "number": 7, "negative": -1, "half": 0.5, "null": null,
                                "list": ["a", "a"], "bad_list": ["a", 3], "object": {"x": 1}})");
  FirstFault first{Code::kManifestDamaged};
  ObjectReader reader{object, first, "part"};
};

TEST_F(JsonFields, ReadsFieldsOfTheRightTypeAndForm) {
  EXPECT_EQ(reader.text("text", kLetterA), "a");
  EXPECT_EQ(reader.optional_text("absent", kLetterA), "");
  EXPECT_THAT(reader.texts("list", kLetterA), ElementsAre("a", "a"));
  EXPECT_THAT(reader.optional_texts("absent", kLetterA), IsEmpty());
  EXPECT_EQ(reader.number("number", 1, 7), 7u);
  EXPECT_THAT(*reader.object("object"), SizeIs(1));
  EXPECT_EQ(reader.object("absent"), nullptr);
  EXPECT_FALSE(first.reason());
}

TEST_F(JsonFields, NamesAMissingField) {
  reader.text("absent", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.absent", Code::kManifestDamaged, "a text of 'a'", "nothing"));
}

TEST_F(JsonFields, NamesAFieldOfAnotherForm) {
  reader.text("wrong", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.wrong", Code::kManifestDamaged, "a text of 'a'", "\"b\""));
}

TEST_F(JsonFields, NamesAFieldOfAnotherType) {
  reader.optional_text("number", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.number", Code::kManifestDamaged, "a text of 'a'", "7"));
}

TEST_F(JsonFields, NamesTheItemOfAnArray) {
  reader.texts("bad_list", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.bad_list[1]", Code::kManifestDamaged, _, "3"));
}

TEST_F(JsonFields, NamesAnArrayThatIsNone) {
  reader.optional_texts("object", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.object", Code::kManifestDamaged, "an array", "an object"));
}

TEST_F(JsonFields, NamesAnArrayThatIsMissing) {
  reader.texts("absent", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.absent", Code::kManifestDamaged, "an array", "nothing"));
}

TEST_F(JsonFields, NamesAnObjectThatIsNone) {
  EXPECT_EQ(reader.object("list"), nullptr);
  EXPECT_THAT(fault(), IsReasonAbout("part.list", Code::kManifestDamaged, "an object", "an array"));
}

TEST_F(JsonFields, NamesFieldsOfMembersByAllNamesAroundThem) {
  const auto inner = parsed(R"({"y": {"text": "b"}})");
  const ObjectReader outer(inner, reader, "x");
  ObjectReader(*outer.object("y"), outer, "y").text("text", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.x.y.text", Code::kManifestDamaged, "a text of 'a'", "\"b\""));
}

TEST_F(JsonFields, ChecksTheNamesOfMembersOfAnyName) {
  reader.check_name("a", kLetterA);
  EXPECT_FALSE(first.reason());
  reader.check_name("text", kLetterA);
  EXPECT_THAT(fault(), IsReasonAbout("part.text", Code::kManifestDamaged, "a text of 'a'", "\"text\""));
}

TEST(JsonFieldsNumber, TakesWholeNumbersWithinBoundsOnly) {
  const std::pair<const char*, const char*> kCases[] = {{"0", "0"},           {"11", "11"},       {"-1", "-1"},
                                                        {"1.0", "a number"},  {"\"5\"", "\"5\""}, {"null", "null"},
                                                        {"true", "a boolean"}};
  for (const auto& [value, found] : kCases) {
    const auto object = parsed(std::string(R"({"n": )") + value + "}");
    FirstFault first(Code::kBadOption);
    EXPECT_EQ(ObjectReader(object, first).number("n", 1, 10), 0u);
    ASSERT_TRUE(first.reason()) << value;
    EXPECT_THAT(*first.reason(), IsReasonAbout("n", Code::kBadOption, "a number from 1 to 10", found));
  }
}

TEST_F(JsonFields, KeepsTheFirstFaultAndReadsNothingAfterIt) {
  reader.text("wrong", kLetterA);
  EXPECT_EQ(reader.text("text", kLetterA), "");
  EXPECT_EQ(reader.number("number", 1, 7), 0u);
  EXPECT_THAT(fault(), IsReasonAbout("part.wrong", Code::kManifestDamaged));
}

TEST_F(JsonFields, ShowsLongValuesAndNamesByTheirLength) {
  EXPECT_EQ(described(boost::json::value(std::string(100, 'x'))), "a text of 100 bytes");
  first.set(std::string(100000, 'x'), "", "");
  EXPECT_THAT(fault().subject, SizeIs(256));
}

}  // namespace
}  // namespace myops::rules
