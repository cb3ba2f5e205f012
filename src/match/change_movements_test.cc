// SPDX-License-Identifier: Apache-2.0
// What change filters do beyond thresholds: other movements, modifiers, forgetting.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "match/change_stream_testing.h"

namespace weir::match {
namespace {

std::string keyed(ChangeStream& stream, double seconds, std::string_view id, std::string_view key,
                  double value) {
  return stream.publish(seconds, id,
                        fmt::format(R"("subject":"{}","data":{{"v":{}}})", key, value));
}

std::string json(ChangeStream& stream, double seconds, std::string_view id,
                 std::string_view value) {
  return stream.publish(seconds, id, fmt::format(R"("data":{{"v":{}}})", value));
}

TEST(ChangeMovementsTest, AnyChangeIsOfValueOrType) {
  ChangeStream stream("any change(data.v)");
  EXPECT_EQ(json(stream, 0, "a", "1"), "a");
  EXPECT_EQ(json(stream, 1, "b", "1.0"), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kWithinThreshold);
  EXPECT_EQ(json(stream, 2, "c", "\"1\""), "c");
  EXPECT_EQ(json(stream, 3, "d", "true"), "d");
  EXPECT_EQ(json(stream, 4, "e", "true"), "");
  EXPECT_EQ(json(stream, 5, "f", "9007199254740993"), "f");
  EXPECT_EQ(json(stream, 6, "g", "9007199254740992"), "g") << "exactly";
}

TEST(ChangeMovementsTest, AnyChangeHasNoValueWhereThereIsNoScalar) {
  ChangeStream stream("any change(data.v)");
  EXPECT_EQ(json(stream, 0, "a", "\"on\""), "a");
  for (const char* const value : {"null", "{}", "[1]", "1e999"}) {
    EXPECT_EQ(json(stream, 1, "b", value), "") << value;
    EXPECT_EQ(stream.verdict, ChangeVerdict::kNoValue) << value;
  }
  EXPECT_EQ(stream.publish(2, "c", R"("data":{})"), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kNoValue);
  EXPECT_EQ(json(stream, 3, "d", "\"on\""), "") << "compared with the last delivered one";
}

TEST(ChangeMovementsTest, AnyChangeOfAttributes) {
  ChangeStream stream("any change(time, by source)");
  EXPECT_EQ(stream.publish(0, "a", R"("time":"2026-01-01T00:00:00Z")"), "a");
  EXPECT_EQ(stream.publish(1, "b", R"("time":"2026-01-01T01:00:00+01:00")"), "") << "one moment";
  EXPECT_EQ(stream.publish(2, "c", R"("time":"2026-01-01T00:00:01Z")"), "c");
  ChangeStream subjects("any change(subject)");
  EXPECT_EQ(subjects.publish(0, "a", R"("subject":"x")"), "a");
  EXPECT_EQ(subjects.publish(1, "b", R"("type":"t")"), "");
  EXPECT_EQ(subjects.publish(2, "c", R"("subject":"y")"), "c");
}

TEST(ChangeMovementsTest, AValueThatIsValidAgainIsComparedWithTheLastDeliveredOne) {
  ChangeStream stream("change(data.v) > 1 with previous");
  EXPECT_EQ(json(stream, 0, "a", "10"), "a");
  EXPECT_EQ(json(stream, 1, "b", "\"broken\""), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kNoValue);
  EXPECT_EQ(json(stream, 2, "c", "10.5"), "");
  EXPECT_EQ(json(stream, 3, "d", "null"), "");
  EXPECT_EQ(json(stream, 4, "e", "12"), "c e") << "what has no value is no reading";
}

TEST(ChangeMovementsTest, TheWayBackIsTakenSilently) {
  ChangeStream stream("change(data.v) crosses 20 upwards hysteresis 1");
  EXPECT_EQ(stream.value(0, "a", 20.5), "a") << "above the level: the first one has no hysteresis";
  EXPECT_EQ(stream.value(1, "b", 19.5), "");
  EXPECT_EQ(stream.value(2, "c", 22), "") << "it was above all the time";
  EXPECT_EQ(stream.value(3, "d", 18.9), "");
  EXPECT_EQ(stream.value(4, "e", 21), "") << "not beyond the hysteresis";
  EXPECT_EQ(stream.value(5, "f", 21.1), "f");
}

// The side is the last delivered or silently taken one.
TEST(ChangeMovementsTest, ACrossingThatIsHeldBackCountsByTheNewestValue) {
  ChangeStream stream("change(data.v) crosses 20 at most every 10s");
  EXPECT_EQ(stream.value(0, "a", 10), "a");
  EXPECT_EQ(stream.value(1, "b", 30), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kHeld);
  EXPECT_EQ(stream.value(2, "c", 10), "") << "back again";
  EXPECT_EQ(stream.change().next_wake(), std::nullopt);
  EXPECT_EQ(stream.value(3, "d", 40), "");
  EXPECT_EQ(stream.advance(10), "d");
  ChangeStream upwards("change(data.v) crosses 20 upwards at most every 10s");
  EXPECT_EQ(upwards.value(0, "a", 30), "a");
  EXPECT_EQ(upwards.value(1, "b", 10), "") << "taken at the reading itself";
  EXPECT_EQ(upwards.value(2, "c", 30), "");
  EXPECT_EQ(upwards.advance(10), "c");
}

TEST(ChangeMovementsTest, EveryReadingIsHeldUntilTheIntervalEnds) {
  ChangeStream stream("change(data.v) > 1 at most every 10s");
  EXPECT_EQ(stream.value(0, "a", 10), "a");
  EXPECT_EQ(stream.value(1, "b", 10), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kHeld) << "although it has not moved";
  EXPECT_EQ(stream.change().next_wake(), std::nullopt);
  EXPECT_EQ(stream.value(10, "c", 10), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kWithinThreshold);
}

TEST(ChangeMovementsTest, ThePreviousReadingGoesWithTheOneThatFired) {
  ChangeStream stream("change(data.v, by subject) > 2 with previous");
  EXPECT_EQ(keyed(stream, 0, "a", "x", 10), "a");
  EXPECT_EQ(keyed(stream, 1, "b", "x", 11), "");
  EXPECT_EQ(keyed(stream, 2, "c", "y", 50), "c");
  EXPECT_EQ(keyed(stream, 3, "d", "x", 11.5), "");
  EXPECT_EQ(keyed(stream, 4, "e", "x", 20), "d e") << "of the same key";
  EXPECT_EQ(keyed(stream, 5, "f", "x", 30), "f") << "e was delivered";
}

TEST(ChangeMovementsTest, ThePreviousOfAHeldReadingIsTheOneBeforeIt) {
  ChangeStream stream("change(data.v) > 2 at most every 10s with previous");
  EXPECT_EQ(stream.value(0, "a", 10), "a");
  EXPECT_EQ(stream.value(1, "b", 20), "");
  EXPECT_EQ(stream.value(2, "c", 30), "");
  EXPECT_EQ(stream.value(3, "d", 31), "");
  EXPECT_EQ(stream.advance(10), "c d");
}

TEST(ChangeMovementsTest, EachTermOfACompositeHasItsPrevious) {
  ChangeStream stream(
      "change(data.v, subject = 'x') > 1 with previous and change(data.v, subject = 'y') > 1");
  EXPECT_EQ(keyed(stream, 0, "x1", "x", 1), "");
  EXPECT_EQ(keyed(stream, 1, "x2", "x", 2), "");
  EXPECT_EQ(keyed(stream, 2, "y1", "y", 1), "x1 x2 y1");
  EXPECT_EQ(keyed(stream, 3, "y2", "y", 2), "");
  EXPECT_EQ(keyed(stream, 4, "x3", "x", 9), "");
  EXPECT_EQ(keyed(stream, 5, "y3", "y", 9), "x3 y3") << "y asks for no previous one";
}

TEST(ChangeMovementsTest, ATextIsComparedWithTheLastDeliveredOne) {
  ChangeStream stream("change(text(data.v), by subject) > 0.5");
  const auto text = [&](double seconds, std::string_view id, std::string_view value) {
    return json(stream, seconds, id, fmt::format("\"{}\"", value));
  };
  EXPECT_EQ(text(0, "a", "storm on the coast"), "a");
  EXPECT_EQ(text(1, "b", "Storms on a coast"), "") << "the same terms";
  EXPECT_EQ(text(2, "c", "markets rise"), "c") << "nothing in common";
  EXPECT_EQ(text(3, "d", "markets rise and rise"), "");
  EXPECT_EQ(json(stream, 4, "e", "7"), "");
  EXPECT_EQ(stream.verdict, ChangeVerdict::kNoValue);
  EXPECT_EQ(json(stream, 5, "f", R"(["storm", "coast"])"), "f");
}

TEST(ChangeMovementsTest, AnIdleKeyIsForgotten) {
  ChangeStream stream("change(data.v, by subject) > 2",
                      {.key_count_max = 2, .idle = base::Duration::seconds(10)});
  EXPECT_EQ(keyed(stream, 0, "a", "x", 1), "a");
  EXPECT_EQ(keyed(stream, 5, "b", "y", 1), "b");
  EXPECT_EQ(keyed(stream, 6, "c", "x", 1), "");
  EXPECT_EQ(keyed(stream, 14, "d", "z", 1), "d") << "no place for z: let through";
  EXPECT_EQ(stream.change().overflow_count(), 1U);
  EXPECT_EQ(keyed(stream, 15, "e", "z", 1), "e") << "y is gone, z is remembered";
  EXPECT_EQ(stream.change().key_count(), 2U);
  EXPECT_EQ(keyed(stream, 15, "f", "z", 1), "");
  EXPECT_EQ(keyed(stream, 16, "g", "x", 1), "g") << "10 s without a reading";
}

TEST(ChangeMovementsTest, AKeyOfWhichSomethingIsHeldBackIsNotIdle) {
  ChangeStream stream("change(data.v, by subject) > 2 at most every 1m",
                      {.idle = base::Duration::seconds(10)});
  EXPECT_EQ(keyed(stream, 0, "a", "x", 1), "a");
  EXPECT_EQ(keyed(stream, 1, "b", "x", 9), "");
  EXPECT_EQ(keyed(stream, 30, "c", "y", 1), "c");
  EXPECT_EQ(stream.advance(60), "b");
  EXPECT_EQ(keyed(stream, 61, "d", "x", 9), "d") << "the last reading is 60 s old";
}

TEST(ChangeMovementsTest, ForgetsAKeyOfEveryConjunction) {
  ChangeStream stream("change(data.v, by subject) > 2 or change(data.w, by subject) > 2");
  const auto both = [&](double seconds, std::string_view id, std::string_view key) {
    return stream.publish(seconds, id,
                          fmt::format(R"("subject":"{}","data":{{"v":1,"w":1}})", key));
  };
  EXPECT_EQ(both(0, "a", "x"), "a");
  EXPECT_EQ(both(1, "b", "y"), "b");
  EXPECT_EQ(both(2, "c", "x"), "");
  const auto any_of_x = event::decode_event(
      R"({"specversion":"1.0","id":"?","source":"/s","type":"t","subject":"x"})");
  ASSERT_TRUE(any_of_x.has_value());
  EXPECT_TRUE(stream.change().forget(**any_of_x, ChangeStream::at(3)));
  EXPECT_FALSE(stream.change().forget(**any_of_x, ChangeStream::at(3)));
  EXPECT_EQ(stream.change().key_count(), 2U);
  EXPECT_EQ(both(4, "d", "x"), "d");
  EXPECT_EQ(both(5, "e", "y"), "");
}

}  // namespace
}  // namespace weir::match
