// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_change.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/shape.h"
#include "match/brute_force.h"
#include "match/text_scorer.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;
using filter::Filter;

std::optional<std::string> shape(std::string_view filter, const EngineOptions& limits = {}) {
  return SharedChange::shape_of(**Filter::parse(filter), limits);
}

TEST(SharedChangeTest, FiltersOfOneShapeDifferInTheirThresholdsOnly) {
  const auto one = shape("type = 'q' and change(data.v, by subject) > 1");
  ASSERT_TRUE(one);
  EXPECT_EQ(one, shape("change(data.v, by subject) > 2.5 and type = 'q'"));
  EXPECT_EQ(one, shape("type = 'q' and change(data.v, by subject) > 1 and distinct(id) within 1s"));
  for (const char* const other :
       {"change(data.v, by subject) > 1", "type = 'q' and change(data.w, by subject) > 1",
        "type = 'q' and change(data.v) > 1", "type = 'q' and change(data.v, by subject) >= 1",
        "type = 'q' and change(data.v, by subject) > 1%",
        "type = 'q' and change(data.v, by subject) rises by > 1",
        "type = 'q' and change(data.v, by subject, data.w = 1) > 1",
        "type = 'q' and change(data.v, by subject) > 1 or silent for 1s",
        "type = 'q' and change(data.v, by subject) > 1 at most every 1s"}) {
    EXPECT_NE(one, shape(other)) << other;
    EXPECT_TRUE(shape(other)) << other;
  }
}

TEST(SharedChangeTest, OthersStandAlone) {
  for (const char* const filter :
       {"change(data.v) > 1 or change(data.w) > 1", "change(data.v) > 1 and change(data.w) > 1",
        "change(data.v) > 1 or type = 'a'", "any change(data.v)", "change(data.v) crosses 1",
        "change(data.v) > 1 and > 5%", "change(data.v) > 1 with previous",
        "change(text(data.t)) > 0.5", "change(data.v) > 1 and text(data.t) about 'a' score >= 1"}) {
    EXPECT_FALSE(shape(filter)) << filter;
  }
  EXPECT_FALSE(shape("change(data.v) > 1 at most every 1s", {.change_idle = Duration::seconds(1)}));
}

std::string random_filter(base::Prng& prng, std::uint64_t seed) {
  static constexpr std::array kShapes = {
      "type = 't0' and change(data.v, by subject) > {}",
      "change(data.v, by subject) >= {}",
      "change(data.v) > {}%",
      "change(data.v, by subject) rises by > {} or silent for 9s",
      "change(data.v, by subject, type = 't1') falls by >= {}",
      "change(data.v, by subject) > {} at most every 5s",
      "change(data.v) >= {} at most every 4s or silent for 11s"};
  const std::size_t first = seed % kShapes.size();
  const std::size_t shape = prng.chance(0.7) ? first : prng.below(kShapes.size());
  return fmt::format(fmt::runtime(kShapes[shape]), static_cast<double>(prng.below(12)) / 2);
}

TEST(SharedChangeTest, TellsHowASourceStands) {
  Engine engine;
  const SubscriptionId first = *engine.subscribe("change(data.v, by subject) > 1");
  ASSERT_TRUE(engine.subscribe("change(data.v, by subject) > 3"));
  const SubscriptionId alone = *engine.subscribe("any change(data.v)");
  const auto event = [](double value) {
    return event::event_of(fmt::format(R"({{"subject":"s","data":{{"v":{}}}}})", value));
  };
  EXPECT_FALSE(*engine.change_source_stats(first, *event(0)));
  for (const double value : {10.0, 12.0, 12.5}) engine.publish(event(value), Instant{});
  const auto stats = **engine.change_source_stats(first, *event(0));
  EXPECT_EQ(stats.readings, 3U);
  EXPECT_EQ(stats.quiet, 1U);
  EXPECT_EQ(stats.fired, 3U);
  EXPECT_EQ(stats.pieces, 2U);
  EXPECT_EQ(stats.subscriptions, 2U);
  EXPECT_FALSE(*engine.change_source_stats(alone, *event(0)));
  EXPECT_FALSE(engine.change_source_stats(SubscriptionId{99}, *event(0)));
  EXPECT_EQ(engine.change_counters().fired, 3U);
  EXPECT_EQ(engine.memory().shared_source_count, 1U);
}

// An engine, and for each of its subscriptions a change filter of its own.
class Pair {
 public:
  explicit Pair(const EngineOptions& options) : options_(options), engine_(options) {}

