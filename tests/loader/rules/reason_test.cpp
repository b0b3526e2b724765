#include "loader/reason.h"

#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/reason_matchers.h"

namespace myops {
namespace {

using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Reason, TokensAreUniqueAndLeadBackToTheirCodes) {
  std::set<std::string_view> tokens;
  for (const Code code : all_codes()) {
    EXPECT_TRUE(tokens.insert(token(code)).second) << token(code);
    EXPECT_EQ(code_from_token(token(code)), code);
    EXPECT_FALSE(meaning(code).empty());
  }
  EXPECT_EQ(code_from_token("no-such-code"), std::nullopt);
  EXPECT_EQ(code_from_token(""), std::nullopt);
}

TEST(Reason, TokensAreLowerCaseWords) {
  for (const Code code : all_codes()) {
    EXPECT_TRUE(std::regex_match(std::string(token(code)), std::regex("[a-z0-9]+(-[a-z0-9]+)*"))) << token(code);
  }
}

TEST(Reason, HarmlessIsWhatAHealthyMachineShowsToo) {
  EXPECT_TRUE(is_harmless(Code::kNoGpu));
  EXPECT_TRUE(is_harmless(Code::kSuperseded));
  EXPECT_FALSE(is_harmless(Code::kTorchVersionMismatch));
  EXPECT_FALSE(is_harmless(Code::kInternalError));
}

std::string content(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> headings(const std::string& text) {
  const std::regex heading("(?:^|\n)### `([a-z0-9-]+)`");
  std::vector<std::string> tokens;
  for (std::sregex_iterator row(text.begin(), text.end(), heading), end; row != end; ++row) tokens.push_back((*row)[1]);
  return tokens;
}

TEST(Reason, DocumentationHasARowForEachCodeInTheSameOrder) {
  std::vector<std::string> tokens;
  for (const Code code : all_codes()) tokens.emplace_back(token(code));
  EXPECT_THAT(headings(content(MYOPS_REASONS_PAGE)), ElementsAreArray(tokens));
}

TEST(Reason, DocumentationListsTheHarmlessOnesInTheSameOrder) {
  const std::string page = content(MYOPS_REASONS_PAGE);
  const std::size_t start = page.find("`harmless` in JSON:");
  ASSERT_NE(start, std::string::npos);
  std::string list = page.substr(start, page.find("\n\n", start) - start);
  list.erase(0, list.find(':'));
  const std::regex quoted("`([a-z0-9-]+)`");
  std::vector<std::string> documented, known;
  for (std::sregex_iterator token(list.begin(), list.end(), quoted), end; token != end; ++token) {
    documented.push_back((*token)[1]);
  }
  for (const Code code : all_codes()) {
    if (is_harmless(code)) known.emplace_back(token(code));
  }
  EXPECT_THAT(documented, ElementsAreArray(known));
}

TEST(Reason, DocumentationStatesTheMeaningOfEachCodeAndAnExampleOfItsText) {
  const std::string page = content(MYOPS_REASONS_PAGE);
  for (const Code code : all_codes()) {
    const std::string name(token(code));
    const std::size_t start = page.find("### `" + name + "`");
    ASSERT_NE(start, std::string::npos) << name;
    const std::string section = page.substr(start, page.find("\n### ", start + 1) - start);
    EXPECT_THAT(section, HasSubstr(std::string(meaning(code)))) << name;
    EXPECT_THAT(section, HasSubstr("\n" + name + ": ")) << "no example of " << name;
  }
}

TEST(ReasonText, SaysWhatWasBuiltForWhatAndWhatToDo) {
  const Reason reason = {Code::kTorchVersionMismatch, "torch", "2.11.0", "2.15.0",
                         "rebuild it for torch 2.15 or install that torch"};
  EXPECT_EQ(to_text(reason),
            "torch-version-mismatch: built for torch 2.11.0, this is 2.15.0; rebuild it for torch 2.15 or install that "
            "torch");
}

TEST(ReasonText, FallsBackToTheMeaningWhereThereAreNoFacts) {
  for (const Code code : all_codes()) {
    EXPECT_EQ(to_text({code, "", "", "", ""}), std::string(token(code)) + ": " + std::string(meaning(code)));
    EXPECT_EQ(to_text({code, "", "", "", "do this"}),
              std::string(token(code)) + ": " + std::string(meaning(code)) + "; do this");
  }
}

TEST(ReasonText, IsASentenceWhicheverFactsAreThere) {
  for (const Code code : all_codes()) {
    for (int facts = 1; facts < 8; ++facts) {
      const Reason reason = {code, facts & 1 ? "SUBJECT" : "", facts & 2 ? "EXPECTED" : "", facts & 4 ? "FOUND" : "",
                             ""};
      const std::string text = to_text(reason);
      EXPECT_THAT(text, Not(HasSubstr("{"))) << text;
      EXPECT_THAT(text, Not(HasSubstr("["))) << text;
      EXPECT_THAT(text, Not(HasSubstr("  "))) << text;
      EXPECT_THAT(text, Not(HasSubstr(": ,"))) << text;
      EXPECT_THAT(text, Not(EndsWith(" "))) << text;
      EXPECT_THAT(text, Not(EndsWith(":"))) << text;
      EXPECT_GT(text.size(), token(code).size() + 2) << text;
    }
  }
}

TEST(ReasonText, ShowsWhatWasFoundWhereverThatIsTheNews) {
  for (const Code code : all_codes()) {
    if (code == Code::kNoexec || code == Code::kForeign || code == Code::kUnstamped || code == Code::kNotInLock)
      continue;
    EXPECT_THAT(to_text({code, "SUBJECT", "EXPECTED", "FOUND", ""}), HasSubstr("FOUND"));
  }
}

TEST(ReasonText, IsOneLineThatMovesNoTerminal) {
  const Reason reason = {Code::kOpenFailed, "a\x1b[2J", "", "one\ntwo \xFF", "try\tagain"};
  EXPECT_EQ(to_text(reason), "open-failed: a\\x1b[2J: it could not be opened: one | two \\xff; try\\x09again");
}

TEST(ReasonText, TakesBracketsAndBracesInFactsAsTheyAre) {
  const Reason reason = {Code::kSchemaMismatch, "op", "op(int[1]? dim={found}) -> ()", "op(int[] dim) -> ()", ""};
  EXPECT_EQ(to_text(reason), "schema-mismatch: made for op(int[1]? dim={found}) -> (), here it is op(int[] dim) -> ()");
}

TEST(Result, ThrowsTheTextOfItsReasonWhereItsValueIsTaken) {
  const Result<int> failed = Reason{Code::kUnreadable, "/p", "", "Permission denied", ""};
  try {
    static_cast<void>(failed.value());
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "unreadable: /p cannot be read: Permission denied");
  }
}

}  // namespace
}  // namespace myops
