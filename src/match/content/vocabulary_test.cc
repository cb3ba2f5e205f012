// SPDX-License-Identifier: Apache-2.0
#include "match/content/vocabulary.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

using event::Value;

filter::Operand at(std::string_view path) { return {event::parse_path(path).value()}; }

PointView value_point(SlotId slot, std::int64_t integer) {
  return point_of(slot, Value::of(integer)).value();
}

std::vector<std::uint32_t> bytes_of(const std::vector<SlotUses::Length>& lengths) {
  std::vector<std::uint32_t> bytes;
  for (const SlotUses::Length& length : lengths) bytes.push_back(length.bytes);
  return bytes;
}

void expect_unused(const SlotUses& uses) {
  EXPECT_EQ(uses.values, 0U);
  EXPECT_EQ(uses.numbers, 0U);
  EXPECT_EQ(uses.times, 0U);
  EXPECT_EQ(uses.present, kNoId);
  EXPECT_TRUE(uses.prefixes.empty());
  EXPECT_TRUE(uses.suffixes.empty());
}

TEST(VocabularyTest, PointsAndColumnsKeepTheirSlot) {
  Vocabulary vocabulary;
  const SlotId slot = vocabulary.acquire_slot(at("data.x"));
  const PointId point = vocabulary.acquire_point(value_point(slot, 1));
  vocabulary.acquire_column(column_of(slot, ColumnKind::kTime));
  vocabulary.release_slot(slot);
  EXPECT_EQ(vocabulary.operands().slot_count(), 1U);
  vocabulary.release_point(point);
  EXPECT_EQ(vocabulary.operands().slot_count(), 1U);
  vocabulary.release_column(column_of(slot, ColumnKind::kTime));
  EXPECT_EQ(vocabulary.operands().slot_count(), 0U);
  EXPECT_EQ(vocabulary.points().point_count(), 0U);
}

TEST(VocabularyTest, TellsWhatIsAskedAboutASlot) {
  Vocabulary vocabulary;
  const SlotId slot = vocabulary.acquire_slot(at("data.x"));
  const SlotId other = vocabulary.acquire_slot(at("data.y"));
  std::vector<PointId> points = {vocabulary.acquire_point(value_point(slot, 1)),
                                 vocabulary.acquire_point(value_point(slot, 1)),
                                 vocabulary.acquire_point(prefix_point(slot, "abc")),
                                 vocabulary.acquire_point(prefix_point(slot, "a")),
                                 vocabulary.acquire_point(prefix_point(slot, "xyz")),
                                 vocabulary.acquire_point(suffix_point(slot, "")),
                                 vocabulary.acquire_point(present_point(slot))};
  vocabulary.acquire_column(column_of(slot, ColumnKind::kNumber));
  const SlotUses& uses = vocabulary.uses(slot);
  EXPECT_EQ(uses.values, 2U);
  EXPECT_EQ(uses.numbers, 1U);
  EXPECT_EQ(uses.times, 0U);
  EXPECT_EQ(uses.present, points.back());
  EXPECT_EQ(bytes_of(uses.prefixes), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(bytes_of(uses.suffixes), (std::vector<std::uint32_t>{0}));
  expect_unused(vocabulary.uses(other));

  vocabulary.release_point(points[2]);
  EXPECT_EQ(bytes_of(uses.prefixes), (std::vector<std::uint32_t>{1, 3})) << "xyz is as long";
  vocabulary.release_point(points[4]);
  EXPECT_EQ(bytes_of(uses.prefixes), (std::vector<std::uint32_t>{1}));
}

TEST(VocabularyTest, AnyValueIsAskedForUntilTheLastWhoDoes) {
  Vocabulary vocabulary;
  const SlotId slot = vocabulary.acquire_slot(at("type"));
  const PointId first = vocabulary.acquire_point(present_point(slot));
  EXPECT_EQ(vocabulary.acquire_point(present_point(slot)), first);
  vocabulary.release_point(first);
  EXPECT_EQ(vocabulary.uses(slot).present, first);
  vocabulary.release_point(first);
  EXPECT_EQ(vocabulary.uses(slot).present, kNoId);
}

// Points and columns of a few slots in any order; what is left at the end is nothing.
TEST(VocabularyTest, WhatIsReleasedIsGone) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Vocabulary vocabulary;
    std::vector<PointId> points;
    std::vector<ColumnId> columns;
    constexpr const char* kPaths[] = {"type", "data.a", "data.a.b", "data[1]", "x"};
    constexpr const char* kTexts[] = {"", "a", "ab", "abc"};
    for (int round = 0; round < 2000; ++round) {
      const SlotId slot = vocabulary.acquire_slot(at(kPaths[prng.below(std::size(kPaths))]));
      const char* const text = kTexts[prng.below(std::size(kTexts))];
      switch (prng.below(6)) {
        case 0:
          points.push_back(vocabulary.acquire_point(
              value_point(slot, static_cast<std::int64_t>(prng.below(10)))));
          break;
        case 1:
          points.push_back(vocabulary.acquire_point(prefix_point(slot, text)));
          break;
        case 2:
          points.push_back(vocabulary.acquire_point(suffix_point(slot, text)));
          break;
        case 3:
          points.push_back(vocabulary.acquire_point(present_point(slot)));
          break;
        default:
          columns.push_back(column_of(slot, static_cast<ColumnKind>(prng.below(3))));
          vocabulary.acquire_column(columns.back());
      }
      vocabulary.release_slot(slot);
      while (!points.empty() && prng.chance(0.4)) {
        std::swap(points[prng.below(points.size())], points.back());
        vocabulary.release_point(points.back());
        points.pop_back();
      }
      while (!columns.empty() && prng.chance(0.3)) {
        vocabulary.release_column(columns.back());
        columns.pop_back();
      }
    }
    for (const PointId point : points) vocabulary.release_point(point);
    for (const ColumnId column : columns) vocabulary.release_column(column);
    EXPECT_EQ(vocabulary.operands().slot_count(), 0U);
    EXPECT_EQ(vocabulary.points().point_count(), 0U);
    for (SlotId slot = 0; slot < vocabulary.operands().slot_bound(); ++slot) {
      expect_unused(vocabulary.uses(slot));
    }
  }
}

// However many lengths filters name: an event's text is looked up once for each.
TEST(VocabularyTest, LengthsOfPrefixesAndSuffixesAreFew) {
  Vocabulary vocabulary;
  const SlotId slot = vocabulary.acquire_slot({event::Path::attribute("subject")});
  const std::string text(500, 'a');
  for (std::size_t size = 1; size <= text.size(); ++size) {
    vocabulary.acquire_point(prefix_point(slot, std::string_view(text).substr(0, size)));
    vocabulary.acquire_point(suffix_point(slot, std::string_view(text).substr(0, size)));
  }
  EXPECT_EQ(vocabulary.uses(slot).prefixes.size(), kAffixBytesMax);
  EXPECT_EQ(vocabulary.uses(slot).suffixes.size(), kAffixBytesMax);
}

}  // namespace
}  // namespace weir::match::content
