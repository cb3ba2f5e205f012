// SPDX-License-Identifier: Apache-2.0
#include "002/offline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "002/generator.h"

namespace weir::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Calls visit(stream) for all streams of so many values from 0 to value_count - 1.
template <typename Visit>
void for_all_streams(std::size_t length, Value value_count, Visit visit) {
  Stream stream(length);
  while (true) {
    visit(stream);
    const auto digit = std::ranges::find_if(stream, [&](Value v) { return v + 1 < value_count; });
    if (digit == stream.end()) return;
    std::fill(stream.begin(), digit, 0);
    ++*digit;
  }
}

std::vector<std::size_t> indices_of(std::uint32_t set, std::size_t length) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < length; ++i) {
    if ((set >> i & 1U) != 0) indices.push_back(i);
  }
  return indices;
}

// The smallest of all subsequences of which holds(indices).
template <typename Holds>
std::size_t fewest(std::size_t length, Holds holds) {
  std::size_t best = std::numeric_limits<std::size_t>::max();
  for (std::uint32_t set = 0; set < 1U << length; ++set) {
    const auto indices = indices_of(set, length);
    if (indices.size() < best && holds(indices)) best = indices.size();
  }
  return best;
}

// Whether each stretch from one index to before the next has values within c of one number.
bool spans_fit(const Stream& stream, const std::vector<std::size_t>& starts, Value threshold) {
  if (starts.empty() || starts.front() != 0) return stream.empty();
  for (std::size_t m = 0; m < starts.size(); ++m) {
    const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(starts[m]);
    const auto end = m + 1 < starts.size()
                         ? stream.begin() + static_cast<std::ptrdiff_t>(starts[m + 1])
                         : stream.end();
    const auto [low, high] = std::minmax_element(begin, end);
    if (*high - *low > 2 * threshold) return false;
  }
  return true;
}

// f(n) = 1 + the least f(i - 1) over all i that dominate what is behind them up to n.
std::size_t fewest_by_recurrence(const Stream& stream, Value threshold) {
  std::vector<std::size_t> counts{0};
  for (std::size_t n = 1; n <= stream.size(); ++n) {
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i) {
      const bool dominates =
          std::all_of(stream.begin() + static_cast<std::ptrdiff_t>(i),
                      stream.begin() + static_cast<std::ptrdiff_t>(n),
                      [&](Value value) { return std::abs(value - stream[i]) <= threshold; });
      if (dominates) best = std::min(best, counts[i] + 1);
    }
    counts.push_back(best);
  }
  return counts.back();
}

TEST(ConformanceTest, HoldsWhileEveryItemIsWithinTheThresholdOfTheLastDelivered) {
  const Stream stream{4, 8, 9, 5, 9};
  const auto conforming = [&](std::vector<std::size_t> delivered) {
    return conforms(stream, delivered, 3);
  };
  EXPECT_TRUE(conforming({0, 1}));
  EXPECT_TRUE(conforming({0, 1, 2, 3, 4}));
  EXPECT_FALSE(conforming({0, 2}));     // 8 is 4 from 4
  EXPECT_FALSE(conforming({0, 1, 2}));  // 5 is 4 from 9
  EXPECT_FALSE(conforming({1}));        // nothing before the first
  EXPECT_FALSE(conforming({}));
  EXPECT_FALSE(conforming({0, 1, 1}));  // not ascending
  EXPECT_FALSE(conforming({0, 1, 5}));  // no item 5
  EXPECT_TRUE(conforms({}, {}, 3));
}

TEST(GlobalOptTest, DeliversWhatThePaperSaysForBothStreamsOfItsProof) {
  EXPECT_THAT(global_opt(Stream{4, 8, 9, 5, 9, 5, 9, 5}, 3), ElementsAre(0, 1));
  EXPECT_THAT(global_opt(Stream{4, 8, 9, 12, 6, 12, 6}, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(global_opt(Stream{}, 3), IsEmpty());
  EXPECT_THAT(global_opt(Stream{7}, 0), ElementsAre(0));
}

TEST(GlobalOptTest, IsTheSmallestConformingSubsequenceOfEveryShortStream) {
  for (std::size_t length = 1; length <= 6; ++length) {
    for_all_streams(length, 5, [&](const Stream& stream) {
      for (const Value threshold : {0, 1, 2}) {
        const auto delivered = global_opt(stream, threshold);
        ASSERT_TRUE(conforms(stream, delivered, threshold));
        ASSERT_EQ(delivered.size(),
                  fewest(length,
                         [&](const auto& indices) { return conforms(stream, indices, threshold); }))
            << testing::PrintToString(stream) << " " << threshold;
      }
    });
  }
}

TEST(GlobalOptTest, IsTheSmallestConformingSubsequenceOfLongWalks) {
  for (const Law law : kLaws) {
    const Workload walks =
        make_walks({.name = "walks", .law = law, .stream_count = 5, .length = 200, .seed = 7});
    for (const Stream& stream : walks.streams) {
      for (const Value threshold : {1, 4, 10, 30}) {
        const auto delivered = global_opt(stream, threshold);
        ASSERT_TRUE(conforms(stream, delivered, threshold));
        ASSERT_EQ(delivered.size(), fewest_by_recurrence(stream, threshold))
            << name_of(law) << " " << threshold;
      }
    }
  }
}

TEST(FreeValueTest, IsTheSmallestNumberOfStretchesThatFitAroundOneValue) {
  EXPECT_EQ(free_value_count(Stream{}, 1), 0U);
  for (std::size_t length = 1; length <= 6; ++length) {
    for_all_streams(length, 4, [&](const Stream& stream) {
      for (const Value threshold : {0, 1}) {
        const std::size_t count = free_value_count(stream, threshold);
        ASSERT_LE(count, global_opt(stream, threshold).size());
        ASSERT_EQ(count,
                  fewest(length,
                         [&](const auto& starts) { return spans_fit(stream, starts, threshold); }))
            << testing::PrintToString(stream) << " " << threshold;
      }
    });
  }
}

}  // namespace
}  // namespace weir::lab
