// SPDX-License-Identifier: Apache-2.0
#include "broker/checkpoint_pacer.h"

#include <gtest/gtest.h>

namespace weir::broker {
namespace {

using std::chrono::milliseconds;

const CheckpointPacer::Clock::time_point kStart(std::chrono::hours(1));

TEST(CheckpointPacerTest, LetsTheFirstBeginAtOnce) {
  EXPECT_LE(CheckpointPacer().earliest(), kStart);
}

TEST(CheckpointPacerTest, RestsInProportionToTheWork) {
  CheckpointPacer pacer;
  pacer.begin(kStart);
  EXPECT_EQ(pacer.earliest(), std::nullopt);
  pacer.end(kStart + milliseconds(3));
  EXPECT_EQ(pacer.earliest(), kStart + milliseconds(3 + 3 * CheckpointPacer::kRestPerWork));
}

TEST(CheckpointPacerTest, RestsForAFewSecondsAtMost) {
  CheckpointPacer pacer;
  pacer.begin(kStart);
  pacer.end(kStart + std::chrono::seconds(3));
  EXPECT_EQ(pacer.earliest(), kStart + std::chrono::seconds(3) + CheckpointPacer::kRestMax);
}

TEST(CheckpointPacerTest, ScheduledOnesAreRareIfTheyStopShardsForLong) {
  EXPECT_EQ(CheckpointPacer::schedule_rest(milliseconds(10)),
            milliseconds(10 * CheckpointPacer::kRestPerStop));
  EXPECT_EQ(CheckpointPacer::schedule_rest(std::chrono::hours(1)),
            CheckpointPacer::kScheduleRestMax);
}

TEST(CheckpointPacerTest, WaitsForAllThatAreUnderWay) {
  CheckpointPacer pacer;
  pacer.begin(kStart);
  pacer.begin(kStart + milliseconds(1));
  pacer.end(kStart + milliseconds(2));
  EXPECT_EQ(pacer.earliest(), std::nullopt);
  pacer.end(kStart + milliseconds(3));
  EXPECT_NE(pacer.earliest(), std::nullopt);
}

}  // namespace
}  // namespace weir::broker
