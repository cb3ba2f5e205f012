// SPDX-License-Identifier: Apache-2.0
#include "match/corpus_counts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/text_scorer.h"

namespace weir::match {
namespace {

const CorpusCounts kCounts{"english", 4, {{"flood", 1}, {"storm", 2}, {"صلى الله", 4}}};

std::string refusal(std::string_view text) {
  const auto counts = parse_corpus_counts(text);
  if (counts) return "accepted";
  EXPECT_EQ(counts.error().id, base::ErrorId::kEngineCorpus);
  return fmt::format("{}: {}", counts.error().position->line, counts.error().message);
}

TEST(CorpusCountsTest, ReadsWhatItWrites) {
  const std::string text = to_text(kCounts);
  EXPECT_EQ(text, "weir-corpus 1 english 4\nflood 1\nstorm 2\nصلى الله 4\n");
  EXPECT_EQ(*parse_corpus_counts(text), kCounts);
  EXPECT_EQ(*parse_corpus_counts("weir-corpus 1 none 1\n"), (CorpusCounts{"none", 1, {}}));
}

TEST(CorpusCountsTest, NamesTheLineThatIsWrong) {
  const std::string head = "1: expected 'weir-corpus 1 <language> <documents>', documents from 1";
  for (const char* text :
       {"", "\n", "x", "weir-corpus 2 english 4\n", "weir-corpus 1 english\n",
        "weir-corpus 1 english 0\n", "weir-corpus 1 english 04\n", "weir-corpus 1 english 4x\n",
        "weir-corpus 1 english -4\n", "weir-corpus 1 english 4", "weir-corpus 1 english 4 \n",
        "weir-corpus 1 english 9999999999999999999\n"}) {
    EXPECT_EQ(refusal(text), head) << text;
  }
  EXPECT_TRUE(refusal("weir-corpus 1 klingon 4\n").starts_with("1: expected a language, one of: "));
  EXPECT_TRUE(refusal("weir-corpus 1 english  4\n").starts_with("1: expected a language"));
  const std::string term = "3: expected '<term> <documents that have it>', documents from 1 to 4";
  for (const char* line : {"", "x", " 1", "x 0", "x 5", "x 01", "x 1 ", "\xff 1"}) {
    EXPECT_EQ(refusal(fmt::format("weir-corpus 1 english 4\na 1\n{}\n", line)), term) << line;
  }
  EXPECT_EQ(refusal("weir-corpus 1 english 4\na 1\nb 1"), term) << "no line end";
  for (const char* line : {"b 1", "a 1"}) {
    EXPECT_EQ(refusal(fmt::format("weir-corpus 1 english 4\nb 1\n{}\n", line)),
              "3: expected a term that comes after 'b' in the order of bytes");
  }
}

TEST(CorpusCountsTest, NewCorporaOfTheLanguageBeginWithThem) {
  TextScorer scorer({}, {});
  scorer.preload(std::make_shared<const CorpusCounts>(
      CorpusCounts{"english", 1600, {{"flood", 16}, {"storm", 160}}}));
  const auto english = filter::filter_of("text(data.t) about any 'storm flood'");
  const auto german = filter::filter_of("text(data.t) in 'german' about any 'storm flood'");
  ASSERT_TRUE(scorer.add(*english));
  ASSERT_TRUE(scorer.add(*german));
  const auto event = event::event_of(R"({"data":{"t":"storm flood new"}})");
  scorer.begin(*event, {});
  const TextMatchInfo info = scorer.match_info(*english->abouts()[0], *event);
  EXPECT_DOUBLE_EQ(info.verdict.score, std::log(10.0) + std::log(100.0));
  EXPECT_EQ(info.verdict.epoch, 1U);
  EXPECT_EQ(scorer.judge(*german->abouts()[0], *event).score, 0);
  const CorpusCounts counts = scorer.corpus(english->abouts()[0]->source)->counts("english");
  EXPECT_EQ(counts, (CorpusCounts{"english", 1601, {{"flood", 17}, {"new", 1}, {"storm", 161}}}));
}

TEST(CorpusCountsTest, AnEpochOfTheirsLastsAsLongAsAnyOther) {
  const auto at = [](std::int64_t seconds) {
    return base::Instant{} + base::Duration::seconds(seconds);
  };
  TextCorpus corpus({.epoch_time = base::Duration::seconds(10)}, {"english", 1600, {}});
  EXPECT_EQ(corpus.epoch(), (TextEpoch{1, 1600, std::nullopt}));
  corpus.add({}, at(1000));
  EXPECT_EQ(corpus.epoch(), (TextEpoch{1, 1600, at(1000)})) << "its time begins";
  corpus.add({}, at(1010));
  EXPECT_EQ(corpus.epoch().number, 1U);
  corpus.add({}, at(1011));
  EXPECT_EQ(corpus.epoch(), (TextEpoch{2, 1603, at(1011)}));
}

TEST(CorpusCountsTest, TermsBeyondTheLimitAreNotKept) {
  const TextCorpus corpus({.term_count_max = 2}, kCounts);
  EXPECT_EQ(corpus.term_count(), 2U);
  EXPECT_EQ(corpus.overflow_count(), 1U);
}

// What was learned from the stream is worth more than what was preloaded, however much that is.
TEST(CorpusCountsTest, ARestoredCorpusTakesTheirPlace) {
  const auto filter = filter::filter_of("text(data.t) about any 'storm'");
  const auto event = event::event_of(R"({"data":{"t":"storm"}})");
  TextScorer first({}, {});
  ASSERT_TRUE(first.add(*filter));
  first.begin(*event, {});
  base::ByteWriter learned;
  first.save(learned);
  TextScorer second({}, {});
  second.preload(std::make_shared<const CorpusCounts>(kCounts));
  ASSERT_TRUE(second.add(*filter));
  base::ByteWriter preloaded;
  second.save(preloaded);
  base::ByteReader reader(learned.bytes());
  ASSERT_TRUE(second.restore(TextLayout::kVisibility, reader));
  base::ByteWriter taken;
  second.save(taken);
  EXPECT_EQ(taken.bytes(), learned.bytes());
  base::ByteReader again(preloaded.bytes());
  ASSERT_TRUE(first.restore(TextLayout::kVisibility, again));
  EXPECT_EQ(first.corpus(filter->abouts()[0]->source)->document_count(), 1U)
      << "it has no document of the stream";
}

}  // namespace
}  // namespace weir::match
