// SPDX-License-Identifier: Apache-2.0
// docs/filters.md tells the truth: its examples parse, pass and fail as it says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "event/event_testing.h"
#include "filter/document_testing.h"
#include "filter/evaluate.h"
#include "filter/filter.h"
#include "filter/filter_testing.h"
#include "filter/limits.h"
#include "filter/print.h"

namespace weir::filter {
namespace {

const Document& filters_md() {
  static const Document kDocument = Document::read("docs/filters.md");
  return kDocument;
}

std::string where(std::size_t line) { return fmt::format("docs/filters.md:{}", line); }

// A filter, and the events under it.
struct Example {
  DocumentLine filter;
  std::vector<DocumentLine> passes;
  std::vector<DocumentLine> fails;
};

// A line that is not indented begins a filter; under it stand `yes` and `no` with events, and lines
// that go on.
std::vector<Example> examples_of(const DocumentBlock& block) {
  std::vector<Example> examples;
  for (const DocumentLine& line : block.lines) {
    if (line.text.empty()) continue;
    if (!line.text.starts_with("  ")) {
      examples.push_back({line, {}, {}});
    } else if (line.text.starts_with("  yes ")) {
      examples.back().passes.push_back({line.text.substr(6), line.line});
    } else if (line.text.starts_with("  no ")) {
      examples.back().fails.push_back({line.text.substr(5), line.line});
    } else {
      examples.back().filter.text += "\n" + line.text;
    }
  }
  return examples;
}

void check_example(const Example& example) {
  SCOPED_TRACE(where(example.filter.line));
  const auto filter = Filter::parse(example.filter.text);
  ASSERT_TRUE(filter.has_value()) << filter.error().to_string();
  EXPECT_TRUE((*filter)->warnings().empty());
  FixedScorer scorer;
  const auto passes = [&](const DocumentLine& event) {
    return evaluate(*(*filter)->expr(), *event::event_of(event.text), scorer);
  };
  for (const DocumentLine& event : example.passes) EXPECT_TRUE(passes(event)) << where(event.line);
  for (const DocumentLine& event : example.fails) EXPECT_FALSE(passes(event)) << where(event.line);
}

TEST(DocsTest, EveryExampleParsesAndDoesWhatItSays) {
  std::size_t count = 0;
  for (const DocumentBlock& block : filters_md().blocks("weir")) {
    for (const Example& example : examples_of(block)) {
      check_example(example);
      ++count;
    }
  }
  EXPECT_GE(count, 30U);
}

TEST(DocsTest, EverySubscriptionParses) {
  const auto blocks = filters_md().blocks("json");
  EXPECT_FALSE(blocks.empty());
  for (const DocumentBlock& block : blocks) {
    std::string json;
    for (const DocumentLine& line : block.lines) json += line.text + "\n";
    const auto filter = Filter::parse_dialects(json);
    EXPECT_TRUE(filter.has_value()) << where(block.lines[0].line) << filter.error().to_string();
  }
}

// Pairs of lines: a filter and what is said of it.
TEST(DocsTest, EveryErrorIsQuotedExactly) {
  std::size_t count = 0;
  for (const DocumentBlock& block : filters_md().blocks("weir-error")) {
    for (std::size_t i = 0; i + 1 < block.lines.size(); i += 3) {
      const auto filter = Filter::parse(block.lines[i].text);
      ASSERT_FALSE(filter.has_value()) << where(block.lines[i].line);
      EXPECT_EQ(filter.error().to_string(), block.lines[i + 1].text) << where(block.lines[i].line);
      ++count;
    }
  }
  EXPECT_GE(count, 5U);
}

TEST(DocsTest, TablesOfTextsAreRight) {
  std::size_t count = 0;
  for (const DocumentRow& row : filters_md().rows("filter")) {
    SCOPED_TRACE(where(row.line));
    const auto filter = Filter::parse(row.cells[0]);
    if (row.cells[1].starts_with("is an error")) {
      EXPECT_FALSE(filter.has_value());
      continue;
    }
    ASSERT_TRUE(filter.has_value()) << filter.error().to_string();
    const std::string normal = to_text(*to_expr((*filter)->normal_form()));
    EXPECT_TRUE((*filter)->to_text() == row.cells[1] || normal == row.cells[1])
        << (*filter)->to_text() << "\n"
        << normal;
    ++count;
  }
  EXPECT_GE(count, 7U);
}

TEST(DocsTest, EveryFilterThatIsSaidToBeWarnedOfIs) {
  const auto rows = filters_md().rows("a filter such as");
  std::set<std::string_view> documented;
  for (const DocumentRow& row : rows) {
    const auto filter = Filter::parse(row.cells[0]);
    ASSERT_TRUE(filter.has_value()) << where(row.line);
    const auto& warnings = (*filter)->warnings();
    EXPECT_TRUE(std::ranges::any_of(warnings, [&](const Warning& warning) {
      return warning.name() == row.cells[1];
    })) << where(row.line);
    documented.insert(row.cells[1]);
  }
  for (std::size_t i = 0; i < kWarningIdCount; ++i) {
    const std::string_view name = to_string(static_cast<WarningId>(i));
    EXPECT_TRUE(documented.contains(name)) << name;
  }
}

TEST(DocsTest, DialectsTreatAMissingAttributeAsTheTableSays) {
  const auto rows = filters_md().rows("on an event without `a`");
  EXPECT_GE(rows.size(), 6U);
  const auto event = event::event_of("{}");
  FixedScorer scorer;
  for (const DocumentRow& row : rows) {
    const auto filter = Filter::parse_dialects("[" + row.cells[0] + "]");
    ASSERT_TRUE(filter.has_value()) << where(row.line);
    EXPECT_EQ(evaluate(*(*filter)->expr(), *event, scorer), row.cells[1].starts_with("passes"))
        << where(row.line);
  }
}

TEST(DocsTest, FiltersOfTheFirstTableParse) {
  const auto rows = filters_md().rows("kind");
  ASSERT_EQ(rows.size(), 5U);
  for (const DocumentRow& row : rows) {
    EXPECT_TRUE(Filter::parse(row.cells[2]).has_value()) << where(row.line);
  }
}

TEST(DocsTest, LimitsAreTheDefaults) {
  const FilterLimits limits;
  const std::map<std::string, std::size_t> defaults = {
      {"text_bytes_max", limits.text_bytes_max},
      {"depth_max", limits.depth_max},
      {"list_count_max", limits.list_count_max},
      {"pattern_bytes_max", limits.pattern_bytes_max},
      {"conjunction_count_max", limits.conjunction_count_max},
      {"term_count_max", limits.term_count_max}};
  std::map<std::string, std::size_t> documented;
  for (const DocumentRow& row : filters_md().rows("limit")) {
    documented[row.cells[0]] = std::stoul(row.cells[1]);
  }
  EXPECT_EQ(documented, defaults);
}

}  // namespace
}  // namespace weir::filter
