// SPDX-License-Identifier: Apache-2.0
#include "broker/latest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "event/event_testing.h"

namespace weir::broker {
namespace {

class LatestTest : public testing::Test {
 protected:
  LatestTest() {
    for (const char* const event :
         {R"({"id":"1","subject":"a","data":{"v":1}})",
          R"({"id":"2","subject":"b","data":{"v":2}})",
          R"({"id":"3","subject":"a","data":{"v":3}})",
          R"({"id":"4","subject":"a","data":{"v":null}})", R"({"id":"5","subject":"c"})"}) {
      recent_.add(event::event_of(event));
    }
  }
  Latest latest(std::string_view filter, const std::shared_ptr<const engine::Gate>& gate = {}) {
    return latest_of(*filter::Filter::parse(filter), gate, recent_, {}, base::Instant{});
  }
  static std::string ids(const Latest& latest) {
    std::string ids;
    for (const event::EventPtr& event : latest.events) ids += event->id();
    return ids;
  }

  RecentEvents recent_{1U << 20U};
};

TEST_F(LatestTest, IsTheNewestReadingOfEachKeyOldestFirst) {
  EXPECT_EQ(ids(latest("change(data.v, by subject) > 1")), "23");
  EXPECT_EQ(ids(latest("change(data.v) > 1")), "3");
  EXPECT_EQ(ids(latest("change(data.v, by subject, data.v < 3) > 1")), "12");
  EXPECT_EQ(ids(latest("subject = 'b' and change(data.v) > 1")), "2");
  EXPECT_EQ(ids(latest("any change(subject)")), "5");
}

TEST_F(LatestTest, IsOnlyWhatTheSubscriberMaySee) {
  const auto gate = std::make_shared<const engine::Gate>(
      [](const event::Event& event) { return event.id() != "3"; });
  EXPECT_EQ(ids(latest("change(data.v, by subject) > 1", gate)), "12");
}

TEST_F(LatestTest, IsNothingWhereThereIsNoReadingOrMoreThanOneChange) {
  for (const char* const filter :
       {"change(data.w) > 1", "change(data.v) > 1 and change(data.v) > 2 or silent for 1s",
        "change(data.v) > 1 or type = 'a'", "subject = 'a'",
        "change(data.v) > 1 and text(data.t) about 'x' score >= 0"}) {
    EXPECT_TRUE(latest(filter).events.empty()) << filter;
    EXPECT_TRUE(latest(filter).state.empty()) << filter;
  }
}

TEST_F(LatestTest, IsWhereASubscriptionGoesOn) {
  const auto filter = *filter::Filter::parse("change(data.v, by subject) > 1");
  engine::Engine engine;
  ASSERT_TRUE(engine.subscribe(filter, {.state = latest(filter->to_text()).state}));
  const auto count = [&](const char* subject, double value) {
    return engine
        .publish(
            event::event_of(fmt::format(R"({{"subject":"{}","data":{{"v":{}}}}})", subject, value)),
            base::Instant{})
        .size();
  };
  EXPECT_EQ(count("a", 3.5), 0U);
  EXPECT_EQ(count("a", 4.5), 1U);
  EXPECT_EQ(count("b", 2.5), 0U);
  EXPECT_EQ(count("c", 1), 1U) << "its first reading";
}

}  // namespace
}  // namespace weir::broker
