// SPDX-License-Identifier: Apache-2.0
#include "match/work_budget.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::match {
namespace {

TEST(WorkBudgetTest, IsOverIfAllStepsTogetherAreMore) {
  WorkMeter meter(100);
  const WorkBudgetPtr one = meter.budget("one");
  const WorkBudgetPtr other = meter.budget("other");
  EXPECT_EQ(meter.budget("one"), one);
  meter.begin();
  EXPECT_TRUE(one->charge(60));
  EXPECT_TRUE(one->charge(40));
  EXPECT_FALSE(meter.is_anybody_over());
  EXPECT_FALSE(one->charge(1));
  EXPECT_FALSE(one->charge(0));
  EXPECT_TRUE(one->is_over());
  EXPECT_TRUE(other->charge(100));
  EXPECT_TRUE(meter.is_anybody_over());
  EXPECT_EQ(one->cut_count(), 1U);
  EXPECT_EQ(other->cut_count(), 0U);
  EXPECT_EQ(meter.counters().cut_count, 1U);
}

TEST(WorkBudgetTest, EveryEventHasTheWholeBudget) {
  WorkMeter meter(100);
  const WorkBudgetPtr one = meter.budget("one");
  for (int i = 1; i <= 3; ++i) {
    meter.begin();
    EXPECT_FALSE(one->is_over());
    EXPECT_FALSE(meter.is_anybody_over());
    EXPECT_TRUE(one->charge(100));
    EXPECT_FALSE(one->charge(5));
    one->note_long_keys();
    one->note_long_keys();
  }
  EXPECT_EQ(one->cut_count(), 3U);
  EXPECT_EQ(one->long_key_cut_count(), 3U);
  meter.begin();
  EXPECT_EQ(meter.counters().steps, 300U);
}

TEST(WorkBudgetTest, NobodyLimitsWhoHasNoName) {
  EXPECT_EQ(WorkMeter(100).budget(""), nullptr);
  EXPECT_EQ(WorkMeter(0).budget("one"), nullptr);
}

TEST(WorkBudgetTest, FiltersAreCostlyIfTheirWorkGrowsWithTheEvent) {
  for (const char* text :
       {"data.a like '%x%'", "not (data.a like '%x%')", "cesql('UPPER(subject) = ''A''')",
        "text(data.a) about any 'x'", "data.a[*] = 1", "exists data.a[*]", "data.a = data.b",
        "type = 't' or data.a[*] in (1, 2)", "change(text(data.a)) > 0.5",
        "change(data.v, data.a like '%x%') > 1"}) {
    EXPECT_TRUE(is_costly(*filter::filter_of(text))) << text;
  }
  for (const char* text : {"type = 't'", "data.a in (1, 2) and not (data.b prefix 'x')",
                           "change(data.v, by subject) > 1", "distinct(data.a) within 1h"}) {
    EXPECT_FALSE(is_costly(*filter::filter_of(text))) << text;
  }
  EXPECT_FALSE(is_costly_beside_text(*filter::filter_of("text(data.a) about any 'x'")));
}

TEST(WorkBudgetTest, OnlyLongKeysCost) {
  const auto event = [](std::size_t bytes) {
    return event::event_of(fmt::format(R"({{"data":{{"k":"{}"}}}})", std::string(bytes, 'a')));
  };
  const auto filter = filter::filter_of("distinct(data.k, subject) within 1h");
  EXPECT_EQ(long_key_steps(*filter, *event(steps::kLongKeyBytes)), 0U);
  EXPECT_EQ(long_key_steps(*filter, *event(4096)), 4096 * steps::kKeyByte);
  const auto change = filter::filter_of("change(data.v, by data.k) > 1");
  EXPECT_EQ(long_key_steps(*change, *event(4096)), 4096 * steps::kKeyByte);
}

}  // namespace
}  // namespace weir::match
