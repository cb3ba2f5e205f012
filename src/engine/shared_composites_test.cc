// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_composites.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/prng.h"
#include "engine/shared_change.h"
#include "event/event_testing.h"
#include "match/brute_force.h"
#include "match/text_scorer.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;
using filter::Filter;
using match::Initial;

bool takes(std::string_view filter, const EngineOptions& limits = {}) {
  return SharedComposites::takes(**Filter::parse(filter), limits);
}

TEST(SharedCompositesTest, TakesFiltersOfMovingNumbersOnly) {
  for (const char* const filter :
       {"change(data.v) > 1 or change(data.w) > 1", "change(data.v) > 1 and change(data.w) > 1%",
        "change(data.v) > 1 and > 5%", "type = 'a' and (change(data.v) > 1 or change(data.w) > 2)",
        "change(data.v, type = 'a') rises by > 1 and change(data.v, not type = 'a') falls by >= 2",
        "change(data.v, by subject) > 1 or change(data.w, by subject) > 1",
        "change(data.v) > 1 and change(data.w) > 1 at most every 1s",
        "change(data.v) > 1 or silent for 1m and change(data.w) > 1 or silent for 1s",
        "change(data.v) > 1 and > 5% or silent for 1m at most every 1s",
        "(change(data.v) > 1 or change(data.w) > 1) and distinct(id) within 1s"}) {
    EXPECT_TRUE(takes(filter)) << filter;
    EXPECT_FALSE(takes(filter, {.change_idle = Duration::seconds(1)})) << filter;
  }
  for (const char* const filter :
       {"type = 'a'", "change(data.v) > 1 or type = 'a'", "false and change(data.v) > 1",
        "any change(data.v) and change(data.w) > 1",
        "change(data.v) crosses 1 or change(data.w) > 1",
        "change(data.v, by subject) > 1 or change(data.w, by type) > 1",
        "change(data.v) > 1 or change(data.w) > 1 with previous",
        "change(data.v) > 1 and change(text(data.t)) > 0.5",
        "change(data.v) > 1 and change(data.w, text(data.t) about 'a' score >= 1) > 1"}) {
    EXPECT_FALSE(takes(filter)) << filter;
  }
  EXPECT_FALSE(takes("change(data.v) > 1 or change(data.w) > 1", {.change_key_count_max = 1}));
}

// Composites that join and are told of events, without an engine around them.
class Joined {
 public:
  void join(std::uint64_t id, const std::string& text, std::shared_ptr<const Gate> gate = {}) {
    const auto filter = *Filter::parse(text);
    ASSERT_TRUE(join(id, filter, match::ChangeFilter(filter, {}), std::move(gate)));
  }
  bool join(std::uint64_t id, const filter::FilterPtr& filter, const match::ChangeFilter& state,
            std::shared_ptr<const Gate> gate = {}) {
    auto member =
        composites_.join({.id = {id}, .filter = filter, .gate = std::move(gate), .state = &state});
    if (member == nullptr) return false;
    members_.push_back(std::move(member));
    filters_.push_back(filter);
    return true;
  }
  void leave() {
    composites_.leave(std::move(members_.back()));
    members_.pop_back();
    filters_.pop_back();
  }
  std::size_t publish(std::string_view json, Instant now = {}) {
    const event::EventPtr event = event::event_of(json);
    match::TextScorer scorer{{}, {}};
    std::vector<match::Match> matches;
    matcher_.match(*event, scorer, matches);
    EXPECT_TRUE(composites_.read(matches, event, now, scorer).empty());
    return composites_.update(now).size();
  }
  std::uint64_t flips() const { return composites_.index().counters().flips; }
  const SharedComposites& composites() const { return composites_; }
  std::size_t matcher_size() const { return matcher_.size(); }

 private:
  match::BruteForce matcher_;
  match::WorkMeter meter_{0};
  SharedComposites composites_{&matcher_, &meter_, EngineOptions()};
  std::vector<std::unique_ptr<SharedComposites::Member>> members_;
  std::vector<filter::FilterPtr> filters_;  // of the members
};

