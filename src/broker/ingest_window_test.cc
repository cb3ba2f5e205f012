// SPDX-License-Identifier: Apache-2.0
#include "broker/ingest_window.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "base/hash.h"
#include "event/event_testing.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

IngestWindow window_of(std::size_t key_count_max = 1000) {
  return IngestWindow(
      {.within = Duration::seconds(10), .key_count_max = key_count_max, .seed = 42});
}

IngestWindow::Key key(const IngestWindow& window, std::string_view source, std::string_view id) {
  return window.key_of(*event::event_of(fmt::format(R"({{"source":"{}","id":"{}"}})", source, id)));
}

TEST(IngestWindowTest, KnowsAnEventUntilTheWindowHasPassed) {
  IngestWindow window = window_of();
  const auto one = key(window, "/s", "1");
  EXPECT_FALSE(window.contains(one, at(0)));
  window.insert(one, at(0));
  EXPECT_TRUE(window.contains(one, at(9)));
  EXPECT_FALSE(window.contains(one, at(10)));
}

TEST(IngestWindowTest, TellsSourceAndIdApart) {
  const IngestWindow window = window_of();
  EXPECT_NE(key(window, "/a", "bc"), key(window, "/ab", "c"));
  EXPECT_NE(key(window, "/a", "b"), key(window, "/b", "a"));
  EXPECT_EQ(key(window, "/a", "b"), key(window, "/a", "b"));
}

TEST(IngestWindowTest, TellsPairsOfAnyLengthApart) {
  const IngestWindow window = window_of();
  const std::string text(1000, 'a');
  for (const std::size_t bytes : {1U, 100U, 240U, 247U, 248U, 249U, 256U, 999U}) {
    const std::string_view source = std::string_view(text).substr(0, bytes);
    const std::string_view id = std::string_view(text).substr(bytes);
    EXPECT_EQ(window.key_of(source, id), window.key_of(source, id));
    EXPECT_NE(window.key_of(source, id), window.key_of(source.substr(1), id)) << bytes;
    EXPECT_NE(window.key_of(source, id), window.key_of(source.substr(1), std::string(id) + 'a'))
        << bytes;
  }
}

// Two texts of 16 bytes with the same XXH3 under a seed: one half of each cancels a constant of
// XXH3, and what is left is the same sum.
std::pair<std::string, std::string> colliding_sources(std::uint64_t seed, std::uint64_t chosen) {
  const std::uint64_t first_flip = 0x6782737bea4239b9U + seed;
  const std::uint64_t second_flip = 0xaf56bc3b0996523aU - seed;
  const auto joined = [](std::uint64_t first, std::uint64_t second) {
    std::string text(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    return text;
  };
  return {joined(first_flip, __builtin_bswap64(chosen) ^ second_flip),
          joined(chosen ^ first_flip, second_flip)};
}

TEST(IngestWindowTest, IsNotFooledBySourcesWithOneHash) {
  const IngestWindow window = window_of();
  for (std::uint64_t chosen = 1; chosen <= 100; ++chosen) {
    const auto [one, other] = colliding_sources(42, chosen * 0x1122334455667788U);
    ASSERT_NE(one, other);
    ASSERT_EQ(base::hash_bytes(one, 42), base::hash_bytes(other, 42));
    EXPECT_NE(window.key_of(one, "1"), window.key_of(other, "1"));
  }
}

TEST(IngestWindowTest, HashesUnderItsSecret) {
  IngestWindow::Options options = {.within = Duration::seconds(10), .key_count_max = 10};
  options.secret = IngestWindow::random_secret();
  const IngestWindow one(options);
  options.secret = IngestWindow::random_secret();
  const IngestWindow other(options);
  EXPECT_NE(one.key_of("/s", "1"), other.key_of("/s", "1"));
}

TEST(IngestWindowTest, ForgetsWhatIsOldAndKeepsWhatCameAgain) {
  IngestWindow window = window_of();
  window.insert(key(window, "/s", "1"), at(0));
  window.insert(key(window, "/s", "1"), at(11));
  window.insert(key(window, "/s", "2"), at(20));
  EXPECT_EQ(window.size(), 2U);
  EXPECT_TRUE(window.contains(key(window, "/s", "1"), at(20)));
}

TEST(IngestWindowTest, ForgetsTheOldestEarlyWhenItIsFull) {
  IngestWindow window = window_of(2);
  for (const char* id : {"1", "2", "3"}) window.insert(key(window, "/s", id), at(0));
  EXPECT_EQ(window.size(), 2U);
  EXPECT_EQ(window.forgotten_count(), 1U);
  EXPECT_FALSE(window.contains(key(window, "/s", "1"), at(0)));
  EXPECT_TRUE(window.contains(key(window, "/s", "3"), at(0)));
}

TEST(IngestWindowTest, CanBeAFilterOfBoundedSize) {
  IngestWindow window({.within = Duration::seconds(10),
                       .key_count_max = 5000,
                       .seed = 42,
                       .false_positives_max = 1e-6});
  for (int i = 0; i < 3000; ++i) window.insert(key(window, "/s", std::to_string(i)), at(0));
  EXPECT_GE(window.size(), 2999U);
  EXPECT_LT(window.memory_bytes(), 64U * 3000U);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(window.contains(key(window, "/s", std::to_string(i)), at(9)));
  }
  for (int i = 3000; i < 6000; ++i) {
    ASSERT_FALSE(window.contains(key(window, "/s", std::to_string(i)), at(9)));
  }
  EXPECT_FALSE(window.contains(key(window, "/s", "1"), at(12)));
  EXPECT_EQ(window.forgotten_count(), 0U);
}

}  // namespace
}  // namespace weir::broker
