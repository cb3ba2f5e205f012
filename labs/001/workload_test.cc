// SPDX-License-Identifier: Apache-2.0
#include "001/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "001/generator.h"

namespace weir::lab {
namespace {

TEST(PrefilterWorkloadTest, ReadsPublicationsAndSubscriptions) {
  const auto workload = parse_workload("w", "p 7 1250\np 8 -3\ns 0=7 1:1000:1500\ns 1:-5:0\ns\n");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  EXPECT_EQ(workload->publication_count(), 2U);
  ASSERT_EQ(workload->subscription_count(), 3U);
  const auto match = [&](std::size_t subscription, std::size_t publication) {
    return matches(workload->subscription(subscription), workload->publication(publication));
  };
  EXPECT_TRUE(match(0, 0));
  EXPECT_FALSE(match(0, 1));
  EXPECT_FALSE(match(1, 0));
  EXPECT_TRUE(match(1, 1));
  EXPECT_TRUE(match(2, 0));  // asks for nothing
}

TEST(PrefilterWorkloadTest, NamesTheLineThatItCannotRead) {
  const auto message = [](std::string_view text) {
    return parse_workload("w", text).error().message;
  };
  for (const char* bad : {"q 1", "p", "p 1", "p 1 x", "p 1 2 3", "s 0=x", "s 0=1:2", "s 0:1",
                          "s 0:1:2:3", "s -1=1", "s 0"}) {
    EXPECT_EQ(message(std::string("p 1 2\n") + bad + "\n"),
              "w: line 2 is no publication or subscription")
        << bad;
  }
  EXPECT_EQ(message("p 1 2\np 1 2\ns 2=1\n"), "w: no attribute 2");
  EXPECT_EQ(message("p 1 2\ns 0=1\n"), "w: too few publications or subscriptions");
  EXPECT_EQ(message(""), "w: too few publications or subscriptions");
  EXPECT_FALSE(read_workload("w", "no/such/file").has_value());
}

TEST(PrefilterWorkloadTest, HashesValuesOrPairs) {
  const auto workload = *parse_workload("w", "p 2 2 9\np 2 3 9\ns 0=2\ns 1=2 2:0:9\ns 2:0:9\n");
  const HashedWorkload value =
      hashed(workload, {.hashing = Hashing::kValue, .subscription_count_max = 10});
  EXPECT_EQ(value.subscriptions[0][0], value.subscriptions[1][0]);
  EXPECT_EQ(value.publications[0][0], value.publications[0][1]);
  const HashedWorkload pair =
      hashed(workload, {.hashing = Hashing::kPair, .subscription_count_max = 10});
  EXPECT_NE(pair.subscriptions[0][0], pair.subscriptions[1][0]);
  EXPECT_EQ(pair.subscriptions[0][0], pair.publications[0][0]);
  EXPECT_EQ(pair.publications[0].size(), 3U);
  EXPECT_TRUE(pair.subscriptions[2].empty());
  const HashedWorkload used =
      hashed(workload, {.hashing = Hashing::kUsed, .subscription_count_max = 2});
  EXPECT_EQ(used.publications[0].size(), 2U);
  EXPECT_EQ(used.subscriptions.size(), 2U);
  const HashedWorkload other = hashed(workload, {.subscription_count_max = 10, .draw = 1});
  EXPECT_NE(other.subscriptions[0][0], pair.subscriptions[0][0]);
}

struct Agreement {
  std::uint64_t match_count = 0;
  std::uint64_t checksum = 0;
};

// The checksum of the content benchmarks, over all publications.
Agreement agreement_of(const Workload& workload) {
  Agreement sum;
  for (std::uint64_t e = 0; e < workload.publication_count(); ++e) {
    for (std::uint64_t i = 0; i < workload.subscription_count(); ++i) {
      if (!matches(workload.subscription(i), workload.publication(e))) continue;
      std::uint64_t z = (e * 1'000'003 + i + 1) * 0x9E3779B97F4A7C15U;
      z = (z ^ z >> 29U) * 0xBF58476D1CE4E5B9U;
      sum.checksum += z ^ z >> 32U;
      ++sum.match_count;
    }
  }
  return sum;
}

TEST(PrefilterGeneratorTest, ContentIsThatOfTheBenchmarks) {
  const Agreement w1 = agreement_of(
      make_content(ContentKind::kW1, {.subscription_count = 10'000, .publication_count = 200}));
  EXPECT_EQ(w1.match_count, 1445U);
  EXPECT_EQ(w1.checksum, 0x0899554b44c76aaaU);
  const Agreement w2 = agreement_of(
      make_content(ContentKind::kW2, {.subscription_count = 100'000, .publication_count = 1000}));
  EXPECT_EQ(w2.match_count, 9875U);
  EXPECT_EQ(w2.checksum, 0x486f58177aef0acdU);
}

TEST(PrefilterGeneratorTest, QuotesHaveAsManyEqualitiesAsAsked) {
  for (const std::uint32_t percent : {0U, 30U, 100U}) {
    const Workload quotes = make_quotes({.equality_percent = percent},
                                        {.subscription_count = 5'000, .publication_count = 100});
    const auto equality_count =
        std::ranges::count(quotes.predicates, true, &Predicate::is_equality);
    EXPECT_NEAR(static_cast<double>(equality_count), 50.0 * percent, 110) << percent;
    EXPECT_EQ(quotes.publication_count(), 100U);
    EXPECT_EQ(quotes.subscription_count(), 5'000U);
  }
}

TEST(PrefilterGeneratorTest, QuotesMatchSomeSubscriptions) {
  const Agreement quotes =
      agreement_of(make_quotes({}, {.subscription_count = 5'000, .publication_count = 400}));
  EXPECT_GT(quotes.match_count, 400U);
  EXPECT_LT(quotes.match_count, 400U * 50);
}

}  // namespace
}  // namespace weir::lab