TEST(SharedCompositesTest, OnlyThoseWithALeafThatFlipsAreTouched) {
  Joined joined;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    joined.join(id, fmt::format("change(data.v, subject = 'a') > {} and "
                                "change(data.v, subject = 'b') > 1",
                                id));
  }
  EXPECT_EQ(joined.composites().stream_count(), 2);
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"v":0}})"), 0);
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"v":0}})"), 100);
  const std::uint64_t before = joined.flips();
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"v":10.5}})"), 0);
  EXPECT_EQ(joined.flips() - before, 10);
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"v":0.5}})"), 0);
  EXPECT_EQ(joined.flips() - before, 10);
}

TEST(SharedCompositesTest, OfOneKeyOnlyThoseWithALeafThatFlipsAreTouched) {
  Joined joined;
  const auto join = [&](std::uint64_t id) {
    joined.join(
        id, fmt::format("change(data.v, by subject) > {} and change(data.w, by subject) > 1", id));
  };
  for (std::uint64_t id = 1; id <= 100; ++id) join(id);
  EXPECT_EQ(joined.composites().stream_count(), 2);
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"v":0}})"), 0);
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"w":0}})"), 100);
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"v":0,"w":0}})"), 100);
  const std::uint64_t before = joined.flips();
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"v":10.5}})"), 0);
  EXPECT_EQ(joined.flips() - before, 10);
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"w":1.5}})"), 0);
  EXPECT_EQ(joined.flips() - before, 110);
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"w":1.5}})"), 10);

  // Who comes later hears of a key with its next reading.
  join(101);
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"v":0}})"), 0);
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"w":1.5}})"), 1);
  for (int i = 0; i < 101; ++i) joined.leave();
  EXPECT_EQ(joined.matcher_size(), 0);
  EXPECT_EQ(joined.composites().index().size(), 0);
}

TEST(SharedCompositesTest, WhoeverIsHeldIsTouchedWhenALeafFlipsOrTheTimeIsOver) {
  Joined joined;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    joined.join(id, fmt::format("change(data.v, subject = 'a') > {} at most every {}s and "
                                "change(data.v, subject = 'b') > 1 or silent for 1h",
                                id, id));
  }
  const auto second = [](std::int64_t count) { return Instant{} + Duration::seconds(count); };
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"v":0}})"), 0);
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"v":0}})"), 100);
  const std::uint64_t before = joined.flips();
  EXPECT_EQ(joined.publish(R"({"subject":"a","data":{"v":10.5}})", second(5)), 0);
  EXPECT_EQ(joined.flips() - before, 10);
  EXPECT_EQ(joined.composites().next_wake(), std::nullopt);
  // Five of the ten have waited long enough.
  EXPECT_EQ(joined.publish(R"({"subject":"b","data":{"v":1.5}})", second(5)), 5);
  EXPECT_EQ(joined.composites().next_wake(), second(6));
}

TEST(SharedCompositesTest, SourcesGoWithTheirLastReader) {
  Joined joined;
  joined.join(1, "change(data.v) > 1 and change(data.w) > 1");
  joined.join(2, "change(data.v) rises by > 2 and > 1% or change(data.w) > 1");
  EXPECT_EQ(joined.matcher_size(), 2);
  joined.join(3, "change(data.v) > 1 or change(data.w) > 1",
              std::make_shared<const Gate>([](const auto&) { return true; }));
  EXPECT_EQ(joined.matcher_size(), 4);
  joined.leave();
  EXPECT_EQ(joined.matcher_size(), 2);
  joined.join(4, "type = 'a' and (change(data.v) > 1 or change(data.w) > 1)");
  EXPECT_EQ(joined.matcher_size(), 4);
  for (int i = 0; i < 3; ++i) joined.leave();
  EXPECT_EQ(joined.matcher_size(), 0);
  EXPECT_EQ(joined.composites().stream_count(), 0);
}

