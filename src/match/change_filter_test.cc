// SPDX-License-Identifier: Apache-2.0
#include "match/change_filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/prng.h"
#include "match/change_stream_testing.h"

namespace weir::match {
namespace {

using Stream = ChangeStream;

base::Instant at(double seconds) { return ChangeStream::at(seconds); }

TEST(ChangeFilterTest, DeliversOnlyWhatMovedBeyondTheThresholdSinceTheLastDelivery) {
  Stream stream("change(data.v) > 2");
  EXPECT_EQ(stream.value(0, "a", 10), "a");
  EXPECT_EQ(stream.value(1, "b", 12), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kWithinThreshold);
  EXPECT_EQ(stream.value(2, "c", 12.5), "c");
  EXPECT_EQ(stream.value(3, "d", 10.5), "");
  EXPECT_EQ(stream.value(4, "e", 10.4), "e");
}

TEST(ChangeFilterTest, TheThresholdItselfCountsOnlyWithGreaterOrEqual) {
  Stream open("change(data.v) > 2");
  Stream closed("change(data.v) >= 2");
  for (Stream* stream : {&open, &closed}) EXPECT_EQ(stream->value(0, "a", 10), "a");
  EXPECT_EQ(open.value(1, "b", 12), "");
  EXPECT_EQ(closed.value(1, "b", 12), "b");
}

TEST(ChangeFilterTest, PercentIsOfTheLastDeliveredValue) {
  Stream stream("change(data.v) > 10%");
  EXPECT_EQ(stream.value(0, "a", 100), "a");
  EXPECT_EQ(stream.value(1, "b", 110), "");
  EXPECT_EQ(stream.value(2, "c", 111), "c");
  EXPECT_EQ(stream.value(3, "d", 100), "");
  EXPECT_EQ(stream.value(4, "e", -111), "e");
  EXPECT_EQ(stream.value(5, "f", -100), "");
}

TEST(ChangeFilterTest, FromZeroAnyChangeIsAPercentage) {
  for (const char* text : {"change(data.v) > 10%", "change(data.v) >= 10%"}) {
    Stream stream(text);
    EXPECT_EQ(stream.value(0, "a", 0), "a");
    EXPECT_EQ(stream.value(1, "b", 0), "") << text;
    EXPECT_EQ(stream.value(2, "c", 1e-9), "c") << text;
  }
}

TEST(ChangeFilterTest, KeepsOneLastValueForEachKey) {
  Stream stream("change(data.v, by (subject, data.k)) > 1");
  EXPECT_EQ(stream.publish(0, "a", R"("subject":"x","data":{"k":1,"v":10})"), "a");
  EXPECT_EQ(stream.publish(1, "b", R"("subject":"y","data":{"k":1,"v":10})"), "b");
  EXPECT_EQ(stream.publish(2, "c", R"("subject":"x","data":{"k":1.0,"v":10.5})"), "");
  EXPECT_EQ(stream.publish(3, "d", R"("subject":"x","data":{"k":2,"v":10.5})"), "d");
  EXPECT_EQ(stream.publish(4, "e", R"("data":{"k":2,"v":10.5})"), "e");
  EXPECT_EQ(stream.change().key_count(), 4U);
}

TEST(ChangeFilterTest, WhatIsNoFiniteNumberMovesNothing) {
  Stream stream("change(data.v) > 1");
  EXPECT_EQ(stream.publish(0, "a", R"("data":{"v":"10"})"), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kNoValue);
  EXPECT_EQ(stream.value(1, "b", 10), "b");
  EXPECT_EQ(stream.publish(2, "c", R"("data":{"v":null})"), "");
  EXPECT_EQ(stream.publish(3, "d", R"("data":{"v":1e999})"), "");
  EXPECT_EQ(stream.publish(4, "e", R"("data":{})"), "");
  EXPECT_EQ(stream.value(5, "f", 10.5), "");
  EXPECT_EQ(stream.value(6, "g", 12), "g");
}

TEST(ChangeFilterTest, TheFirstValueIsOnlyTakenAsABaseWithInitialNone) {
  Stream stream("change(data.v) > 1", {.initial = Initial::kNone});
  EXPECT_EQ(stream.value(0, "a", 10), "");
  EXPECT_EQ(stream.value(1, "b", 10.5), "");
  EXPECT_EQ(stream.value(2, "c", 12), "c");
}

TEST(ChangeFilterTest, StateMovesOnlyForEventsThatPassTheStatelessPart) {
  Stream stream("type = 'reading' and change(data.v) > 1");
  EXPECT_EQ(stream.publish(0, "a", R"("type":"reading","data":{"v":10})"), "a");
  EXPECT_EQ(stream.publish(1, "b", R"("type":"other","data":{"v":20})"), "");
  EXPECT_EQ(stream.publish(2, "c", R"("type":"reading","data":{"v":10.5})"), "");
}

TEST(ChangeFilterTest, DeliversAfterASilenceEvenWithoutAChange) {
  Stream stream("change(data.v) > 5 or silent for 10s");
  EXPECT_EQ(stream.value(0, "a", 10), "a");
  EXPECT_EQ(stream.value(9, "b", 10), "");
  EXPECT_EQ(stream.advance(30), "");
  EXPECT_EQ(stream.value(30, "c", 10), "c");
  EXPECT_EQ(stream.value(39, "d", 10), "");
  EXPECT_EQ(stream.value(40, "e", 11), "e");
}

TEST(ChangeFilterTest, HoldsBackUntilTheIntervalEndsAndTheNewestValueWins) {
  Stream stream("change(data.v) > 1 at most every 10s");
  EXPECT_EQ(stream.value(0, "a", 10), "a");
  EXPECT_EQ(stream.value(1, "b", 20), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kHeld);
  EXPECT_EQ(stream.value(2, "c", 30), "");
  EXPECT_EQ(stream.change().next_wake(), at(10));
  EXPECT_EQ(stream.advance(9), "");
  EXPECT_EQ(stream.advance(10), "c");
  EXPECT_EQ(stream.change().next_wake(), std::nullopt);
  EXPECT_EQ(stream.value(15, "d", 31.5), "");
  EXPECT_EQ(stream.value(16, "e", 30.5), "");
  EXPECT_EQ(stream.change().next_wake(), std::nullopt) << "the newest value has come back";
  EXPECT_EQ(stream.value(25, "f", 40), "f");
}

TEST(ChangeFilterTest, AHeldValueIsDeliveredBeforeTheEventThatComesLater) {
  Stream stream("change(data.v) > 1 at most every 10s");
  EXPECT_EQ(stream.value(0, "a", 10), "a");
  EXPECT_EQ(stream.value(5, "b", 20), "");
  EXPECT_EQ(stream.value(12, "c", 30), "b");
  EXPECT_EQ(stream.advance(20), "c");
}

constexpr std::string_view kTwoStocks =
    "change(data.price, subject = 'INTC') > 3 and change(data.price, subject = 'YHOO') > 2";

std::string stock(Stream& stream, double seconds, std::string_view id, std::string_view symbol,
                  double price) {
  return stream.publish(seconds, id,
                        fmt::format(R"("subject":"{}","data":{{"price":{}}})", symbol, price));
}

TEST(ChangeFilterTest, ACompositeFiresWhenEveryTermIsSatisfiedAndDeliversAllCurrentEvents) {
  Stream stream(kTwoStocks);
  EXPECT_EQ(stock(stream, 0, "i1", "INTC", 20), "");
  EXPECT_EQ(stock(stream, 1, "i2", "INTC", 21), "");
  EXPECT_EQ(stock(stream, 2, "y1", "YHOO", 30), "i2 y1");
  EXPECT_EQ(stock(stream, 3, "i3", "INTC", 25), "");
  EXPECT_EQ(stock(stream, 4, "y2", "YHOO", 31), "");
  EXPECT_EQ(stock(stream, 5, "i4", "INTC", 22), "");
  EXPECT_EQ(stock(stream, 6, "y3", "YHOO", 33), "") << "INTC has come back to within 3";
  EXPECT_EQ(stock(stream, 7, "i5", "INTC", 24.5), "y3 i5");
  EXPECT_EQ(stock(stream, 8, "x", "MSFT", 1), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kNoReading);
}

TEST(ChangeFilterTest, AnOrFiresOnceEvenIfSeveralConjunctionsDo) {
  Stream stream("change(data.v) > 1 or change(data.w) > 1 or type = 'alarm'");
  EXPECT_EQ(stream.publish(0, "a", R"("data":{"v":1,"w":1})"), "a");
  EXPECT_EQ(stream.publish(1, "b", R"("data":{"v":1,"w":3})"), "b");
  EXPECT_EQ(stream.publish(2, "c", R"("data":{"v":1,"w":3})"), "");
  EXPECT_EQ(stream.publish(3, "d", R"("type":"alarm","data":{"v":9,"w":9})"), "d");
  EXPECT_EQ(stream.publish(4, "e", R"("data":{"v":9.5,"w":9.5})"), "");
}

TEST(ChangeFilterTest, BeyondTheLimitOfKeysEverythingIsLetThrough) {
  Stream stream("change(data.v, by subject) > 1", {.key_count_max = 1});
  EXPECT_EQ(stream.publish(0, "a", R"("subject":"x","data":{"v":1})"), "a");
  EXPECT_EQ(stream.publish(1, "b", R"("subject":"y","data":{"v":1})"), "b");
  EXPECT_EQ(stream.publish(2, "c", R"("subject":"y","data":{"v":1})"), "c");
  EXPECT_EQ(stream.publish(3, "d", R"("subject":"x","data":{"v":1})"), "");
  EXPECT_EQ(stream.change().overflow_count(), 2U);
}

// P1 of the paper: between two deliveries every value stays within c of the last delivered one; and
// OnlineGreedy delivers no value that P1 does not force.
TEST(ChangeFilterTest, EveryRandomWalkKeepsP1AndDeliversNothingNeedless) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const double threshold = static_cast<double>(prng.below(40)) / 8;
    const bool percent = seed % 3 == 0;
    Stream stream(fmt::format("change(data.v) > {}{}", threshold, percent ? "%" : ""));
    double value = 50;
    std::optional<double> last;
    for (int i = 0; i < 300; ++i) {
      value += (prng.fraction() - 0.5) * (prng.chance(0.05) ? 40 : 4);
      const bool delivered = !stream.value(i, std::to_string(i + 1), value).empty();
      const double bound = percent && last ? threshold / 100 * std::abs(*last) : threshold;
      ASSERT_EQ(delivered, !last || std::abs(value - *last) > bound) << i;
      if (delivered) last = value;
    }
  }
}

}  // namespace
}  // namespace weir::match
