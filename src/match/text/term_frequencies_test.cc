// SPDX-License-Identifier: Apache-2.0
#include "match/text/term_frequencies.h"

#include <gtest/gtest.h>

namespace weir::match::text {
namespace {

TEST(TermFrequenciesTest, HalvesWhatWasCountedWithEveryPeriod) {
  TermFrequencies frequencies;
  frequencies.resize(2);
  for (int i = 0; i < 100; ++i) {
    frequencies.begin_document();
    frequencies.count(1);
  }
  EXPECT_EQ(frequencies.at(1), 100U);
  EXPECT_EQ(frequencies.at(0), 0U);
  for (std::uint64_t i = 0; i < TermFrequencies::kPeriod; ++i) frequencies.begin_document();
  EXPECT_EQ(frequencies.at(1), 50U);
  frequencies.count(1);
  EXPECT_EQ(frequencies.at(1), 51U);
  for (std::uint64_t i = 0; i < 40 * TermFrequencies::kPeriod; ++i) frequencies.begin_document();
  EXPECT_EQ(frequencies.at(1), 0U);
}

TEST(TermFrequenciesTest, KnowsWhetherEnoughWasSeen) {
  TermFrequencies frequencies;
  for (std::uint64_t i = 1; i < TermFrequencies::kMeasuredCount; ++i) frequencies.begin_document();
  EXPECT_FALSE(frequencies.is_measured());
  frequencies.begin_document();
  EXPECT_TRUE(frequencies.is_measured());
}

TEST(TermFrequenciesTest, ForgetsATermWhoseNumberIsGivenAway) {
  TermFrequencies frequencies;
  frequencies.resize(1);
  frequencies.begin_document();
  frequencies.count(0);
  frequencies.forget(0);
  EXPECT_EQ(frequencies.at(0), 0U);
}

}  // namespace
}  // namespace weir::match::text
