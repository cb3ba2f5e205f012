// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/text_preview.h"

namespace weir::match {
namespace {

using event::event_of;
using event::EventPtr;
using filter::filter_of;

// Of the event at hand.
double score_of(TextScorer& scorer, const filter::FilterPtr& filter, const EventPtr& event) {
  return scorer.judge(*filter->abouts()[0], *event).score;
}

std::uint64_t document_count(const TextScorer& scorer, const filter::FilterPtr& filter) {
  return scorer.corpus(filter->abouts()[0]->source)->document_count();
}

TEST(TextScorerTest, CountsADocumentInBeforeItIsScored) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.body) about 'storm' score >= 0.5");
  ASSERT_TRUE(scorer.add(*filter));
  const EventPtr calm = event_of(R"({"data":{"body":"a calm sunny day"}})");
  const EventPtr storm = event_of(R"({"data":{"body":"Storms! The storm of storms hits a town"}})");
  scorer.begin(*storm, {});
  EXPECT_EQ(score_of(scorer, filter, storm), 0.0) << "ln(1/1)";
  scorer.begin(*calm, {});
  EXPECT_EQ(score_of(scorer, filter, calm), 0.0);
  scorer.begin(*calm, {});
  scorer.begin(*storm, {});
  EXPECT_DOUBLE_EQ(score_of(scorer, filter, storm), std::log(4.0 / 2.0));
}

TEST(TextScorerTest, AnEventWithoutTextHasNoScoreAndIsNotCounted) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.title, data.body) about 'storm' score >= 0");
  ASSERT_TRUE(scorer.add(*filter));
  for (const char* json : {R"({"data":{"body":5}})", R"({"data":null})", R"({})",
                           R"({"data":{"body":[1,2]}})", R"({"data_base64":"AAAA"})"}) {
    const EventPtr event = event_of(json);
    scorer.begin(*event, {});
    EXPECT_EQ(scorer.match_info(*filter->abouts()[0], *event),
              TextMatchInfo{.failure = TextFailure::kNoText})
        << json;
  }
  EXPECT_EQ(document_count(scorer, filter), 0U);
  const EventPtr empty = event_of(R"({"data":{"body":""}})");
  scorer.begin(*empty, {});
  EXPECT_EQ(score_of(scorer, filter, empty), 0.0);
}

TEST(TextScorerTest, JoinsTheTextOfAllFieldsAndTheStringsOfArrays) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(subject, data.tags) about 'storm flood' score >= 0");
  ASSERT_TRUE(scorer.add(*filter));
  scorer.begin(*event_of(R"({"data":{"tags":["nothing"]}})"), {});
  const EventPtr event =
      event_of(R"({"subject":"storm","data":{"tags":["flood","storm",7,"rescue"]}})");
  scorer.begin(*event, {});
  // storm 2/2 * ln 2, flood 1/2 * ln 2
  EXPECT_DOUBLE_EQ(score_of(scorer, filter, event), 1.5 * std::log(2.0));
}

TEST(TextScorerTest, KeepsOneCorpusPerChoiceOfFieldsWhileSomebodyNeedsIt) {
  TextScorer scorer({}, {});
  const auto first = filter_of("text(data.a) about 'storm' score >= 0");
  const auto second = filter_of("text(data.a) about 'flood' score >= 0");
  const auto other = filter_of("text(data.b) about 'flood' score >= 0");
  for (const auto& filter : {first, second, other}) ASSERT_TRUE(scorer.add(*filter));
  scorer.begin(*event_of(R"({"data":{"a":"x"}})"), {});
  EXPECT_EQ(document_count(scorer, first), 1U);
  EXPECT_EQ(document_count(scorer, other), 0U);
  scorer.remove(*first);
  EXPECT_NE(scorer.corpus(first->abouts()[0]->source), nullptr);
  scorer.remove(*second);
  EXPECT_EQ(scorer.corpus(first->abouts()[0]->source), nullptr);
}

TEST(TextScorerTest, RefusesAQueryOfStopWordsOnly) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.a) about 'the of and' score >= 1");
  const auto added = scorer.add(*filter);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().id, base::ErrorId::kFilterNoTerms);
}

