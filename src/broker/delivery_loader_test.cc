// SPDX-License-Identifier: Apache-2.0
#include "broker/delivery_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error_testing.h"
#include "event/event_testing.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Four events in the log, the first two of which can be removed.
class DeliveryLoaderTest : public testing::Test {
 protected:
  DeliveryLoaderTest() {
    for (const char* const payload :
         {R"({"id":"a"})", R"({"id":"b"})", R"({"id":"c","weirrepeated":true})", R"({"id":"d"})"}) {
      EXPECT_EQ(base::describe(store::commit_events(*log_, {payload})), "ok");
    }
  }

  // Each commit has filled a segment; the last one stays.
  void remove_all_but_the_last() {
    ASSERT_TRUE(log_->retain({std::numeric_limits<std::int64_t>::max()}));
    ASSERT_EQ(log_->first_sequence(), 4U);
  }

  Loaded load(const OutboxEntry& entry, const Grants& reader = Grants::all()) {
    dispatch_ = {};
    const auto loaded = DeliveryLoader(recent_, *log_).load(entry, reader, &annotator_, dispatch_);
    EXPECT_EQ(base::describe(loaded), "ok");
    return loaded.value_or(Loaded::kHidden);
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const EventText& text : dispatch_.events) texts.emplace_back(text.json);
    return texts;
  }

  store::FaultFileSystem files_;
  std::unique_ptr<store::EventLog> log_ =
      store::open_log(files_, {.segment_bytes = 1, .retention_bytes = 1});
  RecentEvents recent_{0};
  match::TextAnalyzers analyzers_{{}};
  engine::TextAnnotator annotator_{*filter::Filter::parse("data.v > 0"), analyzers_, {}};
  Dispatch dispatch_;
};

TEST_F(DeliveryLoaderTest, MarksTheEventsThatWereDeliveredBefore) {
  EXPECT_EQ(load({.sequences = {1, 2, 4},
                  .text = {std::make_shared<const match::TextShares>(), 0, 10'000},
                  .is_group = true,
                  .repeated = {0}}),
            Loaded::kThere);
  EXPECT_TRUE(dispatch_.is_group);
  EXPECT_THAT(texts(), ElementsAre(R"({"id":"a","weirrepeated":true})", R"({"id":"b"})",
                                   R"({"id":"d","weirscore":"1.0000","weirepoch":0})"));
}

TEST_F(DeliveryLoaderTest, AGroupOfOneEventIsAGroup) {
  EXPECT_EQ(load({.sequences = {2}, .is_group = true}), Loaded::kThere);
  EXPECT_TRUE(dispatch_.is_group);
  EXPECT_EQ(load({.sequences = {2}}), Loaded::kThere);
  EXPECT_FALSE(dispatch_.is_group);
}

TEST_F(DeliveryLoaderTest, AMarkThatAnEventCameWithIsNotShownInAGroup) {
  EXPECT_EQ(load({.sequences = {2, 3}, .is_group = true}), Loaded::kThere);
  EXPECT_THAT(texts(), ElementsAre(R"({"id":"b"})", R"({"id":"c"})"));
  EXPECT_EQ(load({.sequences = {3}}), Loaded::kThere);
  EXPECT_THAT(texts(), ElementsAre(R"({"id":"c","weirrepeated":true})")) << "it is as published";
}

TEST_F(DeliveryLoaderTest, OlderEventsThatAreGoneAreLeftOutAndCounted) {
  remove_all_but_the_last();
  EXPECT_EQ(load({.sequences = {1, 2, 4},
                  .text = {std::make_shared<const match::TextShares>(), 0, 10'000},
                  .is_group = true,
                  .repeated = {0}}),
            Loaded::kThere);
  EXPECT_TRUE(dispatch_.is_group) << "though one event is left";
  EXPECT_THAT(texts(),
              ElementsAre(R"({"id":"d","weirscore":"1.0000","weirepoch":0,"weirmissing":2})"));
}

TEST_F(DeliveryLoaderTest, ADeliveryIsGoneWithItsNewestEvent) {
  remove_all_but_the_last();
  recent_ = RecentEvents(1000);
  event::EventPtr oldest = event::event_of(R"({"id":"a"})");
  event::assign_sequence(oldest, 1);
  recent_.add(oldest, oldest->json().size());
  EXPECT_EQ(load({.sequences = {1, 2}, .is_group = true}), Loaded::kGone);
  EXPECT_EQ(load({.sequences = {3}}), Loaded::kGone);
}

TEST_F(DeliveryLoaderTest, AReaderWhoMayNotSeeOneEventGetsNone) {
  const auto grants = Grants::parse_json(R"({"subscribe":[{"type":"other"}]})");
  if (!grants) GTEST_FAIL() << grants.error().to_string();
  recent_ = RecentEvents(1000);
  event::EventPtr event = event::event_of(R"({"id":"d"})");
  event::assign_sequence(event, 4);
  recent_.add(event, event->json().size());
  EXPECT_EQ(load({.sequences = {4}}, *grants), Loaded::kHidden);
  EXPECT_THAT(texts(), IsEmpty());
}

}  // namespace
}  // namespace weir::broker
