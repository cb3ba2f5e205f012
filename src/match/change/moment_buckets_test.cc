// SPDX-License-Identifier: Apache-2.0
#include "match/change/moment_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

using base::Duration;
using base::Instant;

// Spans of all lengths, so that every bucket is used.
Duration random_span(base::Prng& prng) {
  return {static_cast<std::int64_t>(prng.next() >> (2 + prng.below(62)))};
}

TEST(MomentBucketsTest, GivesWhatHasPassedAndNothingElse) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Prng prng(seed);
    MomentBuckets buckets;
    std::multiset<Moment> expected;
    Instant now{-(std::int64_t{1} << 62)};
    for (int step = 0; step < 100; ++step) {
      for (std::uint64_t i = prng.below(20); i > 0; --i) {
        const auto slot = static_cast<std::uint32_t>(prng.below(9));
        const Instant at =
            prng.chance(0.1) ? Instant{now.nanoseconds - 5} : now + random_span(prng);
        buckets.push({at, slot});
        expected.insert({at, slot});
      }
      now = now + random_span(prng);
      std::vector<Moment> passed;
      buckets.pass(now, passed);
      const auto end =
          std::ranges::find_if(expected, [&](const Moment& moment) { return moment.at > now; });
      std::ranges::sort(passed);
      ASSERT_EQ(passed, std::vector<Moment>(expected.begin(), end));
      expected.erase(expected.begin(), end);
      ASSERT_EQ(buckets.size(), expected.size());
    }
  }
}

TEST(MomentBucketsTest, KeepsEachMomentOfUseOnceWhenThereAreTooMany) {
  MomentBuckets buckets;
  const auto is_even = [](const Moment& moment) { return moment.slot % 2 == 0; };
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t slot = 0; slot < 100; ++slot) buckets.push({Instant{slot}, slot});
  }
  buckets.tidy(200, is_even);
  EXPECT_EQ(buckets.size(), 300);
  buckets.tidy(50, is_even);
  EXPECT_EQ(buckets.size(), 50);
  std::vector<Moment> passed;
  buckets.pass(Instant{99}, passed);
  EXPECT_EQ(passed.size(), 50);
  EXPECT_TRUE(std::ranges::all_of(passed, is_even));
}

}  // namespace
}  // namespace weir::match
