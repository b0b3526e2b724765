#include "loader/cli/page.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

namespace myops::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

const std::string kDataStart = R"(<script type="application/json" id="data">)";

// What stands between the two, of which the first is there once.
std::string between(const std::string& page, const std::string& first, const std::string& last) {
  const std::size_t start = page.find(first);
  EXPECT_NE(start, std::string::npos) << first;
  EXPECT_EQ(page.find(first, start + 1), std::string::npos) << first;
  const std::size_t from = start + first.size();
  return page.substr(from, page.find(last, from) - from);
}

std::size_t count(const std::string& page, const std::string& wanted) {
  std::size_t found = 0;
  for (std::size_t at = page.find(wanted); at != std::string::npos; at = page.find(wanted, at + 1)) ++found;
  return found;
}

TEST(Page, HoldsTheReportAndItsText) {
  const Json report = {{"format", 1}, {"files", {{{"path", "/p/libx.so"}}}}};
  const std::string page = page_of(report, "myops 0.1.0\n  a line\n");
  EXPECT_EQ(Json::parse(between(page, kDataStart, "</script>")), report);
  EXPECT_EQ(between(page, "<pre>\n", "</pre>"), "myops 0.1.0\n  a line\n");
  EXPECT_THAT(page, HasSubstr("<!DOCTYPE html>"));
}

TEST(Page, WhatAReportNamesNeverBecomesMarkup) {
  const std::string name = "</script><script>alert(1)</script><!--<script>]]>&lt;\"'";
  const std::string harmless = page_of(Json::object(), "");
  const Json report = {{name, name}};
  const std::string page = page_of(report, name + "</pre></details>");
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  for (const char* tag : {"<script", "</script", "<!--", "</pre", "</details"}) {
    EXPECT_EQ(count(page, tag), count(harmless, tag)) << tag;
  }
  EXPECT_EQ(Json::parse(between(page, kDataStart, "</script>")), report);
  EXPECT_EQ(between(page, "<pre>\n", "</pre>"),
            "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--&lt;script&gt;]]&gt;&amp;lt;\"'"
            "&lt;/pre&gt;&lt;/details&gt;");
}

TEST(Page, WritesBytesThatAreNoUtf8AsReplacements) {
  const std::string page = page_of({{"path", "/p/\xFF.so"}}, "");
  EXPECT_EQ(Json::parse(between(page, kDataStart, "</script>"))["path"], "/p/\xEF\xBF\xBD.so");
}

TEST(Page, NothingIsLeftToFillInAndNothingIsFetched) {
  const std::string page = page_of(Json::object(), "");
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
  for (const char* leftover : {"{{", " src=", "http:", "https:", "url(", "@import", "'unsafe"}) {
    EXPECT_THAT(page, Not(HasSubstr(leftover)));
  }
}

}  // namespace
}  // namespace myops::cli