  void subscribe(const std::string& filter, match::Initial initial, std::string_view state = {}) {
    const auto parsed = *Filter::parse(filter);
    const auto id = engine_.subscribe(parsed, {.initial = initial, .state = state});
    ASSERT_TRUE(id) << id.error().to_string();
    const match::ChangeOptions options{.initial = initial,
                                       .key_count_max = options_.change_key_count_max,
                                       .idle = options_.change_idle};
    alone_.emplace(*id,
                   Alone{parsed, initial, std::make_unique<match::ChangeFilter>(parsed, options)});
  }
  void unsubscribe(std::size_t index) {
    const auto at = std::next(alone_.begin(), static_cast<std::ptrdiff_t>(index));
    ASSERT_TRUE(engine_.unsubscribe(at->first));
    alone_.erase(at);
  }
  void retune(std::size_t index, base::Prng& prng) {
    const auto at = std::next(alone_.begin(), static_cast<std::ptrdiff_t>(index));
    Alone& alone = at->second;
    const std::string shape = filter::shape_of(*alone.filter);
    filter::FilterPtr other;
    do {
      other = *Filter::parse(random_filter(prng, prng.next()));
    } while (filter::shape_of(*other) != shape);
    ASSERT_TRUE(*engine_.retune(at->first, other));
    alone.change->retune(other, engine_.now(), reader_);
    alone.filter = other;
  }
  void forget(std::size_t index, const event::Event& event, Instant now) {
    const auto at = std::next(alone_.begin(), static_cast<std::ptrdiff_t>(index));
    const auto forgotten = engine_.forget(at->first, event, now);
    ASSERT_TRUE(forgotten);
    ASSERT_EQ(*forgotten, at->second.change->forget(event, now));
  }
  // Everybody goes on in a new engine, from what the old one saved.
  void move_out() {
    Engine next(options_);
    std::map<SubscriptionId, Alone> moved;
    for (auto& [id, alone] : alone_) {
      const std::string state = *engine_.save(id);
      const auto now = next.subscribe(alone.filter, {.initial = alone.initial, .state = state});
      ASSERT_TRUE(now) << now.error().to_string();
      ASSERT_EQ(*next.save(*now), state) << alone.filter->to_text();
      moved.emplace(*now, std::move(alone));
    }
    next.set_now(engine_.now());
    engine_ = std::move(next);
    alone_ = std::move(moved);
    advance(engine_.now());
  }
  void publish(const event::EventPtr& event, Instant now) {
    advance(now);
    Deliveries expected;
    for (auto& [id, alone] : alone_) {
      if (!match::holds(alone.filter->normal_form().conjunctions[0], *event, reader_)) continue;
      alone.change->update({0}, event, now, reader_, expected[id]);
    }
    expect(expected, engine_.publish(event, now));
  }
  void advance(Instant now) {
    Deliveries expected;
    for (auto& [id, alone] : alone_) alone.change->advance(now, reader_, expected[id]);
    expect(expected, engine_.advance(now));
  }
  std::size_t size() const { return alone_.size(); }
  std::size_t delivered() const { return delivered_; }

 private:
  using Deliveries = std::map<SubscriptionId, match::FiredEvents>;
  struct Alone {
    filter::FilterPtr filter;
    match::Initial initial;
    std::unique_ptr<match::ChangeFilter> change;
  };

  // By the ids of events: those that were held are other objects in another engine.
  void expect(const Deliveries& expected, std::span<const Delivery> found) {
    std::map<SubscriptionId, std::string> expected_ids;
    for (const auto& [id, fired] : expected) {
      for (const auto& one : fired.events) expected_ids[id] += std::string(one.event->id()) + ' ';
    }
    std::map<SubscriptionId, std::string> ids;
    for (const Delivery& delivery : found) {
      for (const auto& event : delivery.events) {
        ids[delivery.subscription] += std::string(event->id()) + ' ';
        ++delivered_;
      }
    }
    ASSERT_EQ(ids, expected_ids);
  }

  EngineOptions options_;
  Engine engine_;
  std::map<SubscriptionId, Alone> alone_;
  match::TextScorer reader_{{}, {}};
  std::size_t delivered_ = 0;
};

// Subscriptions come and go, change their thresholds, forget, and move to new engines with what
// they remember.
TEST(SharedChangeTest, DeliversWhatAFilterForEachOfThemWould) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    EngineOptions options;
    if (seed % 4 == 0) options.change_idle = Duration::seconds(15);
    Pair pair(options);
    Instant now;
    for (int step = 0; step < 400; ++step) {
      const auto event = event::event_of(fmt::format(
          R"({{"id":"{}","type":"t{}","subject":"s{}","data":{{"v":{}}}}})", step, prng.below(2),
          prng.below(3), prng.chance(0.05) ? "null" : fmt::format("{}", prng.below(20))));
      now = now + Duration::milliseconds(static_cast<std::int64_t>(prng.below(1500)));
      if (prng.chance(0.15) || pair.size() == 0) {
        const auto initial = prng.chance(0.3) ? match::Initial::kNone : match::Initial::kDeliver;
        ASSERT_NO_FATAL_FAILURE(pair.subscribe(random_filter(prng, seed), initial));
      } else if (prng.chance(0.07)) {
        ASSERT_NO_FATAL_FAILURE(pair.unsubscribe(prng.below(pair.size())));
      } else if (prng.chance(0.05)) {
        ASSERT_NO_FATAL_FAILURE(pair.retune(prng.below(pair.size()), prng));
      } else if (prng.chance(0.05)) {
        ASSERT_NO_FATAL_FAILURE(pair.forget(prng.below(pair.size()), *event, now));
      } else if (prng.chance(0.02)) {
        ASSERT_NO_FATAL_FAILURE(pair.move_out());
      } else {
        ASSERT_NO_FATAL_FAILURE(pair.publish(event, now)) << step;
      }
    }
    EXPECT_GT(pair.delivered(), 100U);
  }
}

}  // namespace
}  // namespace weir::engine