TEST(TextScorerTest, AChangeOfATextHasTheStatisticsOfItsFields) {
  TextScorer scorer({}, {});
  const auto filter = filter::filter_of("change(text(data.t)) > 0.5");
  const auto about = filter::filter_of("text(data.t) about 'storm' score >= 1");
  ASSERT_TRUE(scorer.add(*filter));
  ASSERT_TRUE(scorer.add(*about));
  const filter::TextSource& source = *filter->text_sources()[0];
  EXPECT_EQ(source, *about->text_sources()[0]);
  const auto storm = event::event_of(R"({"data":{"t":"storm"}})");
  const auto calm = event::event_of(R"({"data":{"t":"calm"}})");
  scorer.begin(*storm, {});
  const auto first = scorer.document(source, *storm);
  ASSERT_TRUE(first.has_value());
  TextPreview preview(scorer, *calm, {});
  const auto second = preview.document(source, *calm);
  EXPECT_EQ(scorer.distance(source, *first, *second), 0) << "calm is unknown, storm in all";
  EXPECT_EQ(preview.distance(source, *first, *second), 1);
  scorer.begin(*calm, {});
  EXPECT_EQ(scorer.document(source, *calm), second);
  EXPECT_EQ(scorer.distance(source, *first, *second), 1);
  scorer.begin(*event::event_of("{}"), {});
  EXPECT_EQ(scorer.document(source, *calm), std::nullopt) << "of the event at hand";
  scorer.remove(*about);
  EXPECT_EQ(scorer.corpus(source)->document_count(), 2U);
  scorer.remove(*filter);
  EXPECT_EQ(scorer.corpus(source), nullptr);
}

TEST(TextScorerTest, StripsMarkupWhereAFieldIsHtml) {
  TextScorer scorer({}, {});
  const auto plain = filter_of("text(data.a) about all 'strong storm'");
  const auto html = filter_of("text(html(data.a)) about all 'storm'");
  for (const auto& filter : {plain, html}) ASSERT_TRUE(scorer.add(*filter));
  const EventPtr event = event_of(R"({"data":{"a":"<strong>st</strong>orm &amp; calm"}})");
  scorer.begin(*event, {});
  EXPECT_EQ(scorer.match_info(*plain->abouts()[0], *event).failed, "storm");
  EXPECT_TRUE(scorer.judge(*html->abouts()[0], *event).holds);
  EXPECT_EQ(scorer.document(html->abouts()[0]->source, *event), count_terms({"storm", "calm"}));
}

TEST(TextScorerTest, APhraseIsInOneStringOfOneField) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(data.a, data.b) about all '\"flash flood\"'");
  ASSERT_TRUE(scorer.add(*filter));
  const auto holds = [&](std::string_view json) {
    const EventPtr event = event_of(json);
    scorer.begin(*event, {});
    return scorer.judge(*filter->abouts()[0], *event).holds;
  };
  EXPECT_TRUE(holds(R"({"data":{"a":"a Flash\nFLOOD!"}})"));
  EXPECT_TRUE(holds(R"({"data":{"a":"x","b":["y","flash flood"]}})"));
  EXPECT_FALSE(holds(R"({"data":{"a":"flash","b":"flood"}})"));
  EXPECT_FALSE(holds(R"({"data":{"b":["flash","flood"]}})"));
  EXPECT_FALSE(holds(R"({"data":{"a":"flash of a flood"}})"));
  EXPECT_FALSE(holds(R"({"data":{"a":"flash floods"}})"));
}

TEST(TextScorerTest, HighlightsWhatTheEventAtHandIsAbout) {
  TextScorer scorer({}, {});
  const auto filter = filter_of("text(html(data.a), subject) about any 'storm'");
  ASSERT_TRUE(scorer.add(*filter));
  const auto highlights = [&](std::string_view json) {
    const EventPtr event = event_of(json);
    scorer.begin(*event, {});
    return scorer.highlights(*filter->abouts()[0], *event);
  };
  EXPECT_EQ(highlights(R"({"subject":"Storms","data":{"a":"<b>storm</b> &amp; calm"}})"),
            (std::vector<std::string>{"<em>storm</em> &amp; calm", "<em>Storms</em>"}));
  EXPECT_TRUE(highlights(R"({"lang":"de","data":{"a":"storm"}})").empty());
}

