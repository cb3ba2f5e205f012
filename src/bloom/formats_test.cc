// SPDX-License-Identifier: Apache-2.0
// Filters that were saved must stay readable: other bytes are another version.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "bloom/block_bloom.h"
#include "bloom/bloom_testing.h"
#include "bloom/classic_bloom.h"
#include "bloom/compressed_bloom.h"
#include "bloom/elastic_bloom.h"
#include "bloom/frame_testing.h"
#include "bloom/generational_bloom.h"
#include "bloom/growing_bloom.h"
#include "bloom/timer_bloom.h"

namespace weir::bloom {
namespace {

constexpr TimerOptions kTimers = {
    .within = {12'000'000'000}, .tick = {1'000'000'000}, .equal_min = 2, .refresh = true};

base::Instant at_second(std::int64_t seconds) {
  return base::Instant{} + base::Duration::seconds(seconds);
}

ClassicBloom classic() {
  ClassicBloom filter({70, 3});
  for (const std::uint64_t key : random_keys(1, 5)) filter.set(key);
  return filter;
}

TimerBloom timer() {
  TimerBloom filter({30, 3}, kTimers);
  std::int64_t second = 1'000'000;
  for (const std::uint64_t key : random_keys(1, 5)) filter.set(key, at_second(second += 2));
  filter.advance(at_second(3));
  return filter;
}

GrowingOptions growth(GrowthRule rule) {
  return {.first_shape = {20, 2},
          .stage_false_positive_rate = 0.25,
          .rule = rule,
          .factor = 2,
          .stage_count_max = 2};
}

GrowingBloom<ClassicBloom> growing_classic() {
  GrowingBloom<ClassicBloom> filter(growth(GrowthRule::kCardinality));
  for (const std::uint64_t key : random_keys(2, 60)) filter.set(key);
  return filter;
}

GrowingBloom<TimerBloom> growing_timer() {
  GrowingBloom<TimerBloom> filter(growth(GrowthRule::kDensity), kTimers);
  std::int64_t second = -20;
  for (const std::uint64_t key : random_keys(2, 20)) filter.set(key, at_second(++second / 2));
  filter.advance(at_second(-7));
  return filter;
}

BlockBloom block(std::uint32_t block_bits) {
  BlockBloom filter({.block_count = 2, .block_bits = block_bits});
  filter.set(random_keys(1, 5));
  return filter;
}

GenerationalBloom generational() {
  GenerationalBloom filter({.shape = {2, 4}, .within = {7000}, .start = {-20'000}});
  std::int64_t now = -20'000;
  for (const std::uint64_t key : random_keys(1, 8)) filter.set(key, {now += 777});
  filter.advance({-15'000});
  filter.advance({-16'000});
  return filter;
}

const ElasticOptions kElastic = {
    .within = {70'000}, .refresh = true, .false_positives_max = 0.25, .key_count_max = 1000};

ElasticBloom elastic(std::size_t key_count) {
  ElasticBloom window(kElastic);
  std::int64_t now = 1000;
  for (const std::uint64_t key : random_keys(3, key_count)) {
    window.first_test_then_set(key, {now += 100});
  }
  EXPECT_TRUE(*window.forget(random_keys(3, key_count).back(), {now}));
  return window;
}

template <typename Filter>
void expect_golden(const Filter& filter, std::string_view name) {
  const std::string golden = golden_frame(name);
  EXPECT_EQ(to_hex(filter.save()), to_hex(golden)) << name;
  const auto restored = Filter::restore(golden);
  ASSERT_TRUE(restored.has_value()) << name;
  EXPECT_EQ(restored->save(), golden) << name;
}

TEST(BloomFormatsTest, WritesAndReadsVersionOneAsItAlwaysWas) {
  expect_golden(classic(), "classic");
  expect_golden(timer(), "timer");
  expect_golden(growing_classic(), "growing_classic");
  expect_golden(growing_timer(), "growing_timer");
  expect_golden(block(256), "block_256");
  expect_golden(block(512), "block_512");
  expect_golden(generational(), "generational");
  EXPECT_EQ(to_hex(elastic(3).save()), to_hex(golden_frame("elastic_list")));
  EXPECT_EQ(to_hex(elastic(300).save()), to_hex(golden_frame("elastic")));
  EXPECT_TRUE(ElasticBloom::restore(kElastic, golden_frame("elastic")).has_value());
  EXPECT_EQ(to_hex(compress(classic())), to_hex(golden_frame("compressed")));
  EXPECT_EQ(decompress(golden_frame("compressed"))->save(), classic().save());
}

template <typename Filter>
void expect_refuses_damage(FrameKind kind, const Filter& filter) {
  const std::string frame = filter.save();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    EXPECT_FALSE(restored_or_refused<Filter>(frame.substr(0, i))) << i;
    std::string changed = frame;
    changed[i] = static_cast<char>(~changed[i]);
    EXPECT_FALSE(restored_or_refused<Filter>(changed)) << i;
  }
  EXPECT_FALSE(restored_or_refused<Filter>(frame + '\0'));
  EXPECT_FALSE(restored_or_refused<Filter>(framed(kind, std::string(body_of(frame)) + '\0')));
  EXPECT_GT(try_damaged_bodies<Filter>(kind, frame), 0U) << "other cells are another filter";
}

TEST(BloomFormatsTest, AnyDamageIsRefusedAndAnyBodyRefusedOrSavedBackAsItIs) {
  expect_refuses_damage(FrameKind::kClassic, classic());
  expect_refuses_damage(FrameKind::kTimer, timer());
  expect_refuses_damage(FrameKind::kGrowing, growing_classic());
  expect_refuses_damage(FrameKind::kGrowing, growing_timer());
  expect_refuses_damage(FrameKind::kBlock, block(256));
  expect_refuses_damage(FrameKind::kGenerational, generational());
}

TEST(BloomFormatsTest, AFilterOfAnotherKindIsRefused) {
  EXPECT_EQ(TimerBloom::restore(classic().save()).error().message,
            "the saved timer filter is something else");
  EXPECT_EQ(GrowingBloom<ClassicBloom>::restore(growing_timer().save()).error().message,
            "the saved growing filter has stages of another kind");
}

// A few bytes that promise terabytes must not be believed.
TEST(BloomFormatsTest, SizesAreBelievedOnlyAsFarAsTheBytesGo) {
  base::ByteWriter writer;
  writer.varint(kCellCountMax);
  writer.varint(3);
  EXPECT_FALSE(restored_or_refused<ClassicBloom>(framed(FrameKind::kClassic, writer.bytes())));
  kTimers.write(writer);
  writer.u64(0);
  writer.varint(0);
  EXPECT_FALSE(restored_or_refused<TimerBloom>(framed(FrameKind::kTimer, writer.bytes())));
}

}  // namespace
}  // namespace weir::bloom
