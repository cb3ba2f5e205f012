// SPDX-License-Identifier: Apache-2.0
// What the three kinds of windows have in common, and where they differ.
#include "match/distinct_window.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

using base::Duration;
using base::Instant;

Instant at(std::int64_t milliseconds) { return Instant{} + Duration::milliseconds(milliseconds); }

// The log of a verified window: the key of each event.
using Log = std::vector<std::string>;

DistinctWindowOptions options_of(DistinctMode mode, const Log* log = nullptr) {
  return {.within = Duration::seconds(10),
          .key_count_max = 100'000,
          .mode = mode,
          .seed = 7,
          .confirm = [log](std::uint64_t sequence, std::string_view key) {
            return log == nullptr || (sequence < log->size() && (*log)[sequence] == key);
          }};
}

class DistinctWindowTest : public testing::TestWithParam<DistinctMode> {};

std::string name_of(const testing::TestParamInfo<DistinctMode>& mode) {
  static const char* const kNames[] = {"Exact", "Approximate", "Verified"};
  return kNames[static_cast<std::size_t>(mode.param)];
}

INSTANTIATE_TEST_SUITE_P(Modes, DistinctWindowTest,
                         testing::Values(DistinctMode::kExact, DistinctMode::kApproximate,
                                         DistinctMode::kVerified),
                         name_of);

// Many keys, so that the approximate one is a filter and not a list.
TEST_P(DistinctWindowTest, AgreesWithTheExactWindowUpToASeventh) {
  for (const bool refresh : {false, true}) {
    Log log;
    DistinctWindowOptions options = options_of(GetParam(), &log);
    options.refresh = refresh;
    const auto window = make_distinct_window(options);
    base::Prng prng(refresh ? 1 : 2);
    std::map<std::string, std::int64_t> seen;
    std::int64_t now = 0;
    std::uint64_t hits = 0;
    for (int i = 0; i < 30'000; ++i) {
      now += static_cast<std::int64_t>(prng.below(20));
      const std::string key = fmt::format("key {}", prng.below(2000));
      const auto found = seen.find(key);
      const std::int64_t age = found == seen.end() ? 1'000'000 : now - found->second;
      const bool tested = window->test(key, at(now));
      log.push_back(key);
      const bool distinct = window->test_and_set(key, at(now), log.size() - 1);
      ASSERT_EQ(tested, distinct);
      if (age < 10'000) {
        ASSERT_FALSE(distinct) << "age " << age;
      }
      const bool is_sharp = GetParam() != DistinctMode::kApproximate;
      if (age >= (is_sharp ? 10'000 : 11'430)) {
        ASSERT_TRUE(distinct) << "age " << age;
      }
      hits += distinct ? 0U : 1U;
      if (distinct || refresh) seen[key] = now;
    }
    EXPECT_EQ(window->stats().hits, hits);
    EXPECT_EQ(window->stats().refuted_hits, 0U);
    EXPECT_GT(window->stats().key_count, 500U);
    if (const auto max = window->stats().memory_bytes_max) {
      EXPECT_LE(window->stats().memory_bytes, *max);
      EXPECT_EQ(max, distinct_bytes_max(options));
    }
  }
}

TEST_P(DistinctWindowTest, ForgetsOneKeyAndNoOther) {
  const auto window = make_distinct_window(options_of(GetParam()));
  for (int i = 0; i < 1000; ++i) window->test_and_set(std::to_string(i), at(0), 0);
  EXPECT_FALSE(*window->forget("no such key", at(1)));
  EXPECT_TRUE(*window->forget("500", at(1)));
  EXPECT_FALSE(*window->forget("500", at(1)));
  EXPECT_TRUE(window->test("500", at(2)));
  EXPECT_FALSE(window->test("499", at(2)));
  EXPECT_TRUE(window->test_and_set("500", at(3), 0));
  EXPECT_FALSE(window->test_and_set("500", at(4), 0));
}

TEST_P(DistinctWindowTest, GoesOnFromItsBytes) {
  for (const int key_count : {0, 10, 3000}) {
    Log log;
    const DistinctWindowOptions options = options_of(GetParam(), &log);
    const auto window = make_distinct_window(options);
    for (int i = 0; i < key_count; ++i) {
      log.push_back(std::to_string(i % 2500));
      window->test_and_set(log.back(), at(i), log.size() - 1);
    }
    base::ByteWriter writer;
    window->save(writer);
    DistinctWindowOptions other_seed = options;
    other_seed.seed = 99;
    const auto restored = make_distinct_window(other_seed);
    base::ByteReader reader(writer.bytes());
    Instant latest{-1};
    ASSERT_TRUE(restored->restore(reader, latest).has_value());
    EXPECT_TRUE(reader.done());
    if (key_count > 0) {
      EXPECT_GE(latest, at(key_count - 1 - key_count / 6));
    }
    base::ByteWriter again;
    restored->save(again);
    EXPECT_EQ(again.bytes(), writer.bytes());
    for (int i = 0; i < 4000; ++i) {
      const std::string key = std::to_string(i);
      ASSERT_EQ(restored->test(key, at(key_count + 5)), window->test(key, at(key_count + 5)));
    }
  }
}

TEST_P(DistinctWindowTest, LetsThroughWhatItHasNoRoomFor) {
  DistinctWindowOptions options = options_of(GetParam());
  options.key_count_max = 1000;
  const auto window = make_distinct_window(options);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(window->test_and_set(std::to_string(i), at(0), 0)) << i;
  }
  EXPECT_GT(window->stats().overflow, 15'000U);
  EXPECT_TRUE(window->test_and_set("later", at(30'000), 0));
  EXPECT_FALSE(window->test_and_set("later", at(30'001), 0)) << "time makes room";
}

// What the hash says is not believed: the event in the log may have another key, or be gone.
TEST(VerifiedWindowTest, AHitThatTheLogDoesNotConfirmIsNone) {
  Log log = {"a", "b"};
  const auto window = make_distinct_window(options_of(DistinctMode::kVerified, &log));
  EXPECT_TRUE(window->test_and_set("a", at(0), 0));
  EXPECT_FALSE(window->test_and_set("a", at(1), 1));
  log[0] = "another key of the same hash";
  EXPECT_TRUE(window->test("a", at(2)));
  EXPECT_TRUE(window->test_and_set("a", at(2), 2)) << "let through";
  EXPECT_EQ(window->stats().refuted_hits, 1U);
  EXPECT_EQ(window->stats().hits, 1U);
  log.push_back("a");
  EXPECT_FALSE(window->test_and_set("a", at(3), 3)) << "it has taken the place";
  log.clear();
  EXPECT_TRUE(window->test_and_set("a", at(4), 4)) << "gone from the log";
}

TEST(VerifiedWindowTest, AKeyThatIsSeenAgainAndAgainTakesNoMoreRoom) {
  DistinctWindowOptions options = options_of(DistinctMode::kVerified);
  options.refresh = true;
  const auto window = make_distinct_window(options);
  for (int i = 0; i < 50'000; ++i) window->test_and_set("a", at(i / 10), 0);
  EXPECT_LT(window->stats().memory_bytes, 10'000U);
}

}  // namespace
}  // namespace weir::match
