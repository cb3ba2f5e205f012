// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file_testing.h"

namespace weir::base {
namespace {

using testing::ElementsAreArray;

std::vector<std::string> numbers_in_table() {
  std::vector<std::string> numbers;
  for (const ErrorInfo& info : error_table()) {
    numbers.push_back(fmt::format("{}", static_cast<int>(info.id)));
  }
  return numbers;
}

// The first group of every match, in the order of the text.
std::vector<std::string> all_matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

TEST(ErrorTest, HasATableThatAscends) {
  EXPECT_TRUE(std::ranges::is_sorted(error_table(), std::less_equal<>(), &ErrorInfo::id));
  EXPECT_EQ(std::ranges::adjacent_find(error_table(), {}, &ErrorInfo::id), error_table().end());
}

TEST(ErrorTest, NamesEveryErrorOnce) {
  std::set<std::string_view> names;
  const std::regex shape("[a-z]+\\.[a-z0-9]+(_[a-z0-9]+)*");
  for (const ErrorInfo& info : error_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(std::regex_match(std::string(info.name), shape)) << info.name;
    EXPECT_FALSE(info.meaning.empty()) << info.name;
  }
}

TEST(ErrorTest, HasARowForEveryEnumerator) {
  const std::string header = read_source_file("src/base/error.h");
  const auto enumerators = all_matches(header, "\n  k[A-Za-z0-9]+ = ([0-9]+),");
  ASSERT_GT(enumerators.size(), 40U);
  EXPECT_THAT(numbers_in_table(), ElementsAreArray(enumerators));
}

TEST(ErrorTest, FindsTheRowOfAnId) {
  for (const ErrorInfo& info : error_table()) EXPECT_EQ(&error_info(info.id), &info);
  EXPECT_EQ(error_info(ErrorId::kEventTime).name, "event.time");
  EXPECT_EQ(error_info(ErrorId::kCliFile).code, ErrorCode::kUnavailable);
}

TEST(ErrorTest, AbortsOnAnIdWithoutARow) {
  EXPECT_DEATH(error_info(static_cast<ErrorId>(1)), "check failed");
  EXPECT_DEATH(error_info(static_cast<ErrorId>(65535)), "check failed");
}

TEST(ErrorTest, IsDocumentedRowByRow) {
  std::istringstream document(read_source_file("docs/errors.md"));
  std::vector<std::string> documented;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("| ") && line.size() > 2 && line[2] >= '1' && line[2] <= '9') {
      documented.push_back(line);
    }
  }
  std::vector<std::string> expected;
  for (const ErrorInfo& info : error_table()) {
    expected.push_back(fmt::format("| {} | `{}` | `{}` | {} |", static_cast<int>(info.id),
                                   info.name, to_string(info.code), info.meaning));
  }
  EXPECT_THAT(documented, ElementsAreArray(expected));
}

TEST(ErrorTest, DocumentsEveryCode) {
  const auto documented = all_matches(read_source_file("docs/errors.md"),
                                      "\n\\| `([a-z_]+)` \\| [0-9]+ \\| [0-9]+ \\|");
  std::vector<std::string> expected;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCorrupt); ++code) {
    expected.emplace_back(to_string(static_cast<ErrorCode>(code)));
  }
  EXPECT_THAT(documented, ElementsAreArray(expected));
}

TEST(ErrorTest, SaysWhereAndWhat) {
  const Error placed{ErrorId::kJsonSyntax, "expected a value", Position{2, 7, 30}};
  EXPECT_EQ(placed.to_string(), "line 2, column 7: expected a value");
  EXPECT_EQ(placed.code(), ErrorCode::kInvalidInput);
  const Error placeless{ErrorId::kJsonTooLong, "too long", std::nullopt};
  EXPECT_EQ(placeless.to_string(), "too long");
  EXPECT_EQ(placeless.code(), ErrorCode::kLimit);
}

TEST(PositionTest, CountsLinesAndColumnsFromOne) {
  const std::string_view text = "ab\ncd\n\ne";
  EXPECT_EQ(position_at(text, 0), (Position{1, 1, 0}));
  EXPECT_EQ(position_at(text, 1), (Position{1, 2, 1}));
  EXPECT_EQ(position_at(text, 2), (Position{1, 3, 2}));  // the line feed ends its line
  EXPECT_EQ(position_at(text, 3), (Position{2, 1, 3}));
  EXPECT_EQ(position_at(text, 6), (Position{3, 1, 6}));
  EXPECT_EQ(position_at(text, 7), (Position{4, 1, 7}));
  EXPECT_EQ(position_at(text, 8), (Position{4, 2, 8}));
}

TEST(PositionTest, CountsCodePointsAsColumns) {
  const std::string_view text = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80x";  // 2, 3 and 4 bytes
  EXPECT_EQ(position_at(text, 2), (Position{1, 2, 2}));
  EXPECT_EQ(position_at(text, 5), (Position{1, 3, 5}));
  EXPECT_EQ(position_at(text, 9), (Position{1, 4, 9}));
  EXPECT_EQ(position_at(text, 10), (Position{1, 5, 10}));
}

TEST(PositionTest, CountsACarriageReturnAsACharacter) {
  EXPECT_EQ(position_at("a\r\nb", 2), (Position{1, 3, 2}));
  EXPECT_EQ(position_at("a\r\nb", 3), (Position{2, 1, 3}));
}

TEST(PositionTest, EndsWithTheText) {
  EXPECT_EQ(position_at("abc", 3), (Position{1, 4, 3}));
  EXPECT_EQ(position_at("abc", 100), (Position{1, 4, 3}));
  EXPECT_EQ(position_at("", 5), (Position{1, 1, 0}));
}

TEST(PositionFinderTest, AgreesWithPositionAtInAnyOrder) {
  const std::string_view text =
      "ab\n\xC3\xA9"
      "d\n\ne";
  PositionFinder finder(text);
  for (const std::size_t offset : {0U, 1U, 3U, 5U, 5U, 9U, 4U, 2U, 100U, 0U, 7U}) {
    EXPECT_EQ(finder.at(offset), position_at(text, offset)) << offset;
  }
}

// Were each one found from the start, this would take hours.
TEST(PositionFinderTest, FindsAllPositionsOfATextInOnePass) {
  const std::string text(4'000'000, 'x');
  PositionFinder finder(text);
  for (std::size_t offset = 0; offset <= text.size(); ++offset) {
    ASSERT_EQ(finder.at(offset).column, offset + 1);
  }
}

}  // namespace
}  // namespace weir::base
