// SPDX-License-Identifier: Apache-2.0
#include "broker/match_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error_testing.h"
#include "broker/resent_letters.h"

namespace weir::broker {
namespace {

using End = MatchNoteWriter::End;
using Sequences = std::vector<std::uint64_t>;
using testing::ElementsAre;

match::TextFinding finding() {
  auto shares = std::make_shared<match::TextShares>();
  shares->epoch = 4;
  shares->terms = {{"flood", 13863}, {"storm", 3466}};
  return {std::move(shares), 1, 17329};
}

MatchNoteWriter example(std::size_t note_bytes_max = MatchNoteWriter::kNoteBytesMax) {
  MatchNoteWriter writer(1001, note_bytes_max);
  const match::TextFinding text = finding();
  writer.add(7, 300, {.sequences = Sequences{1001}});
  writer.add(8, 1, {.sequences = Sequences{998, 1001}, .text = text});
  writer.add(8, 2, {.sequences = Sequences{1000}, .text = text});
  writer.add(9, 5,
             {.sequences = Sequences{1, 2, 3},
              .is_group = true,
              .repeated = std::vector<std::uint32_t>{0, 1}});
  writer.add(9, 6, {.sequences = Sequences{1002}, .is_group = true});
  return writer;
}

std::vector<NotedMatch> example_matches() {
  return {{7, 300, {1001}},
          {8, 1, {998, 1001}, finding(), true},
          {8, 2, {1000}, finding()},
          {9, 5, {1, 2, 3}, {}, true, {0, 1}},
          {9, 6, {1002}, {}, true}};
}

TEST(MatchNoteTest, ReadsBackWhatWasWritten) {
  const auto notes = example().finish(End::kComplete);
  ASSERT_EQ(notes.size(), 1U);
  const auto note = decode_match_note(notes[0]);
  ASSERT_EQ(base::describe(note), "ok");
  EXPECT_EQ(*note, (MatchNote{.complete = true, .matches = example_matches()}));
  EXPECT_EQ(note->matches[1].text.shares, note->matches[2].text.shares) << "they are kept once";
}

TEST(MatchNoteTest, ReadsBackAReferenceToADeadLetter) {
  MatchNoteWriter writer(5);
  writer.add(7, 3, {.sequences = Sequences{reference_to(17)}});
  const auto note = decode_match_note(writer.finish(End::kAlone).front());
  ASSERT_EQ(base::describe(note), "ok");
  EXPECT_EQ(note->matches, (std::vector<NotedMatch>{{7, 3, {reference_to(17)}}}));
}

TEST(MatchNoteTest, PutsShardsTogether) {
  MatchNoteWriter both = example();
  MatchNoteWriter other(1001);
  other.add(9, 2, {.sequences = Sequences{1000}, .text = finding()});
  both.add(other);
  both.add(9, 3, {.sequences = Sequences{1001}, .text = finding()});
  const auto note = decode_match_note(both.finish(End::kAlone).front());
  ASSERT_EQ(base::describe(note), "ok");
  EXPECT_FALSE(note->complete);
  ASSERT_EQ(note->matches.size(), 7U);
  EXPECT_EQ(note->matches[5], (NotedMatch{9, 2, {1000}, finding()}));
  EXPECT_EQ(note->matches[6], (NotedMatch{9, 3, {1001}, finding()}));
}

TEST(MatchNoteTest, SplitsALongNote) {
  for (const bool is_merged : {false, true}) {
    MatchNoteWriter writer(1001, 1);
    if (is_merged) {
      writer.add(example(1));
    } else {
      writer = example(1);
    }
    const auto notes = writer.finish(End::kComplete);
    ASSERT_EQ(notes.size(), 5U);
    std::vector<NotedMatch> matches;
    for (const std::string& bytes : notes) {
      const auto note = decode_match_note(bytes);
      ASSERT_EQ(base::describe(note), "ok");
      EXPECT_EQ(note->complete, &bytes == &notes.back());
      EXPECT_EQ(note->partial, &bytes != &notes.back());
      matches.insert(matches.end(), note->matches.begin(), note->matches.end());
    }
    EXPECT_EQ(matches, example_matches());
  }
}

TEST(MatchNoteTest, ANoteIsShortWhateverTheNumbers) {
  MatchNoteWriter writer(2'000'000'000);
  const match::TextFinding text = finding();
  constexpr std::uint64_t kCount = 1000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    writer.add(1'000'000 + i, 200'000'000, {.sequences = Sequences{1'999'999'990}, .text = text});
  }
  EXPECT_LE(writer.finish(End::kComplete).front().size(), 16 * kCount);
}

TEST(MatchNoteTest, KeepsItsFormat) {
  EXPECT_THAT(example().finish(End::kComplete),
              ElementsAre(std::string("\x04\x01\xE9\x07"
                                      "\x04\x07\xAC\x02\x00"
                                      "\x00\x04\x02\x05"
                                      "flood\xA7\x6C\x05storm\x8A\x1B"
                                      "\x0B\x08\x01\x0C\x00\x01\x01\xB1\x87\x01"
                                      "\x06\x08\x02\x02\x01\x01\xB1\x87\x01"
                                      "\x0D\x09\x05\xA1\x1F\x9D\x1F\x98\x1F"
                                      "\x05\x09\x06\x02",
                                      60)));
  EXPECT_THAT(MatchNoteWriter(3).finish(End::kComplete), ElementsAre("\x04\x01\x03"));
}

TEST(MatchNoteTest, ReadsTheVersionWithAnnotations) {
  const std::string said =
      R"("weirscore":"1.7329","weirepoch":4,"weirterms":"storm=0.3466 flood=1.3863",)"
      R"("weirhighlight":"a <em>storm</em>")";
  match::TextFinding text = finding();
  text.about = 0;
  const auto note =
      decode_match_note(std::string("\x03\x01\x02\x07\xAC\x02\x02\xD2\x0F\x00\x08\x01\x05"
                                    "\xCC\x0F\xD3\x0F",
                                    17) +
                        static_cast<char>(said.size()) + said);
  ASSERT_EQ(base::describe(note), "ok");
  EXPECT_EQ(*note,
            (MatchNote{.complete = true,
                       .matches = {{7, 300, {1001}}, {8, 1, {998, 1001}, text, true, {1}}}}));
}

TEST(MatchNoteTest, ReadsTheVersionsWithoutMarks) {
  const auto two =
      decode_match_note(std::string("\x02\x01\x02\x07\xAC\x02\x01\xE9\x07\x00\x08\x01\x02"
                                    "\xE6\x07\xE9\x07\x05\"a\":1",
                                    23));
  ASSERT_EQ(base::describe(two), "ok");
  EXPECT_EQ(*two, (MatchNote{.complete = true,
                             .matches = {{7, 300, {1001}}, {8, 1, {998, 1001}, {}, true}}}));
  const auto one =
      decode_match_note(std::string("\x01\x01\x02\x07\xAC\x02\x01\xE9\x07\x08\x01\x02"
                                    "\xE6\x07\xE9\x07",
                                    16));
  ASSERT_EQ(base::describe(one), "ok");
  EXPECT_EQ(*one, *two);
}

TEST(MatchNoteTest, RefusesMarksWhereThereIsNoGroup) {
  EXPECT_TRUE(decode_match_note(std::string("\x03\x01\x01\x07\x01\x02\x02\x00", 8)));
  EXPECT_FALSE(decode_match_note(std::string("\x03\x01\x01\x07\x01\x02\x03\x00", 8)));
}

TEST(MatchNoteTest, RefusesSeveralEventsThatAreNoGroup) {
  EXPECT_FALSE(decode_match_note(std::string("\x03\x01\x01\x07\x01\x04\x02\x04\x00", 9)));
  EXPECT_FALSE(decode_match_note(std::string("\x04\x01\x05\x08\x07\x01\x00\x02", 8)));
}

TEST(MatchNoteTest, RefusesSharesThatAreNotThere) {
  EXPECT_FALSE(decode_match_note(std::string("\x04\x01\x05\x06\x07\x01\x00\x00\x01\x09", 10)));
  EXPECT_TRUE(
      decode_match_note(std::string("\x04\x01\x05\x00\x01\x00\x06\x07\x01\x00\x00\x01\x09", 13)));
}

TEST(MatchNoteTest, RefusesSequencesThatCannotBe) {
  const std::string head("\x01\x01\x01\x07\x01\x01", 6);
  const std::string largest = head + std::string(8, '\xFF') + '\x7F';
  EXPECT_TRUE(decode_match_note(largest));
  EXPECT_FALSE(decode_match_note(head + std::string(9, '\xFF') + '\x01'));
  EXPECT_FALSE(decode_match_note(std::string("\x04\x01\x05\x04\x07\x01\x0C", 7))) << "5 - 6";
}

TEST(MatchNoteTest, RefusesEveryTruncation) {
  const std::string bytes = example().finish(End::kComplete).front();
  std::size_t whole_count = 0;  // cut behind a delivery it is a note with fewer of them
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (decode_match_note(std::string_view(bytes).substr(0, size))) ++whole_count;
  }
  EXPECT_EQ(whole_count, 6U);
  EXPECT_FALSE(decode_match_note(bytes + "x"));
}

TEST(MatchNoteTest, RefusesAnotherVersion) {
  std::string bytes = example().finish(End::kComplete).front();
  bytes[0] = 5;
  const auto note = decode_match_note(bytes);
  ASSERT_FALSE(note);
  EXPECT_EQ(note.error().id, base::ErrorId::kStoreVersion);
}

}  // namespace
}  // namespace weir::broker
