// SPDX-License-Identifier: Apache-2.0
#include "cli/text_output.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

TEST(PrintableTest, KeepsText) { EXPECT_EQ(printable("type = 'Zürich' €"), "type = 'Zürich' €"); }

TEST(PrintableTest, ReplacesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\n\x7f\xc2\x9b"), "a?[2Jb????");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "?x");
}

TEST(PrintableTest, ReplacesWhatIsNotUtf8) { EXPECT_EQ(printable("a\xff\xc3z"), "a??z"); }

TEST(PrintableTest, CutsBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("aéé", 4), "aé...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(GroupedTest, PutsACommaBeforeEveryThirdDigit) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18'446'744'073'709'551'615U), "18,446,744,073,709,551,615");
}

TEST(ReadableBytesTest, UsesTheLargestUnit) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(66.1 * 1024 * 1024), "66.1 MiB");
}

TEST(ExcerptTest, PutsACaretBelowTheColumn) {
  EXPECT_EQ(excerpt("type == 'x'", 1, 6), "  type == 'x'\n       ^\n");
  EXPECT_EQ(excerpt("ab", 1, 3), "  ab\n    ^\n");
}

TEST(ExcerptTest, CountsCodePoints) { EXPECT_EQ(excerpt("é = =", 1, 5), "  é = =\n      ^\n"); }

TEST(ExcerptTest, ShowsTheLineOfThePosition) {
  EXPECT_EQ(excerpt("a = 1\nand b\n", 2, 5), "  and b\n      ^\n");
}

TEST(ExcerptTest, ShowsTheLastLineForOneBeyondIt) {
  EXPECT_EQ(excerpt("a b", 7, 3), "  a b\n    ^\n");
}

TEST(ExcerptTest, CutsALongLineAroundTheColumn) {
  const std::string line = std::string(200, 'a') + "X" + std::string(200, 'b');
  const std::string shown = excerpt(line, 1, 201);
  EXPECT_EQ(shown, "  ..." + std::string(60, 'a') + "X" + std::string(35, 'b') + "...\n" +
                       std::string(65, ' ') + "^\n");
}

TEST(ExcerptTest, ReplacesTabsSoThatTheCaretStandsRight) {
  EXPECT_EQ(excerpt("a\t= =", 1, 5), "  a?= =\n      ^\n");
}

}  // namespace
}  // namespace weir::cli