TEST(SharedCompositesTest, LeavesNothingBehindOfWhatStandsAlone) {
  std::string condition = "type = 'a'";
  for (int i = 0; i < 11; ++i)
    condition += fmt::format(" and (data.a{} = 1 or data.b{} = 1)", i, i);
  const auto too_large =
      *Filter::parse(fmt::format("change(data.v) > 1 and change(data.w, {}) > 1", condition));
  Joined joined;
  EXPECT_FALSE(joined.join(1, too_large, match::ChangeFilter(too_large, {})));
  EXPECT_EQ(joined.matcher_size(), 0);

  // A key that no event can have, and something that is due though nothing is held back.
  const auto filter = *Filter::parse("change(data.v) > 1 or change(data.w) > 1");
  for (const bool is_due : {false, true}) {
    base::ByteWriter writer;
    for (const std::uint64_t count : {0U, 0U, 1U}) writer.varint(count);
    writer.text(is_due ? "" : "key");
    writer.u64(0);
    writer.u8(is_due ? 1 : 0);
    if (is_due) writer.u64(5);
    for (int i = 0; i < 2; ++i) writer.u8(0);
    const std::string bytes = writer.take();
    base::ByteReader reader(bytes);
    match::ChangeFilter strange(filter, {});
    Instant latest;
    ASSERT_TRUE(strange.restore(match::ChangeLayout::kMarked, reader, latest));
    ASSERT_TRUE(reader.done());
    EXPECT_FALSE(joined.join(1, filter, strange));
    EXPECT_EQ(joined.matcher_size(), 0);
  }
  EXPECT_TRUE(joined.join(1, filter, match::ChangeFilter(filter, {})));
}

std::string details(const filter::Explanation& explanation) {
  std::string text = explanation.detail + '\n';
  for (const filter::Explanation& part : explanation.parts) text += details(part);
  return text;
}

// Some digits behind `>` and `>=` become others, but for those of comparisons.
std::string with_other_thresholds(std::string text, base::Prng& prng) {
  for (std::size_t i = 4; i < text.size(); ++i) {
    const bool is_behind = text[i - 1] == ' ' && (text[i - 2] == '>' || text[i - 2] == '=');
    const char before = text[i - 2] == '=' ? text[i - 5] : text[i - 4];
    if (!is_behind || text[i] < '0' || text[i] > '9' || before == 'w') continue;
    text[i] = static_cast<char>('1' + prng.below(5));
  }
  return text;
}

// Two engines with the same subscriptions. In the second one each has a change filter of its own:
// keys could become idle there, if time went on for ever.
class Pair {
 public:
  explicit Pair(std::size_t key_count_max = EngineOptions().change_key_count_max,
                bool is_bit_by_bit = false)
      : key_count_max_(key_count_max), is_bit_by_bit_(is_bit_by_bit) {}

