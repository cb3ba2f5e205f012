// SPDX-License-Identifier: Apache-2.0
// Deliveries to a subscription with several changes: the same in the index that all share and by
// a change filter of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;
using match::Initial;

constexpr std::string_view kSharedSource =
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'C') > 1 or "
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'D') > 1";

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

event::EventPtr reading(std::string_view id, std::string_view subject, double value) {
  return event::event_of(
      fmt::format(R"({{"id":"{}","subject":"{}","data":{{"v":{}}}}})", id, subject, value));
}

// "[a*,b] c": a group whose first event is repeated, and a delivery that is no group.
std::string shown(std::span<const Delivery> deliveries) {
  std::string out;
  for (const Delivery& delivery : deliveries) {
    std::string ids;
    for (std::size_t i = 0; i < delivery.events.size(); ++i) {
      const bool is_repeated = std::ranges::binary_search(delivery.repeated, i);
      ids += (i == 0 ? "" : ",") + std::string(delivery.events[i]->id()) + (is_repeated ? "*" : "");
    }
    out += (out.empty() ? "" : " ") + (delivery.is_group ? '[' + ids + ']' : ids);
  }
  return out;
}

// True: keys could become idle, if time went on for ever, so that the filter stands alone.
class CompositeGroupsTest : public testing::TestWithParam<bool> {
 protected:
  EngineOptions options() const {
    EngineOptions options;
    if (GetParam()) options.change_idle = Duration{std::numeric_limits<std::int64_t>::max()};
    return options;
  }
  void subscribe(std::string_view filter, const SubscribeOptions& options = {}) {
    const auto id = engine_.subscribe(filter, options);
    ASSERT_TRUE(id) << id.error().to_string();
    id_ = *id;
  }
  // One that knows two readings of A and one of C.
  std::string begin(std::string_view filter, Initial initial, bool is_told) {
    const std::vector<event::EventPtr> known = {reading("a1", "A", 10), reading("c1", "C", 10),
                                                reading("a2", "A", 20)};
    const auto begun =
        engine_.subscribe_knowing(filter::filter_of(filter), {.initial = initial},
                                  {.events = known, .at = at(1), .is_told = is_told});
    EXPECT_TRUE(begun);
    id_ = begun->id;
    return shown(begun->told);
  }
  std::string publish(std::int64_t seconds, std::string_view id, std::string_view subject,
                      double value) {
    return shown(engine_.publish(reading(id, subject, value), at(seconds)));
  }
  // It goes on in another engine, from what this one saved.
  void move_out(std::string_view filter) {
    const std::string state = *engine_.save(id_);
    engine_ = Engine(options());
    subscribe(filter, {.state = state});
    ASSERT_EQ(*engine_.save(id_), state);
  }

  Engine engine_{options()};
  SubscriptionId id_;
};

INSTANTIATE_TEST_SUITE_P(SharedAndAlone, CompositeGroupsTest, testing::Bool());

TEST_P(CompositeGroupsTest, AGroupHasEverySourceOfItsConjunction) {
  subscribe(kSharedSource);
  EXPECT_EQ(publish(0, "a1", "A", 10), "");
  EXPECT_EQ(publish(1, "c1", "C", 10), "[a1,c1]");
  EXPECT_EQ(publish(2, "d1", "D", 10), "[a1*,d1]") << "not d1 alone";
  EXPECT_EQ(engine_.counters(id_)->delivered, 3U) << "repeated events count once";
}

TEST_P(CompositeGroupsTest, MarksAreKnownAfterARestore) {
  subscribe(kSharedSource);
  publish(0, "a1", "A", 10);
  ASSERT_NO_FATAL_FAILURE(move_out(kSharedSource));
  EXPECT_EQ(publish(1, "c1", "C", 10), "[a1,c1]");
  ASSERT_NO_FATAL_FAILURE(move_out(kSharedSource));
  EXPECT_EQ(publish(2, "d1", "D", 10), "[a1*,d1]");
  ASSERT_NO_FATAL_FAILURE(move_out(kSharedSource));
  EXPECT_EQ(publish(3, "c2", "C", 20), "");
  EXPECT_EQ(publish(4, "a2", "A", 20), "[c2,a2]");
}

TEST_P(CompositeGroupsTest, OneEventThatMovesAllSourcesIsAGroup) {
  subscribe("change(data.v) > 1 and change(data.v, subject = 'A') > 1");
  EXPECT_EQ(publish(0, "a1", "A", 10), "[a1]");
}

TEST_P(CompositeGroupsTest, AlternativesOfOneChangeAreNoGroups) {
  subscribe("change(data.v, subject = 'A') > 1 or change(data.v, subject = 'C') > 1");
  EXPECT_EQ(publish(0, "a1", "A", 10), "a1");
  EXPECT_EQ(publish(1, "c1", "C", 10), "c1");
}

// Within the window 10 was delivered by a1: c1 is as repeated as a1 is.
TEST_P(CompositeGroupsTest, WithDistinctAGroupIsWholeUnlessNothingInItIsNew) {
  subscribe("(" + std::string(kSharedSource) + ") and distinct(data.v) within 1h exact");
  EXPECT_EQ(publish(0, "a1", "A", 10), "");
  EXPECT_EQ(publish(1, "c1", "C", 10), "[a1,c1*]");
  EXPECT_EQ(publish(2, "d1", "D", 10), "") << "nothing new";
  EXPECT_EQ(engine_.counters(id_)->duplicate, 2U);
  EXPECT_EQ(publish(3, "c2", "C", 20), "");
  EXPECT_EQ(publish(4, "a2", "A", 30), "[c2,a2]");
  EXPECT_EQ(engine_.counters(id_)->delivered, 3U);
}

TEST_P(CompositeGroupsTest, ANewOneBeginsWithWhatIsKnown) {
  EXPECT_EQ(begin(kSharedSource, Initial::kDeliver, false), "");
  EXPECT_EQ(engine_.explain(id_, reading("x", "C", 10), at(2))->outcome, Outcome::kPassed);
  EXPECT_EQ(publish(2, "d1", "D", 1), "[a2,d1]");
  EXPECT_EQ(publish(3, "c2", "C", 10), "[a2*,c2]");
}

TEST_P(CompositeGroupsTest, WithInitialNoneWhatIsKnownIsWhereItStarts) {
  EXPECT_EQ(begin(kSharedSource, Initial::kNone, false), "");
  EXPECT_EQ(engine_.explain(id_, reading("x", "C", 10), at(2))->outcome, Outcome::kWithinThreshold);
  EXPECT_EQ(publish(2, "c2", "C", 20), "") << "A has not moved";
  EXPECT_EQ(publish(3, "a3", "A", 30), "[c2,a3]");
}

TEST_P(CompositeGroupsTest, WhatIsKnownCanBeToldAtOnce) {
  EXPECT_EQ(begin(kSharedSource, Initial::kDeliver, true), "[c1,a2]");
  EXPECT_EQ(engine_.counters(id_)->delivered, 2U);
  EXPECT_EQ(publish(2, "d1", "D", 1), "[a2*,d1]");
  EXPECT_EQ(publish(3, "c2", "C", 20), "") << "A has not moved since";
}

TEST_P(CompositeGroupsTest, WhatItBeginsWithIsInItsState) {
  EXPECT_EQ(begin(kSharedSource, Initial::kDeliver, false), "");
  ASSERT_NO_FATAL_FAILURE(move_out(kSharedSource));
  EXPECT_EQ(publish(2, "d1", "D", 1), "[a2,d1]");
}

}  // namespace
}  // namespace weir::engine
