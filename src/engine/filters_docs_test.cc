// SPDX-License-Identifier: Apache-2.0
// docs/filters.md tells the truth about how events find filters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>

#include "engine/engine.h"
#include "filter/document_testing.h"

namespace weir::engine {
namespace {

const filter::Document& filters_md() {
  static const filter::Document kDocument = filter::Document::read("docs/filters.md");
  return kDocument;
}

// How a matcher counts what the document says, for each conjunction.
std::size_t match::MatchSizes::* member_of(const std::string& words) {
  using match::MatchSizes;
  static const std::map<std::string, std::size_t MatchSizes::*> kMembers = {
      {"the value", &MatchSizes::by_point},
      {"the range", &MatchSizes::by_range},
      {"one of the values", &MatchSizes::by_door},
      {"the value of an element", &MatchSizes::by_door},
      {"the beginning", &MatchSizes::by_door},
      {"the end", &MatchSizes::by_door},
      {"any value there", &MatchSizes::by_door},
      {"the words, and then the value", &MatchSizes::by_point},
      {"the words", &MatchSizes::always},
      {"nothing: every event gets through to it", &MatchSizes::always},
      {"nothing: every event is tried", &MatchSizes::unindexed},
  };
  return kMembers.at(words);
}

void expect_found_by(const std::string& text, const std::string& words) {
  Engine engine;
  const auto subscribed = engine.subscribe(text);
  ASSERT_TRUE(subscribed.has_value()) << subscribed.error().to_string();
  const match::MatchSizes sizes = engine.match_sizes();
  EXPECT_GE(sizes.conjunctions, 1U);
  EXPECT_EQ(sizes.*member_of(words), sizes.conjunctions) << text;
  EXPECT_EQ(engine.memory().text_filter_count, words.starts_with("the words") ? 1U : 0U) << text;
}

TEST(FiltersDocsTest, EveryFilterIsFoundAsItIsSaid) {
  const auto rows = filters_md().rows("a conjunction such as");
  EXPECT_GE(rows.size(), 35U);
  for (const filter::DocumentRow& row : rows) {
    SCOPED_TRACE(fmt::format("docs/filters.md:{}", row.line));
    expect_found_by(row.cells[0], row.cells[1]);
  }
}

TEST(FiltersDocsTest, WhatIsWrittenInsteadIsFoundBySomething) {
  const auto rows = filters_md().rows("instead of");
  EXPECT_GE(rows.size(), 5U);
  for (const filter::DocumentRow& row : rows) {
    SCOPED_TRACE(fmt::format("docs/filters.md:{}", row.line));
    Engine engine;
    ASSERT_TRUE(engine.subscribe(row.cells[0]).has_value());
    EXPECT_EQ(engine.match_sizes().unindexed + engine.match_sizes().always, 1U);
    expect_found_by(row.cells[1], row.cells[2]);
  }
}

}  // namespace
}  // namespace weir::engine
