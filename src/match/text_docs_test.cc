// SPDX-License-Identifier: Apache-2.0
// docs/text.md tells the truth: its tables are run row by row, its filters parse.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/event_testing.h"
#include "event/json_document.h"
#include "filter/document_testing.h"
#include "filter/duration.h"
#include "filter/filter_testing.h"
#include "match/text_scorer.h"

namespace weir::match {
namespace {

using filter::trimmed;

const filter::Document& text_md() {
  static const filter::Document kDocument = filter::Document::read("docs/text.md");
  return kDocument;
}

// "  1h | calm (63 times) | no 0.00: low score"; the time may be left out.
struct Row {
  base::Instant time;
  std::string text;
  int times = 1;
  std::string outcome;
};

Row row_of(std::string_view line) {
  const std::size_t last = line.rfind('|');
  Row row{.time = {}, .text = {}, .outcome = trimmed(line.substr(last + 1))};
  line = line.substr(0, last);
  if (const std::size_t first = line.find('|'); first != line.npos) {
    const auto time = filter::parse_duration_prefix(trimmed(line.substr(0, first)));
    EXPECT_TRUE(time.has_value()) << line;
    row.time = base::Instant{} + time->duration;
    line = line.substr(first + 1);
  }
  row.text = trimmed(line);
  const std::size_t open = row.text.rfind(" (");
  if (open == std::string::npos || !row.text.ends_with(" times)")) return row;
  row.times = std::stoi(row.text.substr(open + 2));
  row.text.resize(open);
  return row;
}

event::EventPtr event_of(const std::string& text) {
  if (text.starts_with("{")) return event::event_of(text);
  std::string json;
  event::append_json_string(text, json);
  return event::event_of(fmt::format(R"({{"data":{{"t":{}}}}})", json));
}

std::string_view name_of(TextFailure failure) {
  switch (failure) {
    case TextFailure::kNone:
      break;
    case TextFailure::kNoText:
      return ": no text";
    case TextFailure::kExcludedTerm:
      return ": excluded ";
    case TextFailure::kExcludedPhrase:
      return ": excluded phrase ";
    case TextFailure::kMissingPhrase:
      return ": missing phrase ";
    case TextFailure::kMissingTerm:
      return ": missing ";
    case TextFailure::kNoneOfThem:
      return ": none of them";
    case TextFailure::kLowScore:
      return ": low score";
  }
  return "";
}

// The outcome in the words of the table.
std::string told(const TextMatchInfo& info, bool with_epoch) {
  std::string text = fmt::format("{} {:.2f}{}{}", info.verdict.holds ? "yes" : "no",
                                 info.verdict.score, name_of(info.failure), info.failed);
  if (with_epoch) text += fmt::format(" in epoch {}", info.verdict.epoch);
  return text;
}

// One filter, and texts that are published one after the other.
class Stream {
 public:
  explicit Stream(std::string_view text) : filter_(filter::filter_of(text)), scorer_({}, {}) {
    EXPECT_TRUE(filter_->warnings().empty());
    const auto added = scorer_.add(*filter_);
    EXPECT_TRUE(added.has_value()) << text;
  }

  void check(const Row& row) {
    const event::EventPtr event = event_of(row.text);
    const bool with_epoch = row.outcome.find(" in epoch ") != std::string::npos;
    for (int i = 0; i < row.times; ++i) {
      scorer_.begin(*event, row.time);
      EXPECT_EQ(told(scorer_.match_info(*filter_->abouts()[0], *event), with_epoch), row.outcome);
    }
  }

 private:
  filter::FilterPtr filter_;
  TextScorer scorer_;
};

TEST(TextDocsTest, EveryRowIsRight) {
  std::size_t count = 0;
  for (const filter::DocumentBlock& block : text_md().blocks("text")) {
    std::optional<Stream> stream;
    for (const filter::DocumentLine& line : block.lines) {
      SCOPED_TRACE(fmt::format("docs/text.md:{}", line.line));
      if (line.text.starts_with("  ")) {
        stream->check(row_of(line.text));
        ++count;
      } else {
        stream.emplace(line.text);
      }
    }
  }
  EXPECT_GE(count, 55U);
}

void check_filter(const std::string& text, std::size_t line) {
  const auto filter = filter::Filter::parse(text);
  ASSERT_TRUE(filter.has_value() && (*filter)->warnings().empty())
      << fmt::format("docs/text.md:{}", line);
  TextScorer scorer({}, {});
  EXPECT_TRUE(scorer.add(**filter).has_value()) << fmt::format("docs/text.md:{}", line);
}

TEST(TextDocsTest, EveryFilterCanBeSubscribed) {
  std::size_t count = 0;
  for (const filter::DocumentBlock& block : text_md().blocks("weir")) {
    for (const filter::DocumentLine& line : block.lines) {
      check_filter(line.text, line.line);
      ++count;
    }
  }
  EXPECT_GE(count, 3U);
}

TEST(TextDocsTest, EveryQueryOfOthersHasAFilter) {
  std::size_t count = 0;
  for (const std::string_view head : {"Lucene query", "tsquery"}) {
    for (const filter::DocumentRow& row : text_md().rows(head)) {
      check_filter(row.cells[1], row.line);
      ++count;
    }
  }
  EXPECT_GE(count, 16U);
}

}  // namespace
}  // namespace weir::match