  void subscribe(const std::string& text, const SubscribeOptions& options,
                 const KnownEvents& events = {}) {
    const auto filter = *Filter::parse(text);
    const auto shared = shared_.subscribe_knowing(filter, options, events);
    const auto alone = alone_.subscribe_knowing(filter, options, events);
    ASSERT_TRUE(shared && alone);
    ASSERT_EQ(shared->id, alone->id);
    ASSERT_EQ(ids(shared->told), ids(alone->told));
    told_count_ += shared->told.size();
    ASSERT_EQ(shared_.state_revision(shared->id), 0);
    known_.emplace(shared->id, Known{filter, options.initial, options.gate, 0, {}});
    compare(shared->id);
  }
  // Another one like it goes on from what it remembered when it was last looked at.
  void fork(std::size_t index, Initial initial) {
    const auto at = nth(index);
    const std::string state = at->second.saved;
    subscribe(at->second.filter->to_text(),
              {.initial = initial, .gate = at->second.gate, .state = state});
  }
  void unsubscribe(std::size_t index) {
    const auto at = nth(index);
    ASSERT_TRUE(shared_.unsubscribe(at->first));
    ASSERT_TRUE(alone_.unsubscribe(at->first));
    known_.erase(at);
  }
  void retune(std::size_t index, base::Prng& prng) {
    const auto at = nth(index);
    const auto filter = *Filter::parse(with_other_thresholds(at->second.filter->to_text(), prng));
    const auto shared = shared_.retune(at->first, filter);
    const auto alone = alone_.retune(at->first, filter);
    ASSERT_TRUE(shared && alone);
    ASSERT_EQ(*shared, *alone);
    if (*shared) at->second.filter = filter;
    put_off_count_ += shared_.has_work() ? 1U : 0U;
  }
  // Does all that was put off.
  void work() {
    while (shared_.has_work()) shared_.work();
  }
  void forget(std::size_t index, const event::Event& event, Instant now) {
    const SubscriptionId id = nth(index)->first;
    const auto shared = shared_.forget(id, event, now);
    const auto alone = alone_.forget(id, event, now);
    ASSERT_TRUE(shared && alone);
    ASSERT_EQ(*shared, *alone);
  }
  // Everybody goes on in new engines, from what the old one saved, maybe by another clock.
  void move_out(Instant now) {
    Pair next(key_count_max_, is_bit_by_bit_);
    for (const auto& [id, known] : known_) {
      const std::string state = *shared_.save(id);
      ASSERT_NO_FATAL_FAILURE(next.subscribe(
          known.filter->to_text(), {.initial = known.initial, .gate = known.gate, .state = state}));
      ASSERT_EQ(*next.shared_.save(next.known_.rbegin()->first), state);
    }
    next.shared_.set_now(now);
    next.alone_.set_now(now);
    next.delivered_ = delivered_;
    next.late_count_ = late_count_;
    next.repeated_count_ = repeated_count_;
    next.told_count_ = told_count_;
    next.put_off_count_ = put_off_count_;
    *this = std::move(next);
  }
  void explain(std::size_t index, const event::EventPtr& event, Instant now) {
    const SubscriptionId id = nth(index)->first;
    const auto shared = shared_.explain(id, event, now);
    const auto alone = alone_.explain(id, event, now);
    ASSERT_EQ(shared->outcome, alone->outcome);
    ASSERT_EQ(details(shared->filter), details(alone->filter));
  }
  void publish(const event::EventPtr& event, Instant now) {
    ASSERT_EQ(shared_.next_wake(), alone_.next_wake());
    ASSERT_EQ(ids(shared_.publish(event, now)), ids(alone_.publish(event, now)));
    ASSERT_EQ(shared_.next_wake(), alone_.next_wake());
  }
  void advance(Instant now) {
    const auto late = ids(shared_.advance(now));
    ASSERT_EQ(late, ids(alone_.advance(now)));
    ASSERT_EQ(shared_.next_wake(), alone_.next_wake());
    late_count_ += late.size();
  }
  void compare() {
    for (const auto& [id, known] : known_) {
      ASSERT_NO_FATAL_FAILURE(compare(id)) << known.filter->to_text();
    }
    ASSERT_EQ(shared_.counters().outcomes, alone_.counters().outcomes);
    ASSERT_EQ(shared_.counters().deliveries, alone_.counters().deliveries);
    ASSERT_EQ(shared_.next_wake(), alone_.next_wake());
  }
  std::optional<Instant> next_wake() const { return shared_.next_wake(); }
  std::size_t size() const { return known_.size(); }
  std::size_t shared_bytes() const { return shared_.memory().shared_change_bytes; }
  std::size_t delivered() const { return delivered_; }
  std::size_t late_count() const { return late_count_; }
  std::size_t repeated_count() const { return repeated_count_; }
  std::size_t told_count() const { return told_count_; }
  std::size_t put_off_count() const { return put_off_count_; }

 private:
  struct Known {
    filter::FilterPtr filter;
    Initial initial;
    std::shared_ptr<const Gate> gate;
    std::uint64_t revision;
    std::string saved;
  };

