// SPDX-License-Identifier: Apache-2.0
#include "match/text_scorer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/text_preview.h"
#include "match/work_budget.h"

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

TEST(TextScorerTest, CountsForEachVisibilityWhatItMaySee) {
  TextScorer scorer({}, {});
  const char* const text = "text(data.body) about 'merger' score >= 0.5";
  const auto everyone = filter_of(text);
  const auto desk = filter_of(text);
  const auto colleague = filter_of(text);
  const auto visible = std::make_shared<const TextVisibility>(TextVisibility{
      .name = "/desk/",
      .admits = [](const event::Event& one) { return one.source().starts_with("/desk/"); }});
  ASSERT_TRUE(scorer.add(*everyone));
  ASSERT_TRUE(scorer.add(*desk, visible));
  ASSERT_TRUE(scorer.add(*colleague, std::make_shared<const TextVisibility>(*visible)));
  const auto publish = [&](const char* source, const char* body) {
    const std::string json =
        std::string(R"({"source":")") + source + R"(","data":{"body":")" + body + R"("}})";
    EventPtr event = event_of(json);
    scorer.begin(*event, {});
    return event;
  };
  for (int i = 0; i < 9; ++i) {
    const EventPtr hidden = publish("/board/1", "merger");
    EXPECT_EQ(scorer.match_info(*desk->abouts()[0], *hidden).failure, TextFailure::kNoText);
  }
  publish("/desk/1", "calm");
  const EventPtr first = publish("/desk/1", "merger");
  EXPECT_DOUBLE_EQ(score_of(scorer, everyone, first), std::log(11.0 / 10.0));
  EXPECT_DOUBLE_EQ(score_of(scorer, desk, first), std::log(2.0 / 1.0));
  EXPECT_DOUBLE_EQ(score_of(scorer, colleague, first), std::log(2.0 / 1.0));
  EXPECT_EQ(document_count(scorer, everyone), 11U);
  EXPECT_EQ(document_count(scorer, desk), 2U);
  EXPECT_EQ(scorer.corpus(desk->abouts()[0]->source), scorer.corpus(colleague->abouts()[0]->source))
      << "one for all who see the same";

  const EventPtr hidden = publish("/board/1", "merger");
  TextPreview preview(scorer, *hidden, {});
  EXPECT_EQ(preview.match_info(*desk->abouts()[0]).failure, TextFailure::kNoText);
  base::ByteWriter writer;
  scorer.save(writer);
  const std::string bytes = writer.take();
  TextScorer other({}, {});
  ASSERT_TRUE(other.add(*desk, visible));
  base::ByteReader reader(bytes);
  ASSERT_TRUE(other.restore(TextLayout::kVisibility, reader));
  EXPECT_EQ(document_count(other, desk), 2U);
  scorer.remove(*desk);
  EXPECT_EQ(document_count(scorer, colleague), 2U);
  scorer.remove(*colleague);
  EXPECT_EQ(scorer.corpus(colleague->abouts()[0]->source),
            scorer.corpus(everyone->abouts()[0]->source));
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

TEST(TextScorerTest, FindingsOfOneEventShareWhatTheySayOfItsTerms) {
  TextScorer scorer({}, {});
  const auto storms = filter_of("text(data.a) about any 'storm'");
  const auto both = filter_of(
      "type = 'x' and text(data.a) about all 'calm' or "
      "text(data.a) about any 'storm flood'");
  ASSERT_TRUE(scorer.add(*storms));
  ASSERT_TRUE(scorer.add(*both));
  scorer.begin(*event_of(R"({"data":{"a":"market"}})"), {});
  const EventPtr event = event_of(R"({"data":{"a":"a storm and floods"}})");
  scorer.begin(*event, {});
  const TextFinding one = scorer.finding(*storms, *event);
  const TextFinding two = scorer.finding(*both, *event);
  ASSERT_TRUE(one);
  EXPECT_EQ(one.shares, two.shares);
  EXPECT_EQ(*one.shares, (TextShares{.epoch = 2, .terms = {{"storm", 6931}, {"flood", 6931}}}));
  EXPECT_EQ(one.score, 6931U);
  EXPECT_EQ(two.score, 13863U);
  EXPECT_EQ(two.about, 1U) << "the first predicate that holds";
  scorer.begin(*event_of(R"({"lang":"de","data":{"a":"storm"}})"), {});
  EXPECT_FALSE(scorer.finding(*storms, *event_of(R"({"lang":"de","data":{"a":"storm"}})")));
}

TEST(TextScorerTest, FindingsSayLittleOfAnEventWithManyTerms) {
  TextScorer scorer({}, {});
  std::string words;
  for (int i = 0; i < 1000; ++i) words += fmt::format("w{} ", i);
  const auto filter = filter_of(fmt::format("text(data.a) about any '{}'", words));
  ASSERT_TRUE(scorer.add(*filter));
  const EventPtr event = event_of(fmt::format(R"({{"data":{{"a":"{}"}}}})", words));
  scorer.set_shares_part(0.1);
  scorer.begin(*event, {});
  const TextFinding finding = scorer.finding(*filter, *event);
  ASSERT_TRUE(finding);
  std::size_t bytes = 0;
  for (const auto& [term, share] : finding.shares->terms) bytes += term.size() + 4;
  EXPECT_GT(bytes, event->json().size() / 20);
  EXPECT_LE(bytes, event->json().size() / 10);
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

// The cost of an event's texts for each owner, before any filter is judged.
class TextWorkTest : public testing::Test {
 protected:
  void add(const std::string& filter, const std::string& owner,
           const TextVisibilityPtr& visibility = nullptr) {
    filters_.push_back(filter_of(filter));
    ASSERT_TRUE(scorer_.add(*filters_.back(), visibility, nullptr, budget(owner)));
  }
  WorkBudgetPtr budget(const std::string& owner) {
    WorkBudgetPtr& known = budgets_[owner];
    if (!known) known = meter_.budget(owner);
    return known;
  }
  void begin(const std::string& json) {
    meter_.begin();
    scorer_.begin(*event_of(json), {});
  }
  std::uint64_t spent(const std::string& owner) { return kSteps - budget(owner)->left(); }

  static constexpr std::uint64_t kSteps = 100'000;
  WorkMeter meter_{kSteps};
  TextScorer scorer_{{}, {}};
  std::map<std::string, WorkBudgetPtr> budgets_;
  std::vector<filter::FilterPtr> filters_;
};

TEST_F(TextWorkTest, ALongTextIsChargedOnceToEachOwnerAndAShortOneForEachChoiceOfFields) {
  add("text(data.t) about 'storm'", "one");
  add("text(data.t, data.u) about 'storm'", "one");
  add("text(data.t) about 'storm'", "two");
  constexpr std::uint64_t kLong = 2000;
  begin(fmt::format(R"({{"data":{{"t":"{}"}}}})", std::string(kLong, '-')));
  EXPECT_GE(spent("one"), kLong * steps::kTextByte);
  EXPECT_LT(spent("one"), 2 * kLong * steps::kTextByte);
  EXPECT_GE(spent("two"), kLong * steps::kTextByte);
  constexpr std::uint64_t kShort = 1000;
  begin(fmt::format(R"({{"data":{{"t":"{}"}}}})", std::string(kShort, '-')));
  EXPECT_GE(spent("one"), 2 * kShort * steps::kTextByte);
  EXPECT_GE(spent("two"), kShort * steps::kTextByte);
  EXPECT_LT(spent("two"), 2 * kShort * steps::kTextByte);
}

TEST_F(TextWorkTest, EveryFieldIsChargedAlsoIfTheEventHasNone) {
  constexpr std::uint64_t kFields = 50;
  std::string fields = "data.f0";
  for (std::uint64_t i = 1; i < kFields; ++i) fields += fmt::format(", data.f{}", i);
  add(fmt::format("text({}) about 'storm'", fields), "one");
  begin(R"({"data":{}})");
  EXPECT_GE(spent("one"), kFields * steps::kTextField);
}

TEST_F(TextWorkTest, AFieldWithManyPlacesIsChargedForTheWholeEvent) {
  add("text(data.a[*].t) about 'storm'", "one");
  constexpr std::uint64_t kBytes = 3000;
  begin(fmt::format(R"({{"data":{{"other":"{}"}}}})", std::string(kBytes, '-')));
  EXPECT_GE(spent("one"), kBytes * steps::kPathByte);
}

TEST_F(TextWorkTest, PhrasesAreChargedForTheTextOnceMore) {
  add("text(data.t) about 'storm'", "words");
  add("text(data.u) about all 'storm \"storm warning\"'", "phrases");
  constexpr std::uint64_t kBytes = 2000;
  begin(fmt::format(R"({{"data":{{"t":"{0}","u":"{0}"}}}})", std::string(kBytes, '-')));
  EXPECT_GE(spent("phrases"), spent("words") + kBytes * steps::kTextByte);
}

TEST_F(TextWorkTest, TermsAreChargedToEveryVisibilityOfAText) {
  const auto visible = std::make_shared<const TextVisibility>(
      TextVisibility{.name = "some", .admits = [](const event::Event&) { return true; }});
  add("text(data.t) in 'none' about 'w1'", "one");
  add("text(data.t) in 'none' about 'w1'", "two", visible);
  constexpr std::uint64_t kTerms = 100;
  std::string text;
  for (std::uint64_t i = 0; i < kTerms; ++i) text += fmt::format(" w{}", i);
  begin(fmt::format(R"({{"data":{{"t":"{}"}}}})", text));
  EXPECT_GE(spent("one"), kTerms * steps::kTerm);
  EXPECT_GE(spent("two"), kTerms * steps::kTerm);
}

TEST_F(TextWorkTest, ATextThatIsTooLongIsNotCounted) {
  add("text(data.t) about 'storm'", "one");
  begin(fmt::format(R"({{"data":{{"t":"{}"}}}})", std::string(kSteps, '-')));
  EXPECT_TRUE(budget("one")->is_over());
  EXPECT_EQ(document_count(scorer_, filters_.front()), 0U);
  begin(R"({"data":{"t":"-"}})");
  EXPECT_EQ(document_count(scorer_, filters_.front()), 1U);
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
