#include "loader/rules/strict_json.h"

#include <gmock/gmock.h>

#include <boost/json/serialize.hpp>

#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReason;
using ::testing::_;
using ::testing::HasSubstr;

Reason fault_of(std::string_view text) {
  const auto result = parse_json(text, Code::kManifestDamaged);
  return result ? Reason{Code::kForeign, "", "", "no fault", ""} : result.error();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(StrictJson, ReadsADocument) {
  const auto json = parse_json(R"({"a": [1, "b", null, true, 1.5], "c": {"a": -1}})", Code::kManifestDamaged);
  ASSERT_TRUE(json);
  EXPECT_EQ(boost::json::serialize(*json), R"({"a":[1,"b",null,true,1.5E0],"c":{"a":-1}})");
}

// What a listener hears, as text.
class Notes final : public JsonListener {
 public:
  std::string text_of;
  void object_begins() override { text_of += "{ "; }
  void object_ends(std::size_t members) override { text_of += "}" + std::to_string(members) + " "; }
  void array_begins() override { text_of += "[ "; }
  void array_ends(std::size_t elements) override { text_of += "]" + std::to_string(elements) + " "; }
  void member(std::string_view name) override { text_of += std::string(name) + ": "; }
  void text(std::string_view value) override { text_of += "'" + std::string(value) + "' "; }
  void scalar(const boost::json::value& value) override { text_of += boost::json::serialize(value) + " "; }
};

TEST(StrictJson, TellsADocumentInTheOrderOfItsText) {
  Notes notes;
  ASSERT_TRUE(
      read_json(R"({"b": [1, "x", null, {}], "a": {"c\u0064": "e\nf", "": true}})", Code::kManifestDamaged, notes));
  EXPECT_EQ(notes.text_of, "{ b: [ 1 'x' null { }0 ]4 a: { cd: 'e\nf' : true }2 }2 ");
}

// Sorted names are not compared with each other; the one that breaks the order is compared with all.
TEST(StrictJson, FindsARepeatedKeyHoweverTheyAreSorted) {
  std::string sorted;
  for (int i = 100; i < 300; ++i) sorted += "\"k" + std::to_string(i) + "\": 0, ";
  EXPECT_TRUE(parse_json("{" + sorted + "\"a\": 0}", Code::kManifestDamaged));
  for (const char* again : {"k100", "k150", "k299"}) {
    EXPECT_THAT(fault_of("{" + sorted + "\"" + again + "\": 0}"),
                IsReason(Code::kManifestDamaged, _, HasSubstr(std::string("the key \"") + again + "\" twice")));
  }
  EXPECT_THAT(fault_of(R"({"b": 0, "a": 0, "a": 0})"), IsReason(Code::kManifestDamaged, _, HasSubstr("twice")));
  EXPECT_THAT(fault_of(R"({"b": 0, "a": 0, "b": 0})"), IsReason(Code::kManifestDamaged, _, HasSubstr("twice")));
}

TEST(StrictJson, NamesThePlaceOfASyntaxError) {
  EXPECT_THAT(fault_of(R"({"a": })"), IsReason(Code::kManifestDamaged, _, "a syntax error at byte 7"));
  EXPECT_THAT(fault_of(R"({"a": 1} x)"), IsReason(Code::kManifestDamaged, _, "a syntax error at byte 10"));
  EXPECT_THAT(fault_of(""), IsReason(Code::kManifestDamaged, _, HasSubstr("syntax error")));
  EXPECT_THAT(fault_of("{\"a\": \"\xFF\"}"), IsReason(Code::kManifestDamaged, _, HasSubstr("syntax error")));
  EXPECT_THAT(fault_of("1e999"), IsReason(Code::kManifestDamaged, _, HasSubstr("syntax error")));
}

TEST(StrictJson, RefusesAKeyThatStandsTwiceInOneObject) {
  EXPECT_THAT(fault_of(R"({"a": 1, "b": {"a": 2}, "a": 3})"),
              IsReason(Code::kManifestDamaged, _, "the key \"a\" twice in one object"));
  EXPECT_TRUE(parse_json(R"([{"a": 1}, {"a": 1}, {"a": {"a": 1}}])", Code::kManifestDamaged));
}

TEST(StrictJson, RefusesDeepNestingWithoutUsingTheStack) {
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth), Code::kManifestDamaged));
  EXPECT_THAT(fault_of(nested(kMaxJsonDepth + 1)), IsReason(Code::kManifestDamaged, _, "nesting deeper than 32"));
  EXPECT_THAT(fault_of(std::string(kMaxJsonBytes, '[')), IsReason(Code::kManifestDamaged, _, "nesting deeper than 32"));
  std::string objects;
  while (objects.size() + 5 <= kMaxJsonBytes) objects += R"({"a":)";
  EXPECT_THAT(fault_of(objects), IsReason(Code::kManifestDamaged, _, "nesting deeper than 32"));
}

TEST(StrictJson, RefusesTextBeyondItsLimit) {
  std::string text(kMaxJsonBytes + 2, 'a');
  text.front() = text.back() = '"';
  EXPECT_THAT(fault_of(text), IsReason(Code::kManifestDamaged, _, "1048578 bytes"));
}

// Objects that keep their order are slow with many members: minutes for as many as there is room for.
TEST(StrictJson, RefusesMoreMembersThanAReaderCanBear) {
  const auto with_members = [](std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
    return text + "}";
  };
  EXPECT_TRUE(parse_json(with_members(kMaxJsonMembers), Code::kManifestDamaged));
  EXPECT_THAT(fault_of(with_members(kMaxJsonMembers + 1)),
              IsReason(Code::kManifestDamaged, _, "more than 8192 members"));
  std::string two = "[";
  two.append(with_members(kMaxJsonMembers / 2)).append(",").append(with_members(kMaxJsonMembers / 2 + 1)).append("]");
  EXPECT_THAT(fault_of(two), IsReason(Code::kManifestDamaged, _, "more than 8192 members"));
}

TEST(StrictJson, CarriesTheCodeItWasGiven) {
  EXPECT_EQ(parse_json("[", Code::kBadOption).error().code, Code::kBadOption);
}

}  // namespace
}  // namespace myops::rules
