// SPDX-License-Identifier: Apache-2.0
#include "broker/match_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_testing.h"

namespace weir::broker {
namespace {

MatchNoteWriter example() {
  MatchNoteWriter writer;
  writer.add(7, 300, std::vector<std::uint64_t>{1001});
  writer.add(8, 1, std::vector<std::uint64_t>{998, 1001}, "\"a\":1");
  return writer;
}

TEST(MatchNoteTest, ReadsBackWhatWasWritten) {
  const auto note = decode_match_note(example().finish(true));
  ASSERT_EQ(base::describe(note), "ok");
  EXPECT_EQ(*note, (MatchNote{.complete = true,
                              .matches = {{7, 300, {1001}}, {8, 1, {998, 1001}, "\"a\":1"}}}));
}

TEST(MatchNoteTest, PutsShardsTogether) {
  MatchNoteWriter both = example();
  MatchNoteWriter other;
  other.add(9, 2, std::vector<std::uint64_t>{1000});
  both.add(other);
  const auto note = decode_match_note(both.finish(false));
  ASSERT_EQ(base::describe(note), "ok");
  EXPECT_FALSE(note->complete);
  EXPECT_EQ(note->matches.size(), 3U);
  EXPECT_EQ(note->matches.back(), (NotedMatch{9, 2, {1000}}));
}

TEST(MatchNoteTest, KeepsItsFormat) {
  EXPECT_EQ(example().finish(true),
            std::string("\x02\x01\x02\x07\xAC\x02\x01\xE9\x07\x00\x08\x01\x02"
                        "\xE6\x07\xE9\x07\x05\"a\":1",
                        23));
}

TEST(MatchNoteTest, ReadsTheVersionWithoutAnnotations) {
  const auto note =
      decode_match_note(std::string("\x01\x01\x02\x07\xAC\x02\x01\xE9\x07\x08\x01\x02"
                                    "\xE6\x07\xE9\x07",
                                    16));
  ASSERT_EQ(base::describe(note), "ok");
  EXPECT_EQ(*note,
            (MatchNote{.complete = true, .matches = {{7, 300, {1001}}, {8, 1, {998, 1001}}}}));
}

TEST(MatchNoteTest, RefusesEveryTruncation) {
  const std::string bytes = example().finish(true);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_match_note(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_match_note(bytes + "x"));
}

TEST(MatchNoteTest, RefusesAnotherVersion) {
  std::string bytes = example().finish(true);
  bytes[0] = 3;
  const auto note = decode_match_note(bytes);
  ASSERT_FALSE(note);
  EXPECT_EQ(note.error().id, base::ErrorId::kStoreVersion);
}

}  // namespace
}  // namespace weir::broker
