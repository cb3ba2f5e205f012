// SPDX-License-Identifier: Apache-2.0
// An engine that goes on from saved states does what the first one would have done.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "engine/checkpoint_testing.h"

namespace weir::engine {
namespace {

constexpr std::uint64_t kSeedCount = 60;
constexpr std::size_t kStepCount = 160;

using Log = std::map<SubscriptionId, std::vector<std::string>>;  // deliveries in their order

EngineOptions options_of(std::uint64_t seed) {
  EngineOptions options;
  if (seed % 3 == 0) options = {.change_key_count_max = 2, .distinct_key_count_max = 3};
  if (seed % 5 == 0) options.change_idle = base::Duration::seconds(12);
  return options;
}

match::Initial initial_of(std::uint64_t seed) {
  return seed % 4 == 0 ? match::Initial::kNone : match::Initial::kDeliver;
}

void record(std::span<const Delivery> deliveries, std::size_t step, Log& log) {
  for (const Delivery& delivery : deliveries) {
    log[delivery.subscription].push_back(fmt::format("{}: {}", step, shown_events(delivery)));
  }
}

SubscriptionId id_of(std::size_t index) { return SubscriptionId{index + 1}; }

Engine fresh_engine(std::uint64_t seed) {
  Engine engine(options_of(seed));
  for (const char* const filter : remembering_filters()) {
    const auto id = engine.subscribe(filter, {.initial = initial_of(seed)});
    WEIR_CHECK(id.has_value());
  }
  return engine;
}

// What the first engine was at one point of the stream.
struct Cut {
  std::vector<std::string> states;
  std::string text;
  base::Instant now;
};

Cut cut_of(const Engine& engine) {
  Cut cut{{}, engine.save_text(), engine.now()};
  for (std::size_t i = 0; i < remembering_filters().size(); ++i) {
    cut.states.push_back(*engine.save(id_of(i)));
  }
  return cut;
}

// Runs to the end and gives every cut, the one before the first step first.
std::vector<Cut> run_through(Engine& engine, const std::vector<Step>& steps, Log& log) {
  std::vector<Cut> cuts = {cut_of(engine)};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    record(take(engine, steps[i]), i, log);
    cuts.push_back(cut_of(engine));
  }
  return cuts;
}

Log from(const Log& log, const std::vector<std::size_t>& first_steps) {
  Log rest;
  for (const auto& [id, entries] : log) {
    for (const std::string& entry : entries) {
      if (std::stoul(entry) >= first_steps[id.value - 1]) rest[id].push_back(entry);
    }
  }
  return rest;
}

void expect_same_end(Engine& engine, Engine& other) {
  for (std::size_t i = 0; i < remembering_filters().size(); ++i) {
    EXPECT_EQ(*engine.save(id_of(i)), *other.save(id_of(i))) << remembering_filters()[i];
  }
  EXPECT_EQ(engine.save_text(), other.save_text());
  const base::Instant later = engine.now() + base::Duration::seconds(1000);
  Log rest;
  Log other_rest;
  record(engine.advance(later), 0, rest);
  record(other.advance(later), 0, other_rest);
  EXPECT_EQ(rest, other_rest);
}

TEST(CheckpointPropertyTest, AnEngineGoesOnWhereAnotherWas) {
  for (std::uint64_t seed = 1; seed <= kSeedCount; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const std::vector<Step> steps = random_steps(prng, kStepCount);
    Engine first = fresh_engine(seed);
    Log log;
    const std::vector<Cut> cuts = run_through(first, steps, log);
    const std::size_t at = prng.below(steps.size());

    Engine second(options_of(seed));
    const bool text_first = prng.chance(0.5);
    if (text_first) {
      ASSERT_TRUE(second.restore_text(cuts[at].text));
    }
    for (std::size_t i = 0; i < remembering_filters().size(); ++i) {
      const auto id = second.subscribe(remembering_filters()[i],
                                       {.initial = initial_of(seed), .state = cuts[at].states[i]});
      ASSERT_TRUE(id) << id.error().to_string();
    }
    if (!text_first) {
      ASSERT_TRUE(second.restore_text(cuts[at].text));
    }
    second.set_now(cuts[at].now);
    EXPECT_EQ(cut_of(second).states, cuts[at].states);
    Log rest;
    for (std::size_t i = at; i < steps.size(); ++i) record(take(second, steps[i]), i, rest);
    EXPECT_EQ(rest, from(log, std::vector<std::size_t>(remembering_filters().size(), at)));
    expect_same_end(first, second);
  }
}

// A broker saves only what moved, so that states are of different ages; on replay each admits the
// events that it has not seen.
TEST(CheckpointPropertyTest, StatesOfDifferentAgesMeetInOneReplay) {
  for (std::uint64_t seed = 1; seed <= kSeedCount; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const std::vector<Step> steps = random_steps(prng, kStepCount);
    Engine first = fresh_engine(seed);
    Log log;
    const std::vector<Cut> cuts = run_through(first, steps, log);

    Engine second(options_of(seed));
    std::vector<std::size_t> ages;
    for (std::size_t i = 0; i < remembering_filters().size(); ++i) {
      const std::size_t age = ages.emplace_back(20 + prng.below(steps.size() - 20));
      const auto gate = std::make_shared<const Gate>(
          [age](const event::Event& event) { return event.sequence() > age; });
      ASSERT_TRUE(second.subscribe(
          remembering_filters()[i],
          {.initial = initial_of(seed), .gate = gate, .state = cuts[age].states[i]}));
    }
    const std::size_t oldest = std::ranges::min(ages);
    second.set_now(cuts[oldest].now);
    ASSERT_TRUE(second.restore_text(cuts[oldest].text));
    Log rest;
    for (std::size_t i = oldest; i < steps.size(); ++i) record(take(second, steps[i]), i, rest);
    EXPECT_EQ(rest, from(log, ages));
    expect_same_end(first, second);
  }
}

// But for the counts at the beginning and the checksum.
std::string what_decides(std::string_view state) {
  constexpr std::size_t kHeadBytes = 10;
  constexpr std::size_t kChecksumBytes = 8;
  constexpr int kCountCount = 7;
  if (state.empty()) return {};
  state.remove_prefix(kHeadBytes);
  state.remove_suffix(kChecksumBytes);
  for (int i = 0; i < kCountCount; ++i) {
    while ((static_cast<unsigned char>(state.front()) & 0x80U) != 0) state.remove_prefix(1);
    state.remove_prefix(1);
  }
  return std::string(state);
}

TEST(CheckpointPropertyTest, TheRevisionGrowsWhenWhatDecidesChanges) {
  base::Prng prng(1);
  Engine engine = fresh_engine(1);
  std::vector<std::string> states;
  for (const std::string& state : cut_of(engine).states) states.push_back(what_decides(state));
  std::vector<std::uint64_t> revisions(states.size());
  std::size_t unmoved_count = 0;
  for (const Step& step : random_steps(prng, kStepCount)) {
    take(engine, step);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const std::uint64_t revision = engine.state_revision(id_of(i));
      const std::string state = what_decides(*engine.save(id_of(i)));
      ASSERT_GE(revision, revisions[i]);
      if (revision == revisions[i]) {
        ASSERT_EQ(state, states[i]) << remembering_filters()[i];
        ++unmoved_count;
      }
      if (state.empty()) {
        ASSERT_EQ(revision, 0U);
      }
      states[i] = state;
      revisions[i] = revision;
    }
  }
  EXPECT_GT(unmoved_count, kStepCount) << "filters rest on events of others";
}

}  // namespace
}  // namespace weir::engine
