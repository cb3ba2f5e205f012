// SPDX-License-Identifier: Apache-2.0
#include "002/adversary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "002/offline.h"

namespace weir::lab {
namespace {

using testing::ElementsAre;

std::size_t least_of(const Duel& duel) {
  return global_opt(duel.stream, kAdversaryThreshold).size();
}

TEST(AdversaryTest, RevealsThePapersStreams) {
  OnlineGreedy greedy(kAdversaryThreshold);
  const Duel left = play(greedy, Opening::kPaper, 8);
  EXPECT_FALSE(left.took_bait);
  EXPECT_THAT(left.stream, ElementsAre(4, 8, 9, 12, 6, 12, 6, 12));
  EXPECT_THAT(left.delivered, ElementsAre(0, 1, 3, 4, 5, 6, 7));
  Scripted eager(kAdversaryThreshold, 0b100);
  const Duel taken = play(eager, Opening::kPaper, 8);
  EXPECT_TRUE(taken.took_bait);
  EXPECT_THAT(taken.stream, ElementsAre(4, 8, 9, 5, 9, 5, 9, 5));
  EXPECT_EQ(taken.delivered.size(), 8U);
}

TEST(AdversaryTest, EveryAlgorithmDeliversAllOrAllButOneWhereTwoOrThreeSuffice) {
  for (const NamedAlgorithm& algorithm : online_algorithms()) {
    for (const std::size_t n : {5U, 100U, 1'001U}) {
      const Duel duel = play(*algorithm.make(kAdversaryThreshold), Opening::kPaper, n);
      EXPECT_TRUE(conforms(duel.stream, duel.delivered, kAdversaryThreshold));
      EXPECT_GE(duel.delivered.size(), duel.took_bait ? n : n - 1) << algorithm.name;
      EXPECT_EQ(least_of(duel), duel.took_bait ? 2U : 3U) << algorithm.name;
    }
  }
}

TEST(AdversaryTest, BothOfItsStreamsAreRevealedToSomeAlgorithm) {
  std::vector<bool> taken;
  for (const NamedAlgorithm& algorithm : online_algorithms()) {
    taken.push_back(play(*algorithm.make(kAdversaryThreshold), Opening::kPaper, 9).took_bait);
  }
  EXPECT_THAT(taken, ElementsAre(false, false, true, false, true));
}

// What an algorithm does against the adversary is a list of decisions, and here are all of them.
TEST(AdversaryTest, NoDecisionsAtAllDoBetterThanTheTheoremSays) {
  for (const Opening opening : kOpenings) {
    const std::size_t saved = opening == Opening::kPaper ? 0 : 1;
    for (std::size_t n = 5; n <= 12; ++n) {
      for (std::uint64_t script = 0; script < std::uint64_t{1} << n; ++script) {
        Scripted algorithm(kAdversaryThreshold, script);
        const Duel duel = play(algorithm, opening, n);
        ASSERT_TRUE(conforms(duel.stream, duel.delivered, kAdversaryThreshold));
        ASSERT_GE(duel.delivered.size(), duel.took_bait ? n : n - 1) << script;
        ASSERT_EQ(least_of(duel), (duel.took_bait ? 2 : 3) - saved) << script;
      }
    }
  }
}

}  // namespace
}  // namespace weir::lab
