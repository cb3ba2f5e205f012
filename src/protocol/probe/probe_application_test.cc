// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/probe_application.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "protocol/tree/sum_summary.h"

namespace weir::protocol::probe {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;

constexpr NodeId kSelf{1};
constexpr NodeId kPeer{2};
constexpr Key kKey{70};

class AtHome : public Placement {
 public:
  NodeId self() const override { return kSelf; }
  bool is_home(Key /*key*/) const override { return true; }
  std::optional<NodeId> towards(Key /*key*/) const override { return {}; }
  std::uint64_t distance_to(Key /*key*/) const override { return 0; }
};

class ProbeApplicationTest : public testing::Test {
 protected:
  Application::Step step() { return {.now = now_, .placement = placement_, .effects = effects_}; }

  void tell(const std::string& bytes) { app_.on_message(step(), kUser, bytes); }
  void hear(const std::string& bytes) { app_.on_message(step(), kPeer, bytes); }
  void route(const std::string& bytes, Key key = kKey) {
    const std::array keys{key};
    app_.on_routed(step(),
                   {.origin = kPeer, .keys = keys, .segment = {}, .hops = 2, .message = bytes});
  }

  // Returns the effects of one kind since the last call; forgets all others.
  template <typename Kind>
  std::vector<Kind> take() {
    std::vector<Kind> found;
    for (const Effect& effect : effects_.list()) {
      if (const auto* one = std::get_if<Kind>(&effect)) found.push_back(*one);
    }
    effects_.clear();
    return found;
  }

  template <typename Message>
  std::vector<Message> delivered() {
    std::vector<Message> messages;
    for (const Deliver& deliver : take<Deliver>()) {
      EXPECT_EQ(deliver.kind, kind_of<Message>());
      messages.push_back(read<Message>(deliver.bytes).value());
    }
    return messages;
  }

  std::vector<DropReason> dropped() {
    std::vector<DropReason> reasons;
    for (const Drop& drop : take<Drop>()) reasons.push_back(drop.reason);
    return reasons;
  }

  Instant now_{Duration::seconds(100).nanoseconds};
  AtHome placement_;
  Effects effects_;
  ProbeOptions options_{.sum = {}};
  ProbeApplication app_{options_};
};

TEST_F(ProbeApplicationTest, APutIsSentAgainUntilItIsAcknowledged) {
  tell(encode(Put{.key = kKey, .text = "text"}));
  ASSERT_EQ(effects_.list().size(), 2U);
  const auto first = std::get<Route>(effects_.list()[0]);
  EXPECT_EQ(first.key, kKey);
  EXPECT_EQ(std::get<WakeAt>(effects_.list()[1]).instant, now_ + options_.retry_interval);
  effects_.clear();

  now_ = now_ + options_.retry_interval;
  app_.on_wake(step());
  const auto again = take<Route>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].bytes, first.bytes);

  const auto store = read<Store>(first.bytes).value();
  EXPECT_EQ(store.text, "text");
  const std::string acknowledge = encode(Acknowledge{.key = kKey, .number = store.number});
  hear(acknowledge);
  EXPECT_THAT(delivered<Stored>(), ElementsAre(Stored{.key = kKey}));
  hear(acknowledge);
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kStale));
  now_ = now_ + options_.retry_interval;
  app_.on_wake(step());
  EXPECT_TRUE(effects_.list().empty());
}

TEST_F(ProbeApplicationTest, ARequestFailsAfterItsTries) {
  tell(encode(Get{.key = kKey}));
  unsigned try_count = 0;
  for (; !take<Route>().empty(); ++try_count) {
    now_ = now_ + options_.retry_interval;
    app_.on_wake(step());
    if (try_count + 1 == options_.try_count_max) break;
  }
  EXPECT_EQ(try_count + 1, options_.try_count_max);
  EXPECT_THAT(delivered<Failed>(), ElementsAre(Failed{.key = kKey, .is_put = false}));
}

TEST_F(ProbeApplicationTest, TheNewestTextStaysHoweverOftenOthersArrive) {
  const std::string older = encode(Store{.key = kKey, .number = 5, .text = "older"});
  const std::string newer = encode(Store{.key = kKey, .number = 6, .text = "newer"});
  for (const std::string& bytes : {newer, older, newer, older}) {
    route(bytes);
    const auto answers = take<Send>();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].target, kPeer);
    EXPECT_EQ(read<Acknowledge>(answers[0].bytes)->number, read<Store>(bytes)->number);
  }
  route(encode(Fetch{.key = kKey, .number = 9}));
  EXPECT_EQ(read<Answer>(take<Send>().at(0).bytes),
            (Answer{.key = kKey, .number = 9, .text = "newer"}));
  route(encode(Fetch{.key = {71}, .number = 9}), {71});
  EXPECT_EQ(read<Answer>(take<Send>().at(0).bytes), (Answer{.key = {71}, .number = 9, .text = {}}));
}