  std::map<SubscriptionId, Known>::iterator nth(std::size_t index) {
    return std::next(known_.begin(), static_cast<std::ptrdiff_t>(index));
  }
  // All deliveries to each, one after the other, with an asterisk behind repeated events.
  std::map<SubscriptionId, std::string> ids(std::span<const Delivery> deliveries) {
    std::map<SubscriptionId, std::string> ids;
    for (const Delivery& delivery : deliveries) {
      std::string& out = ids[delivery.subscription];
      for (std::size_t i = 0; i < delivery.events.size(); ++i) {
        const bool is_repeated = std::ranges::binary_search(delivery.repeated, i);
        out += std::string(delivery.events[i]->id()) + (is_repeated ? "* " : " ");
        ++delivered_;
        repeated_count_ += is_repeated ? 1U : 0U;
      }
      out += delivery.is_group ? "group | " : "| ";
      EXPECT_LT(delivery.repeated.size(), delivery.events.size());
    }
    return ids;
  }
  // A state without its head and its counts.
  static std::string_view what_decides(std::string_view state) {
    base::ByteReader reader(state.substr(10));
    for (int i = 0; i < 7; ++i) reader.varint();
    return state.substr(state.size() - reader.rest_bytes(), reader.rest_bytes() - 8);
  }
  void compare(SubscriptionId id) {
    const std::string saved = *shared_.save(id);
    ASSERT_EQ(saved, *alone_.save(id));
    ASSERT_EQ(*shared_.counters(id), *alone_.counters(id));
    Known& known = known_.at(id);
    const std::uint64_t revision = shared_.state_revision(id);
    ASSERT_GE(revision, known.revision);
    if (revision == known.revision && !known.saved.empty()) {
      ASSERT_EQ(what_decides(saved), what_decides(known.saved));
    }
    known.revision = revision;
    known.saved = saved;
  }

  std::size_t key_count_max_;
  bool is_bit_by_bit_;
  Engine shared_{EngineOptions{.change_key_count_max = key_count_max_,
                               .composite_keys_at_once = is_bit_by_bit_ ? 0U : 256U,
                               .composite_keys_per_event = is_bit_by_bit_ ? 1U : 64U}};
  Engine alone_{EngineOptions{.change_key_count_max = key_count_max_,
                              .change_idle = Duration{std::numeric_limits<std::int64_t>::max()}}};
  std::map<SubscriptionId, Known> known_;
  std::size_t delivered_ = 0;
  std::size_t late_count_ = 0;
  std::size_t repeated_count_ = 0;
  std::size_t told_count_ = 0;
  std::size_t put_off_count_ = 0;  // changes of thresholds that were not made at once
};

// What random filters are made of.
struct Choice {
  std::string_view keys;
  bool is_timed = false;
};

std::string random_change(base::Prng& prng, const Choice& choice) {
  static constexpr std::array kConditions = {"", ", subject = 's0'", ", subject = 's1'",
                                             ", subject = 's2' or data.w > 4", ", type = 't0'"};
  static constexpr std::array kMovements = {"> {}",           ">= {}",         "> {}0%",
                                            "rises by >= {}", "falls by > {}", "> 1 or > {}0%",
                                            "> 1 and >= {}0%"};
  static constexpr std::array kSilences = {"", "", " or silent for 1s", " or silent for 3s",
                                           " or silent for 20s"};
  static constexpr std::array kPaces = {"",
                                        "",
                                        " at most every 250ms",
                                        " at most every 1s",
                                        " at most every 2s",
                                        " at most every 15s"};
  const auto pick = [&](const auto& texts) { return texts[prng.below(texts.size())]; };
  std::string text =
      fmt::format("change(data.{}{}{}) {}", prng.chance(0.7) ? "v" : "w", choice.keys,
                  pick(kConditions), fmt::format(fmt::runtime(pick(kMovements)), prng.below(5)));
  if (choice.is_timed) text = text + pick(kSilences) + pick(kPaces);
  return text;
}

std::string random_composite(base::Prng& prng, const Choice& choice, std::uint64_t leaf_count) {
  std::string text;
  if (leaf_count == 1) {
    text = random_change(prng, choice);
  } else {
    const std::uint64_t left = 1 + prng.below(leaf_count - 1);
    text = random_composite(prng, choice, left) + (prng.chance(0.6) ? " and " : " or ") +
           random_composite(prng, choice, leaf_count - left);
  }
  if (prng.chance(0.15)) text = fmt::format("type = 't{}' and ({})", prng.below(2), text);
  return '(' + text + ')';
}

std::string random_filter(base::Prng& prng, bool is_timed) {
  static constexpr std::array kKeys = {"", "", ", by data.k", ", by (type, data.k)"};
  std::string composite;
  do {
    const Choice choice{kKeys[prng.below(kKeys.size())], is_timed};
    composite = random_composite(prng, choice, 1 + prng.below(5));
  } while (SharedChange::shape_of(**Filter::parse(composite), {}));
  if (prng.chance(0.2)) return composite + " and distinct(data.v) within 9s exact";
  return prng.chance(0.05) ? composite + " or type = 't0'" : composite;
}

