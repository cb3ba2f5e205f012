// SPDX-License-Identifier: Apache-2.0
#include "broker/known_readings.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::broker {
namespace {

class KnownReadingsTest : public testing::Test {
 protected:
  KnownReadingsTest() {
    for (const char* const event :
         {R"({"id":"1","subject":"a","data":{"v":1}})",
          R"({"id":"2","subject":"b","data":{"v":2}})",
          R"({"id":"3","subject":"a","data":{"v":3}})",
          R"({"id":"4","subject":"a","data":{"v":null}})", R"({"id":"5","subject":"c"})"}) {
      recent_.add(event::event_of(event), 100);
    }
  }
  std::string known(std::string_view filter, const std::shared_ptr<const engine::Gate>& gate = {}) {
    std::string ids;
    for (const auto& event : known_readings(*filter::filter_of(filter), gate, recent_, 0)) {
      ids += event->id();
    }
    return ids;
  }

  RecentEvents recent_{1U << 20U};
};

TEST_F(KnownReadingsTest, AreTheNewestOfEachKeyOldestFirst) {
  EXPECT_EQ(known("change(data.v, by subject) > 1"), "23");
  EXPECT_EQ(known("change(data.v) > 1"), "3");
  EXPECT_EQ(known("change(data.v, by subject, data.v < 3) > 1"), "12");
  EXPECT_EQ(known("subject = 'b' and change(data.v) > 1"), "2");
  EXPECT_EQ(known("any change(subject)"), "5");
}

TEST_F(KnownReadingsTest, AreTheNewestOfEachSourceOfAComposite) {
  EXPECT_EQ(known("change(data.v, subject = 'a') > 1 and change(data.v, subject = 'b') > 1"), "23");
  EXPECT_EQ(known("change(data.v, data.v < 2) > 1 and any change(subject)"), "15");
  EXPECT_EQ(known("change(data.v) > 1 and change(data.w) > 1"), "3") << "of one source only";
  EXPECT_EQ(known("change(data.v) > 1 or type = 'a'"), "3");
}

TEST_F(KnownReadingsTest, AreOnlyWhatTheSubscriberMaySee) {
  const auto gate = std::make_shared<const engine::Gate>(
      [](const event::Event& event) { return event.id() != "3"; });
  EXPECT_EQ(known("change(data.v, by subject) > 1", gate), "12");
}

TEST_F(KnownReadingsTest, AreNoneWithoutAReadingOrAChangeOrWithText) {
  for (const char* const filter : {"change(data.w) > 1", "subject = 'a'",
                                   "change(data.v) > 1 and text(data.t) about 'x' score >= 0",
                                   "change(data.v) > 1 and change(text(data.t)) > 0.5"}) {
    EXPECT_EQ(known(filter), "") << filter;
  }
}

TEST(CompositeTest, HasAConjunctionOfSeveralChanges) {
  EXPECT_TRUE(is_composite(*filter::filter_of("change(data.v) > 1 and change(data.w) > 1")));
  EXPECT_TRUE(
      is_composite(*filter::filter_of("type = 'a' or change(data.v) > 1 and change(data.w) > 1")));
  EXPECT_FALSE(is_composite(*filter::filter_of("change(data.v) > 1 or change(data.w) > 1")));
  EXPECT_FALSE(is_composite(*filter::filter_of("type = 'a'")));
}

}  // namespace
}  // namespace weir::broker