TEST_F(ProbeApplicationTest, AGetIsAnsweredOnce) {
  tell(encode(Get{.key = kKey}));
  const auto fetch = read<Fetch>(take<Route>().at(0).bytes).value();
  hear(encode(Answer{.key = {71}, .number = fetch.number, .text = "of another key"}));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  hear(encode(Acknowledge{.key = kKey, .number = fetch.number}));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  hear(encode(Answer{.key = kKey, .number = fetch.number, .text = "text"}));
  EXPECT_THAT(delivered<Got>(), ElementsAre(Got{.key = kKey, .text = "text"}));
}

TEST_F(ProbeApplicationTest, ACastGoesToItsDestinationsAndArrives) {
  const Cast cast{.number = 4, .destinations = KeyArc{.after = {1}, .last = {9}}, .text = "text"};
  tell(encode(cast));
  const auto sent = take<Multicast>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].destinations, cast.destinations);
  route(sent[0].bytes);
  EXPECT_THAT(delivered<Arrived>(),
              ElementsAre(Arrived{.number = 4, .origin = kPeer, .keys = {kKey}, .hops = 2}));
}

TEST_F(ProbeApplicationTest, ItemsAreHandedOverAndNewerOnesStay) {
  const Ring ring;
  route(encode(Store{.key = kKey, .number = 5, .text = "moves"}));
  route(encode(Store{.key = {90}, .number = 5, .text = "stays"}), {90});
  std::vector<KeyItem> items;
  app_.collect(ring, {.after = {60}, .last = {80}}, items);
  ASSERT_EQ(items.size(), 1U);

  ProbeApplication other;
  other.absorb(step(), items);
  other.absorb(step(), items);
  ASSERT_EQ(other.items().size(), 1U);
  EXPECT_EQ(other.items().at(kKey), app_.items().at(kKey));

  route(encode(Store{.key = kKey, .number = 6, .text = "newer than the copy"}));
  app_.forget(step(), items);
  EXPECT_EQ(app_.items().at(kKey).text, "newer than the copy");
  items.clear();
  app_.collect(ring, {.after = {60}, .last = {80}}, items);
  app_.forget(step(), items);
  EXPECT_EQ(app_.items().size(), 1U);
}

TEST_F(ProbeApplicationTest, NonsenseIsDroppedAndCounted) {
  const std::string store = encode(Store{.key = kKey, .number = 5, .text = "text"});
  route(store, {71});
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  hear(store);
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  tell(store);
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  hear(encode(Put{.key = kKey, .text = "by a peer"}));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kNonsense));
  route(store.substr(0, 9));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kMalformed));
  hear("\2\2\1");
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kUnknown));
  hear("\2");
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kMalformed));
  const std::vector<KeyItem> garbage{{.key = kKey, .bytes = "?"}};
  app_.absorb(step(), garbage);
  app_.forget(step(), garbage);
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kMalformed, DropReason::kMalformed));
  EXPECT_TRUE(app_.items().empty());
}

TEST_F(ProbeApplicationTest, WhatIsAddedIsSummed) {
  ProbeApplication summing;
  const auto add = [&](std::int64_t amount) {
    now_ = now_ + Duration::seconds(1);
    summing.on_message(step(), kUser, encode(Add{.amount = amount}));
    const auto sums = delivered<Sum>();
    EXPECT_EQ(sums.size(), 1U);
    return sums.empty() ? Sum{} : sums.front();
  };
  EXPECT_EQ(add(7).sum, 7);
  EXPECT_EQ(add(-9).sum, -2);
  EXPECT_EQ(add(std::numeric_limits<std::int64_t>::min()).sum,
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(add(1).member_count, 1U);
  const auto earlier = add(1).version;
  EXPECT_LT(earlier, add(1).version);
  tell(encode(Add{.amount = 1}));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kUnknown));
}

TEST_F(ProbeApplicationTest, MessagesOfTheTreeReachItAndItsWakesAreAskedFor) {
  ProbeApplication summing;
  summing.on_wake(step());
  const auto wakes = take<WakeAt>();
  ASSERT_EQ(wakes.size(), 1U);
  EXPECT_EQ(wakes[0].instant, now_ + Duration::seconds(2));
  summing.on_message(step(), kPeer,
                     tree::encode(tree::Report{.tree = {},
                                               .session = 1,
                                               .number = 1,
                                               .distance = 1,
                                               .member_count = 1,
                                               .held = {},
                                               .summary = tree::SumSummary::of(5)}));
  EXPECT_TRUE(summing.aggregation().children().map().contains(kPeer));
}

TEST_F(ProbeApplicationTest, WhatItKeepsIsLimited) {
  ProbeApplication small({.request_count_max = 1, .item_count_max = 1, .sum = {}});
  small.on_message(step(), kUser, encode(Get{.key = kKey}));
  effects_.clear();
  small.on_message(step(), kUser, encode(Get{.key = kKey}));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kLimit));
  const std::vector<KeyItem> items{
      {.key = kKey,
       .bytes = encode_fields(Item{.version = {.number = 0, .origin = kPeer}, .text = "first"})},
      {.key = {71},
       .bytes = encode_fields(Item{.version = {.number = 0, .origin = kPeer}, .text = "second"})}};
  small.absorb(step(), items);
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kLimit));
  EXPECT_EQ(small.items().size(), 1U);
}

}  // namespace
}  // namespace weir::protocol::probe