event::EventPtr random_event(base::Prng& prng, int id) {
  const auto value = [&] {
    return prng.chance(0.1) ? std::string("null") : fmt::format("{}", prng.below(9));
  };
  return event::event_of(
      fmt::format(R"({{"id":"{}","type":"t{}","subject":"s{}","data":{{"v":{},"w":{},"k":{}}}}})",
                  id, prng.below(2), prng.below(3), value(), value(), prng.below(3)));
}

// Subscriptions come and go, change their thresholds, forget, and move to new engines with what
// they remember.
class Story {
 public:
  Story(std::uint64_t seed, bool is_timed)
      : prng_(seed),
        is_timed_(is_timed),
        pair_(seed % 3 == 0 ? 3 + prng_.below(20) : EngineOptions().change_key_count_max,
              seed % 2 == 0) {}

  void step(int number) {
    const auto event = random_event(prng_, number);
    pass_time();
    const auto initial = prng_.chance(0.3) ? Initial::kNone : Initial::kDeliver;
    if (prng_.chance(0.1) || pair_.size() == 0) {
      const auto gate = prng_.chance(0.3) ? gate_ : nullptr;
      subscribe({.initial = initial, .gate = gate});
    } else if (prng_.chance(0.06)) {
      pair_.unsubscribe(prng_.below(pair_.size()));
    } else if (prng_.chance(0.05)) {
      pair_.forget(prng_.below(pair_.size()), *event, now_);
    } else if (prng_.chance(0.04)) {
      pair_.retune(prng_.below(pair_.size()), prng_);
    } else if (prng_.chance(0.03)) {
      pair_.fork(prng_.below(pair_.size()), initial);
    } else if (prng_.chance(0.02)) {
      if (prng_.chance(0.5)) now_ = now_ + Duration::seconds(-20);
      pair_.move_out(now_);
    } else {
      ASSERT_NO_FATAL_FAILURE(pair_.explain(prng_.below(pair_.size()), event, now_));
      ASSERT_NO_FATAL_FAILURE(pair_.publish(event, now_));
      recent_.push_back(event);
    }
    // What is held back is judged again when its turn comes.
    if (is_timed_) pair_.work();
    if (prng_.chance(0.3)) pair_.compare();
  }
  const Pair& pair() const { return pair_; }

 private:
  // Some know the newest events.
  void subscribe(const SubscribeOptions& options) {
    const std::string filter = random_filter(prng_, is_timed_);
    if (prng_.chance(0.5)) return pair_.subscribe(filter, options);
    const std::size_t count = std::min<std::size_t>(recent_.size(), prng_.below(8));
    pair_.subscribe(filter, options,
                    {.events = std::span(recent_).last(count),
                     .at = now_,
                     .is_told = options.initial == Initial::kDeliver && prng_.chance(0.5)});
  }
  void pass_time() {
    const auto below = [&](std::uint64_t end) {
      return static_cast<std::int64_t>(prng_.below(end));
    };
    if (!is_timed_) {
      now_ = now_ + Duration::milliseconds(below(1500) - 100);
      return;
    }
    // Often at the same instants.
    now_ = now_ + Duration::milliseconds(250 * (below(5) - 1));
    if (prng_.chance(0.02)) now_ = now_ + Duration::seconds(below(40));
    if (prng_.chance(0.1) && pair_.next_wake()) now_ = std::max(now_, *pair_.next_wake());
    if (prng_.chance(0.3)) pair_.advance(now_);
  }

  base::Prng prng_;
  bool is_timed_;
  Pair pair_;
  std::vector<event::EventPtr> recent_;
  Instant now_;
  std::shared_ptr<const Gate> gate_ = std::make_shared<const Gate>(
      [](const event::Event& event) { return event.id().back() != '7'; });
};

