#include "loader/printable.h"

#include <gtest/gtest.h>

namespace myops {
namespace {

TEST(Printable, LeavesTextAndWellFormedUtf8AsTheyAre) {
  EXPECT_EQ(printable("libmyops_cpu.so"), "libmyops_cpu.so");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\x8D"),
            "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\x8D");
}

TEST(Printable, ShowsControlCharactersInsteadOfSendingThem) {
  EXPECT_EQ(printable("a\x1b[31mb\n\x7f"), "a\\x1b[31mb\\x0a\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\\xc2\\x9b2J")
      << "a C1 control sequence introducer";
}

TEST(Printable, ShowsWhatTurnsTheWritingDirection) {
  EXPECT_EQ(printable("lib\xE2\x80\xAEos.exe"), "lib\\xe2\\x80\\xaeos.exe") << "right-to-left override";
  EXPECT_EQ(printable("\xD8\x9C"), "\\xd8\\x9c");
  EXPECT_EQ(printable("\xE2\x81\xA6"), "\\xe2\\x81\\xa6");
  EXPECT_EQ(printable("\xE2\x80\xA8"), "\\xe2\\x80\\xa8") << "line separator";
  EXPECT_EQ(printable("\xE2\x80\x93\xE2\x82\xAC"), "\xE2\x80\x93\xE2\x82\xAC") << "a dash and a currency";
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xFF"), "\\xff");
  EXPECT_EQ(printable("\xC3"), "\\xc3") << "cut off";
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xE0\x9F\xBF"), "\\xe0\\x9f\\xbf") << "overlong";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(printable("\xF0\x8F\xBF\xBF"), "\\xf0\\x8f\\xbf\\xbf") << "overlong";
}

TEST(Printable, TakesTheEndsOfEveryRange) {
  for (const char* text :
       {"\x7E", "\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80", "\xEC\xBF\xBF", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF1\x80\x80\x80", "\xF3\xBF\xBF\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(ValidUtf8, ReplacesOnlyWhatIsNoUtf8) {
  EXPECT_EQ(valid_utf8("a\n\x1b"
                       "b"),
            "a\n\x1b"
            "b");
  EXPECT_EQ(valid_utf8("a\xFF\xFE"
                       "b"),
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(valid_utf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace myops