TEST(TextScorerTest, EachLanguageHasItsOwnAnalysisAndStatistics) {
  TextScorer scorer({}, {});
  const auto english = filter_of("text(data.a) about all 'storms'");
  const auto same = filter_of("text(data.a) in 'EN-gb' about all 'storming'");
  const auto german = filter_of("text(data.a) in 'german' about all 'Stürme'");
  for (const auto& filter : {english, same, german}) ASSERT_TRUE(scorer.add(*filter));
  EXPECT_EQ(scorer.corpus(english->abouts()[0]->source), scorer.corpus(same->abouts()[0]->source));
  EXPECT_NE(scorer.corpus(english->abouts()[0]->source),
            scorer.corpus(german->abouts()[0]->source));
  const EventPtr event = event_of(R"({"data":{"a":"storm Sturm"}})");
  scorer.begin(*event, {});
  EXPECT_TRUE(scorer.judge(*english->abouts()[0], *event).holds);
  EXPECT_TRUE(scorer.judge(*same->abouts()[0], *event).holds);
  EXPECT_TRUE(scorer.judge(*german->abouts()[0], *event).holds);
}

TEST(TextScorerTest, RefusesALanguageThatIsNotKnown) {
  TextScorer scorer({}, {});
  for (const char* text :
       {"text(data.a) in 'germn' about 'x'", "change(text(data.a) in 'germn') > 0.5"}) {
    const auto added = scorer.add(*filter_of(text));
    ASSERT_FALSE(added) << text;
    EXPECT_EQ(added.error().id, base::ErrorId::kEngineTextOptions);
    EXPECT_NE(added.error().message.find("'germn', did you mean german?"), std::string::npos);
  }
}

TEST(TextScorerTest, AnEventInAnotherLanguageHasNoText) {
  TextScorer scorer({}, {});
  const auto german = filter_of("text(data.a) in 'german' about all 'sturm'");
  const auto english = filter_of("text(data.a) about all 'sturm'");
  const auto any = filter_of("text(data.a) in 'none' about all 'sturm'");
  for (const auto& filter : {german, english, any}) ASSERT_TRUE(scorer.add(*filter));
  const auto publish = [&](std::string_view json) {
    const EventPtr event = event_of(json);
    scorer.begin(*event, {});
    std::string holding;
    for (const auto& filter : {german, english, any}) {
      const TextMatchInfo info = scorer.match_info(*filter->abouts()[0], *event);
      holding += info.verdict.holds ? 'y' : info.failure == TextFailure::kNoText ? '-' : 'n';
    }
    return holding;
  };
  EXPECT_EQ(publish(R"({"data":{"a":"Sturm"}})"), "yyy");
  EXPECT_EQ(publish(R"({"lang":"german","data":{"a":"Sturm"}})"), "y-y");
  EXPECT_EQ(publish(R"({"lang":"english","data":{"a":"Sturm"}})"), "-yy");
  EXPECT_EQ(publish(R"({"lang":"de-AT","data":{"a":"Sturm"}})"), "y-y");
  EXPECT_EQ(publish(R"({"lang":"klingon","data":{"a":"Sturm"}})"), "--y");
  EXPECT_EQ(publish(R"({"lang":5,"data":{"a":"Sturm"}})"), "--y");
  EXPECT_EQ(document_count(scorer, german), 3U);
  EXPECT_EQ(document_count(scorer, english), 2U);
  EXPECT_EQ(document_count(scorer, any), 6U);
}

TEST(TextScorerTest, AsksForTheDefaultScoreWhereNothingElseIsSaid) {
  for (const double score_min : {0.6, 0.7}) {
    TextScorer scorer({}, {}, score_min);
    const auto filter = filter_of("text(data.a) about 'storm'");
    ASSERT_TRUE(scorer.add(*filter));
    scorer.begin(*event_of(R"({"data":{"a":"calm"}})"), {});
    const EventPtr event = event_of(R"({"data":{"a":"storm"}})");
    scorer.begin(*event, {});  // scores ln 2 = 0.69
    EXPECT_EQ(scorer.judge(*filter->abouts()[0], *event).holds, score_min < 0.65);
  }
}

}  // namespace
}  // namespace weir::match