TEST(SharedCompositesTest, DeliverWhatAFilterForEachOfThemWould) {
  std::size_t delivered = 0;
  std::size_t repeated_count = 0;
  std::size_t told_count = 0;
  std::size_t put_off_count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Story story(seed, false);
    for (int step = 0; step < 300; ++step) {
      SCOPED_TRACE(step);
      ASSERT_NO_FATAL_FAILURE(story.step(step));
    }
    delivered += story.pair().delivered();
    repeated_count += story.pair().repeated_count();
    told_count += story.pair().told_count();
    put_off_count += story.pair().put_off_count();
  }
  EXPECT_GT(put_off_count, 200U);
  EXPECT_GT(delivered, 40'000U);
  EXPECT_GT(repeated_count, 2'000U);
  EXPECT_GT(told_count, 100U);
}

TEST(SharedCompositesTest, DeliverWhenAFilterForEachOfThemWould) {
  std::size_t delivered = 0;
  std::size_t late_count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Story story(seed, true);
    for (int step = 0; step < 300; ++step) {
      SCOPED_TRACE(step);
      ASSERT_NO_FATAL_FAILURE(story.step(step));
    }
    delivered += story.pair().delivered();
    late_count += story.pair().late_count();
  }
  EXPECT_GT(delivered, 40'000U);
  EXPECT_GT(late_count, 2'000U);
}

// It leaves key by key, and some of its keys hold events back until then.
TEST(SharedCompositesTest, WhoeverLeavesIsToldNothingThatWasHeldBack) {
  Engine engine({.composite_keys_at_once = 0, .composite_keys_per_event = 1});
  const auto id = engine.subscribe(
      "change(data.v, by data.k) > 1 at most every 10s and change(data.w, by data.k) > 1 at most "
      "every 10s");
  ASSERT_TRUE(id);
  constexpr int kKeys = 9;
  const auto publish = [&](int value, Instant at) {
    std::size_t count = 0;
    for (int key = 0; key < kKeys; ++key) {
      count +=
          engine
              .publish(event::event_of(fmt::format(
                           R"({{"id":"{0}/{1}","data":{{"v":{0},"w":{0},"k":{1}}}}})", value, key)),
                       at)
              .size();
    }
    return count;
  };
  const Instant start = Instant{} + Duration::seconds(1);
  EXPECT_EQ(publish(0, start), kKeys);
  EXPECT_EQ(publish(5, start + Duration::seconds(1)), 0U) << "each is held back";
  ASSERT_TRUE(engine.next_wake());
  ASSERT_TRUE(engine.unsubscribe(*id));
  ASSERT_TRUE(engine.has_work()) << "the keys are still there";
  EXPECT_TRUE(engine.advance(start + Duration::seconds(60)).empty());
  while (engine.has_work()) engine.work();
  EXPECT_FALSE(engine.next_wake());
}

// What was counted for all is taken over by each before it is cleared.
TEST(SharedCompositesTest, CountsGoOnWhenThereAreTooManyKindsOfEvents) {
  constexpr int kSourceCount = 20;
  base::Prng prng(5);
  Pair pair;
  for (int i = 0; i + 2 < kSourceCount; ++i) {
    ASSERT_NO_FATAL_FAILURE(pair.subscribe(
        fmt::format("change(data.v, data.a[{}] = 1) > 4 and change(data.v, data.a[{}] = 1) > 2 {} "
                    "or change(data.w, data.a[{}] = 1) > 6",
                    i, i + 1, i % 2 == 0 ? "" : "at most every 50ms", i + 2),
        {}));
  }
  std::size_t bytes_max = 0;
  for (int step = 0; step < 8000; ++step) {
    std::string members;
    for (int i = 0; i < kSourceCount; ++i) members += prng.chance(0.3) ? ",1" : ",0";
    const auto event = event::event_of(
        fmt::format(R"({{"id":"{}","data":{{"v":{},"w":{},"a":[{}]}}}})", step, prng.below(9),
                    prng.chance(0.5) ? "null" : "3", members.substr(1)));
    ASSERT_NO_FATAL_FAILURE(pair.publish(event, Instant{} + Duration::milliseconds(step)));
    bytes_max = std::max(bytes_max, pair.shared_bytes());
  }
  EXPECT_LT(pair.shared_bytes(), bytes_max);
  ASSERT_NO_FATAL_FAILURE(pair.compare());
}

}  // namespace
}  // namespace weir::engine
