// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::match {
namespace {

using event::event_of;
using event::EventPtr;

filter::FilterPtr filter_of(std::string_view text) { return *filter::Filter::parse(text); }

TEST(TextScorerTest, CountsADocumentInBeforeItIsScored) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.body) about 'storm' score >= 0.5");
  ASSERT_TRUE(scorer.add(*filter));
  const EventPtr calm = event_of(R"({"data":{"body":"a calm sunny day"}})");
  const EventPtr storm = event_of(R"({"data":{"body":"Storms! The storm of storms hits a town"}})");
  scorer.begin(*storm);
  EXPECT_EQ(scorer.score(*filter->abouts()[0], *storm), 0.0) << "ln(1/1)";
  scorer.begin(*calm);
  EXPECT_EQ(scorer.score(*filter->abouts()[0], *calm), 0.0);
  scorer.begin(*calm);
  scorer.begin(*storm);
  EXPECT_DOUBLE_EQ(*scorer.score(*filter->abouts()[0], *storm), std::log(4.0 / 2.0));
}

TEST(TextScorerTest, AnEventWithoutTextHasNoScoreAndIsNotCounted) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.title, data.body) about 'storm' score >= 0");
  ASSERT_TRUE(scorer.add(*filter));
  for (const char* json : {R"({"data":{"body":5}})", R"({"data":null})", R"({})",
                           R"({"data":{"body":[1,2]}})", R"({"data_base64":"AAAA"})"}) {
    const EventPtr event = event_of(json);
    scorer.begin(*event);
    EXPECT_EQ(scorer.score(*filter->abouts()[0], *event), std::nullopt) << json;
  }
  EXPECT_EQ(scorer.corpus(filter->abouts()[0]->fields)->document_count(), 0U);
  const EventPtr empty = event_of(R"({"data":{"body":""}})");
  scorer.begin(*empty);
  EXPECT_EQ(scorer.score(*filter->abouts()[0], *empty), 0.0);
}

TEST(TextScorerTest, JoinsTheTextOfAllFieldsAndTheStringsOfArrays) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(subject, data.tags) about 'storm flood' score >= 0");
  ASSERT_TRUE(scorer.add(*filter));
  scorer.begin(*event_of(R"({"data":{"tags":["nothing"]}})"));
  const EventPtr event =
      event_of(R"({"subject":"storm","data":{"tags":["flood","storm",7,"rescue"]}})");
  scorer.begin(*event);
  // storm 2/2 * ln 2, flood 1/2 * ln 2
  EXPECT_DOUBLE_EQ(*scorer.score(*filter->abouts()[0], *event), 1.5 * std::log(2.0));
}

TEST(TextScorerTest, KeepsOneCorpusPerChoiceOfFieldsWhileSomebodyNeedsIt) {
  TextScorer scorer({}, {});
  const auto first = filter_of("text(data.a) about 'storm' score >= 0");
  const auto second = filter_of("text(data.a) about 'flood' score >= 0");
  const auto other = filter_of("text(data.b) about 'flood' score >= 0");
  for (const auto& filter : {first, second, other}) ASSERT_TRUE(scorer.add(*filter));
  scorer.begin(*event_of(R"({"data":{"a":"x"}})"));
  EXPECT_EQ(scorer.corpus(first->abouts()[0]->fields)->document_count(), 1U);
  EXPECT_EQ(scorer.corpus(other->abouts()[0]->fields)->document_count(), 0U);
  scorer.remove(*first);
  EXPECT_NE(scorer.corpus(first->abouts()[0]->fields), nullptr);
  scorer.remove(*second);
  EXPECT_EQ(scorer.corpus(first->abouts()[0]->fields), nullptr);
}

TEST(TextScorerTest, RefusesAQueryOfStopWordsOnly) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.a) about 'the of and' score >= 1");
  const auto added = scorer.add(*filter);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().id, base::ErrorId::kFilterNoTerms);
}

TEST(TextScorerTest, APreviewEqualsTheScoreAndChangesNothing) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.a) about 'storm flood' score >= 1");
  ASSERT_TRUE(scorer.add(*filter));
  scorer.begin(*event_of(R"({"data":{"a":"calm"}})"));
  const EventPtr event = event_of(R"({"data":{"a":"storm and flood and storm"}})");
  const auto preview = scorer.preview(*filter->abouts()[0], *event);
  EXPECT_EQ(scorer.corpus(filter->abouts()[0]->fields)->document_count(), 1U);
  scorer.begin(*event);
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->total, scorer.score(*filter->abouts()[0], *event));
  EXPECT_EQ(preview->shares.size(), 2U);
}

TEST(TextScorerTest, AChangeOfATextHasTheStatisticsOfItsFields) {
  TextScorer scorer({}, {});
  const auto filter = filter::filter_of("change(text(data.t)) > 0.5");
  const auto about = filter::filter_of("text(data.t) about 'storm' score >= 1");
  ASSERT_TRUE(scorer.add(*filter));
  ASSERT_TRUE(scorer.add(*about));
  const std::vector<event::Path>& fields = *filter->text_fields()[0];
  EXPECT_EQ(fields, *about->text_fields()[0]);
  const auto storm = event::event_of(R"({"data":{"t":"storm"}})");
  const auto calm = event::event_of(R"({"data":{"t":"calm"}})");
  scorer.begin(*storm);
  const auto first = scorer.document(fields, *storm);
  ASSERT_TRUE(first.has_value());
  const auto second = scorer.preview_document(fields, *calm);
  EXPECT_EQ(scorer.distance(fields, *first, *second), 0) << "calm is unknown, storm in all";
  EXPECT_EQ(scorer.preview_distance(fields, *calm, *first, *second), 1);
  scorer.begin(*calm);
  EXPECT_EQ(scorer.document(fields, *calm), second);
  EXPECT_EQ(scorer.distance(fields, *first, *second), 1);
  scorer.begin(*event::event_of("{}"));
  EXPECT_EQ(scorer.document(fields, *calm), std::nullopt) << "of the event at hand";
  scorer.remove(*about);
  EXPECT_EQ(scorer.corpus(fields)->document_count(), 2U);
  scorer.remove(*filter);
  EXPECT_EQ(scorer.corpus(fields), nullptr);
}

}  // namespace
}  // namespace weir::match
