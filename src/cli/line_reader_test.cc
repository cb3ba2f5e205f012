// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/prng.h"

namespace weir::cli {
namespace {

using Lines = std::vector<std::string>;

// Gives at most so many bytes at once, then fails or ends.
class DripSource final : public ByteSource {
 public:
  DripSource(std::string_view bytes, std::size_t step) : bytes_(bytes), step_(step) {}

  base::Result<std::size_t> read(std::span<char> out) override {
    ++read_count;
    if (bytes_.empty() && fails_at_end) {
      return base::Error{base::ErrorId::kCliFile, "torn out", std::nullopt};
    }
    return MemorySource(take(std::min(step_, out.size()))).read(out);
  }
  bool wait(base::Duration) override { return true; }

  std::size_t read_count = 0;
  bool fails_at_end = false;

 private:
  std::string_view take(std::size_t count) {
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view bytes_;
  std::size_t step_;
};

// All lines; an error is the text of its position.
Lines read(ByteSource& source, LineReader::Options options) {
  LineReader reader(source, options);
  Lines lines;
  for (;;) {
    const auto more = reader.next();
    if (!more) {
      EXPECT_EQ(more.error().id, base::ErrorId::kCliLineTooLong);
      lines.push_back("too long: " + std::to_string(more.error().position->line));
    } else if (*more) {
      lines.emplace_back(reader.line());
    } else {
      return lines;
    }
  }
}

Lines lines_of(std::string_view text, LineReader::Options options = {}) {
  MemorySource source(text);
  return read(source, options);
}

TEST(LineReaderTest, GivesLinesWithoutTheirNewlines) {
  EXPECT_EQ(lines_of("one\ntwo\n"), Lines({"one", "two"}));
}

TEST(LineReaderTest, TakesTheLastLineWithoutANewline) {
  EXPECT_EQ(lines_of("one\ntwo"), Lines({"one", "two"}));
}

TEST(LineReaderTest, KnowsNoLineInAnEmptyInput) { EXPECT_EQ(lines_of(""), Lines()); }

TEST(LineReaderTest, KeepsEmptyLines) {
  EXPECT_EQ(lines_of("\n\na\n\n"), Lines({"", "", "a", ""}));
}

TEST(LineReaderTest, KeepsCarriageReturns) {
  EXPECT_EQ(lines_of("one\r\ntwo\r\n"), Lines({"one\r", "two\r"}));
}

TEST(LineReaderTest, KeepsNulBytes) {
  const std::string text("a\0b\n\0\n", 6);
  EXPECT_EQ(lines_of(text), Lines({std::string("a\0b", 3), std::string("\0", 1)}));
}

TEST(LineReaderTest, CountsLinesFromOne) {
  MemorySource source("a\n\nb");
  LineReader reader(source);
  EXPECT_EQ(reader.line_number(), 0U);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    ASSERT_TRUE(reader.next().value());
    EXPECT_EQ(reader.line_number(), number);
  }
  EXPECT_FALSE(reader.next().value());
  EXPECT_FALSE(reader.next().value());
  EXPECT_EQ(reader.read_bytes(), 4U);
}

TEST(LineReaderTest, GrowsItsBufferUpToTheLimitOfALine) {
  const std::string line(1000, 'x');
  EXPECT_EQ(lines_of(line + "\n" + line, {.line_bytes_max = 1000, .buffer_bytes = 16}),
            Lines({line, line}));
}

TEST(LineReaderTest, TellsTheNumberOfALineThatIsTooLongAndGoesOnAfterIt) {
  const std::string line(1001, 'x');
  const std::string text = "a\n" + line + "\nb\n" + line;
  EXPECT_EQ(lines_of(text, {.line_bytes_max = 1000, .buffer_bytes = 16}),
            Lines({"a", "too long: 2", "b", "too long: 4"}));
  EXPECT_EQ(lines_of(text, {.line_bytes_max = 1000, .buffer_bytes = 1U << 20U}),
            Lines({"a", "too long: 2", "b", "too long: 4"}));
}

TEST(LineReaderTest, SkipsALineFarBeyondTheLimitWithoutKeepingIt) {
  std::string text(1U << 20U, 'x');
  text += "\nb\n";
  DripSource source(text, 1000);
  EXPECT_EQ(read(source, {.line_bytes_max = 100, .buffer_bytes = 64}), Lines({"too long: 1", "b"}));
}

TEST(LineReaderTest, CallsTheHookBeforeEveryRead) {
  DripSource source("abc\ndef\n", 3);
  LineReader reader(source);
  std::size_t call_count = 0;
  reader.before_read([&] {
    EXPECT_EQ(source.read_count, call_count);
    ++call_count;
  });
  while (reader.next().value()) {
  }
  EXPECT_EQ(call_count, source.read_count);
  EXPECT_EQ(call_count, 4U);
}

TEST(LineReaderTest, HandsOnTheErrorOfItsSource) {
  DripSource source("a\nb", 1);
  source.fails_at_end = true;
  LineReader reader(source);
  ASSERT_TRUE(reader.next().value());
  const auto more = reader.next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().id, base::ErrorId::kCliFile);
}

// The definition: split at newlines.
Lines split(std::string_view text, std::size_t bytes_max) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    lines.push_back(line.size() > bytes_max ? "too long: " + std::to_string(lines.size() + 1)
                                            : std::string(line));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

TEST(LineReaderTest, SplitsAtNewlinesWhateverTheSizesOfReadsAndBuffers) {
  base::Prng prng(11);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::uint64_t size = prng.below(40);
    while (text.size() < size) text += prng.chance(0.2) ? '\n' : 'x';
    DripSource source(text, 1 + prng.below(8));
    const std::size_t bytes_max = 1 + prng.below(9);
    const LineReader::Options options{.line_bytes_max = bytes_max,
                                      .buffer_bytes = 1 + prng.below(12)};
    ASSERT_EQ(read(source, options), split(text, bytes_max)) << "round " << round;
  }
}

}  // namespace
}  // namespace weir::cli
