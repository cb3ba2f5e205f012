// SPDX-License-Identifier: Apache-2.0
#include "cli/delivery_writer.h"

#include <gtest/gtest.h>

#include "event/event_testing.h"

namespace weir::cli {
namespace {

using engine::Delivery;
using engine::SubscriptionId;

event::EventPtr event_with_id(const std::string& id) {
  return event::event_of("{\"id\":\"" + id + "\"}");
}

struct Written {
  explicit Written(DeliveryWriter::Options options)
      : writer(output, {SubscriptionId{3}, SubscriptionId{5}}, options) {}

  std::string text() {
    output.flush();
    return sink.text();
  }

  StringSink sink;
  Output output{sink};
  DeliveryWriter writer;
};

std::string line(const event::EventPtr& event) { return std::string(event->json()) + "\n"; }

TEST(DeliveryWriterTest, WritesAnEventForSeveralFiltersOnce) {
  Written written({});
  const auto event = event_with_id("1");
  written.writer.write(
      std::vector<Delivery>{{SubscriptionId{3}, 0, {event}}, {SubscriptionId{5}, 0, {event}}});
  EXPECT_EQ(written.text(), line(event));
  EXPECT_EQ(written.writer.line_count(), 1U);
}

TEST(DeliveryWriterTest, NumbersFiltersFromOne) {
  Written written({.json = true});
  const auto event = event_with_id("1");
  const std::string json(event->json());
  written.writer.write(
      std::vector<Delivery>{{SubscriptionId{3}, 0, {event}}, {SubscriptionId{5}, 0, {event}}});
  EXPECT_EQ(written.text(),
            "{\"filter\":1,\"event\":" + json + "}\n{\"filter\":2,\"event\":" + json + "}\n");
  EXPECT_EQ(written.writer.line_count(), 2U);
}

TEST(DeliveryWriterTest, NumbersGroups) {
  Written written({.json = true});
  const auto first = event_with_id("1");
  const auto second = event_with_id("2");
  const std::vector<Delivery> group = {{SubscriptionId{5}, 0, {first, second}, true}};
  written.writer.write(group);
  written.writer.write(group);
  const auto expected = [&](int number, const event::EventPtr& event) {
    return "{\"filter\":2,\"group\":" + std::to_string(number) +
           ",\"event\":" + std::string(event->json()) + "}\n";
  };
  EXPECT_EQ(written.text(),
            expected(1, first) + expected(1, second) + expected(2, first) + expected(2, second));
}

TEST(DeliveryWriterTest, MarksEventsOfAGroupThatWereDeliveredBefore) {
  const auto first = event_with_id("1");
  const auto second = event_with_id("2");
  const std::vector<Delivery> group = {{SubscriptionId{5}, 0, {first, second}, true, {0}}};
  Written written({.json = true});
  written.writer.write(group);
  EXPECT_NE(written.text().find(R"("weirrepeated":true)"), std::string::npos);
  Written plain({});
  plain.writer.write(group);
  EXPECT_EQ(plain.text(), line(second)) << "each event once";
}

TEST(DeliveryWriterTest, WritesAnEventThatComesAgainOnce) {
  Written written({.events_return = true});
  const auto first = event_with_id("1");
  const auto second = event_with_id("2");
  written.writer.write(std::vector<Delivery>{{SubscriptionId{3}, 0, {first}}});
  written.writer.write(std::vector<Delivery>{{SubscriptionId{5}, 0, {first, second}}});
  EXPECT_EQ(written.text(), line(first) + line(second));
}

TEST(DeliveryWriterTest, ForgetsEventsThatNobodyElseHolds) {
  Written written({.events_return = true});
  const auto held = event_with_id("held");
  written.writer.write(std::vector<Delivery>{{SubscriptionId{3}, 0, {held}}});
  std::weak_ptr<const event::Event> gone;
  for (int i = 0; i < 1000; ++i) {
    const auto event = event_with_id(std::to_string(i));
    if (i == 0) gone = event;
    written.writer.write(std::vector<Delivery>{{SubscriptionId{3}, 0, {event}}});
  }
  EXPECT_TRUE(gone.expired());
  const std::string before = written.text();
  written.writer.write(std::vector<Delivery>{{SubscriptionId{5}, 0, {held}}});
  EXPECT_EQ(written.text(), before);
}

}  // namespace
}  // namespace weir::cli
