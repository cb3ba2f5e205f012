// SPDX-License-Identifier: Apache-2.0
#include "filter/filter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "filter/filter_testing.h"
#include "filter/print.h"

namespace weir::filter {
namespace {

using base::ErrorId;

std::string kinds_of(std::string_view text) {
  const Kinds kinds = filter_of(text)->kinds();
  std::string out;
  if (kinds.topic) out += "topic ";
  if (kinds.content) out += "content ";
  if (kinds.text) out += "text ";
  if (kinds.change) out += "change ";
  if (kinds.distinct) out += "distinct ";
  if (!out.empty()) out.pop_back();
  return out;
}

TEST(FilterTest, TellsTheKindsOfInterestItCombines) {
  EXPECT_EQ(kinds_of("true"), "");
  EXPECT_EQ(kinds_of("type = 'a'"), "topic");
  EXPECT_EQ(kinds_of("source prefix '/a' and subject like 'b%'"), "topic");
  EXPECT_EQ(kinds_of("id = 'a'"), "content");
  EXPECT_EQ(kinds_of("time > timestamp '2026-01-01T00:00:00Z'"), "content");
  EXPECT_EQ(kinds_of("ext in (1)"), "content");
  EXPECT_EQ(kinds_of("data.x between 1 and 2"), "content");
  EXPECT_EQ(kinds_of("not exists data.x"), "content");
  EXPECT_EQ(kinds_of("exists subject"), "topic");
  EXPECT_EQ(kinds_of("type = data.type"), "topic content");
  EXPECT_EQ(kinds_of("data.type = subject"), "topic content");
  EXPECT_EQ(kinds_of("cesql('type = ''a''')"), "topic");
  EXPECT_EQ(kinds_of("cesql('type = ext')"), "topic content");
  EXPECT_EQ(kinds_of("text(data.b) about 'x' score >= 1"), "text");
  EXPECT_EQ(kinds_of("change(data.x) > 1"), "change");
  EXPECT_EQ(kinds_of("change(data.x, type = 'a') > 1"), "topic change");
  EXPECT_EQ(kinds_of("change(data.x, text(data.b) about 'x' score >= 1) > 1"), "text change");
  EXPECT_EQ(kinds_of("distinct(id) within 1h"), "distinct");
  EXPECT_EQ(kinds_of("type = 'a' and data.n = 1 and text(data.b) about 'x' score >= 1 and "
                     "change(data.x) > 1 and distinct(id) within 1h"),
            "topic content text change distinct");
}

TEST(FilterTest, FindsTextPredicatesWhereverTheyStand) {
  const auto filter = filter_of(
      "text(data.a) about 'one' score >= 1 or not (text(data.b) about 'two' score >= 2 and "
      "id = 'x') or change(data.x, text(data.c) about 'three' score >= 3) > 1");
  ASSERT_EQ(filter->abouts().size(), 3U);
  EXPECT_EQ(filter->abouts()[0]->words, "one");
  EXPECT_EQ(filter->abouts()[1]->words, "two");
  EXPECT_EQ(filter->abouts()[2]->words, "three");
  EXPECT_TRUE(filter_of("type = 'about'")->abouts().empty());
}

TEST(FilterTest, KnowsWhetherMatchingIsByConjunction) {
  EXPECT_TRUE(filter_of("type = 'a' or change(data.x) > 1")->has_change());
  EXPECT_FALSE(filter_of("type = 'a' and distinct(id) within 1h")->has_change());
  // Even if no conjunction is left of it: the tree alone could not be evaluated.
  EXPECT_TRUE(filter_of("change(data.x) > 1 and false")->has_change());
}

TEST(FilterTest, KeepsWarningsWithTheirPlaces) {
  const auto filter = filter_of("exists subject and\n  tpye = 'a'");
  ASSERT_EQ(filter->warnings().size(), 1U);
  EXPECT_EQ(filter->warnings()[0].position.line, 2U);
  EXPECT_EQ(filter->warnings()[0].position.column, 3U);
}

TEST(FilterTest, ReadsTheSameFilterFromEveryFrontEnd) {
  const auto by_weir = Filter::parse("cesql('type = ''a''')");
  const auto by_cesql = Filter::parse_cesql("type = 'a'");
  const auto by_dialects = Filter::parse_dialects(R"([{"sql":"type = 'a'"}])");
  ASSERT_TRUE(by_weir.has_value());
  ASSERT_TRUE(by_cesql.has_value());
  ASSERT_TRUE(by_dialects.has_value());
  EXPECT_TRUE(equal((*by_weir)->expr(), (*by_cesql)->expr()));
  EXPECT_TRUE(equal((*by_weir)->expr(), (*by_dialects)->expr()));
  EXPECT_EQ((*by_cesql)->to_text(), "cesql('type = ''a''')");
}

TEST(FilterTest, FailsWithTheErrorOfTheStepThatFailed) {
  EXPECT_EQ(Filter::parse("type =").error().id, ErrorId::kFilterSyntax);
  EXPECT_EQ(Filter::parse_cesql("type =").error().id, ErrorId::kFilterCesqlSyntax);
  EXPECT_EQ(Filter::parse_cesql("LENGTH(type)").error().id, ErrorId::kFilterType);
  EXPECT_EQ(Filter::parse_dialects("{}").error().id, ErrorId::kFilterDialectShape);
  EXPECT_EQ(Filter::parse("a = 1 or b = 2", {.conjunction_count_max = 1}).error().id,
            ErrorId::kFilterNormalFormTooLarge);
  const auto change = filter_of("change(data.x) > 1")->expr();
  EXPECT_EQ(Filter::create({make_not(change), std::nullopt, {}}).error().id,
            ErrorId::kFilterChangePlace);
}

TEST(FilterTest, IsMadeOfWhatAFrontEndParsed) {
  Parsed parsed{
      filter_of("a = 1 or b = 2")->expr(), filter_of("distinct(id) within 1h")->distinct(), {}};
  const auto filter = Filter::create(parsed);
  ASSERT_TRUE(filter.has_value());
  EXPECT_EQ((*filter)->to_text(), "(a = 1 or b = 2) and distinct(id) within 1h");
  EXPECT_EQ((*filter)->normal_form().conjunctions.size(), 2U);
  EXPECT_TRUE((*filter)->kinds().distinct);
}

}  // namespace
}  // namespace weir::filter
