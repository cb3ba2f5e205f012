// SPDX-License-Identifier: Apache-2.0
// docs/change.md tells the truth: its tables are run row by row, its filters parse.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/event_testing.h"
#include "filter/document_testing.h"
#include "filter/duration.h"
#include "filter/filter_testing.h"
#include "match/change_stream_testing.h"

namespace weir::match {
namespace {

using filter::trimmed;

const filter::Document& change_md() {
  static const filter::Document kDocument = filter::Document::read("docs/change.md");
  return kDocument;
}

// "  1s | 12 | held"
struct Row {
  std::string time;
  std::string value;
  std::string outcome;
};

Row row_of(std::string_view line) {
  const std::size_t first = line.find('|');
  const std::size_t last = line.rfind('|');
  return {trimmed(line.substr(0, first)), trimmed(line.substr(first + 1, last - first - 1)),
          trimmed(line.substr(last + 1))};
}

double seconds_of(const std::string& time) {
  const auto prefix = filter::parse_duration_prefix(time);
  EXPECT_TRUE(prefix.has_value()) << time;
  return prefix ? static_cast<double>(prefix->duration.nanoseconds) / 1e9 : 0;
}

std::string_view name_of(ChangeVerdict verdict) {
  switch (verdict) {
    case ChangeVerdict::kHeld:
      return "held";
    case ChangeVerdict::kWithinThreshold:
      return "within threshold";
    case ChangeVerdict::kNoValue:
      return "no value";
    default:
      return "?";
  }
}

std::string members_of(const std::string& value) {
  if (value == "missing") return R"("data":{})";
  if (value.starts_with("{")) return value.substr(1, value.size() - 2);
  return fmt::format(R"("data":{{"v":{}}})", value);
}

// The outcome in the words of the table; ids are the times of the readings.
std::string told(const std::string& ids, const std::string& own, ChangeVerdict verdict) {
  if (ids.empty()) return std::string(name_of(verdict));
  if (ids == own) return "delivered";
  if (ids == '[' + own + ']') return "delivered as a group";
  std::vector<std::string> readings;
  std::istringstream words(ids);
  for (std::string word; words >> word;) readings.push_back(word);
  const bool with_own = readings.back() == own;
  if (with_own) readings.pop_back();
  std::string text = with_own ? "delivered with " : "delivered ";
  const char* separator = "";
  for (std::string& reading : readings) {
    const bool is_repeated = reading.ends_with('*');
    if (is_repeated) reading.pop_back();
    text += std::exchange(separator, ", ") + reading + (is_repeated ? " again" : "");
  }
  return text;
}

// How the filters of a kind of block begin.
struct Mode {
  std::string_view language;
  ChangeOptions options = {};
  bool is_told_at_once = false;
};

std::string outcome_of(ChangeStream& stream, const Row& row, bool& begins) {
  const double now = seconds_of(row.time);
  if (row.outcome == "known") {
    stream.learn(now, row.time, members_of(row.value));
    return row.outcome;
  }
  if (!row.value.empty()) {
    const std::string ids = stream.publish(now, row.time, members_of(row.value));
    return told(ids, row.time, stream.verdict);
  }
  const std::string ids = std::exchange(begins, false) ? stream.begin(now) : stream.advance(now);
  return ids.empty() ? "nothing" : told(ids, "", ChangeVerdict::kFired);
}

// Number of rows.
std::size_t check_blocks(const Mode& mode) {
  std::size_t count = 0;
  for (const filter::DocumentBlock& block : change_md().blocks(mode.language)) {
    std::optional<ChangeStream> stream;
    bool begins = false;
    for (const filter::DocumentLine& line : block.lines) {
      SCOPED_TRACE(fmt::format("docs/change.md:{}", line.line));
      if (!line.text.starts_with("  ")) {
        EXPECT_TRUE(filter::filter_of(line.text)->warnings().empty());
        stream.emplace(line.text, mode.options);
        begins = mode.is_told_at_once;
        continue;
      }
      const Row row = row_of(line.text);
      EXPECT_EQ(outcome_of(*stream, row, begins), row.outcome);
      ++count;
    }
  }
  return count;
}

TEST(ChangeDocsTest, EveryRowIsRight) {
  EXPECT_GE(check_blocks({.language = "change"}), 125U);
  EXPECT_GE(check_blocks({.language = "change-initial-latest", .is_told_at_once = true}), 5U);
  EXPECT_GE(
      check_blocks({.language = "change-initial-none", .options = {.initial = Initial::kNone}}),
      10U);
}

TEST(ChangeDocsTest, EveryFilterParses) {
  std::size_t count = 0;
  for (const filter::DocumentBlock& block : change_md().blocks("weir")) {
    for (const filter::DocumentLine& line : block.lines) {
      const auto filter = filter::Filter::parse(line.text);
      EXPECT_TRUE(filter.has_value() && (*filter)->warnings().empty())
          << fmt::format("docs/change.md:{}", line.line);
      ++count;
    }
  }
  EXPECT_GE(count, 6U);
}

}  // namespace
}  // namespace weir::match
