// SPDX-License-Identifier: Apache-2.0
// What content matching costs when the stream is not as it was, and for events of other shapes.
//
// Drift: the stream changes half-way. The baseline is a matcher of the same filters, each of which
// was added anew when the new stream was known.
//
// Shapes: 100 000 filters of workload W2 and events that have few of their attributes, or much that
// no filter asks about; and as many filters that speak of 200 attributes. The baseline is the event
// with the 20 attributes, or a plain pass over what is there.
//
// And how long the slowest of many additions takes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "event/event_testing.h"
#include "match/content_matcher.h"
#include "match/content_runs_testing.h"
#include "match/content_workload_testing.h"

namespace weir::match {
namespace {

constexpr std::size_t kFilterCount = 100'000;
constexpr std::size_t kEventCount = 1000;

using Events = std::vector<event::EventPtr>;

// Every filter is put in its own place again, by what is known of the events now.
void place_anew(ContentMatcher& matcher, const std::vector<ContentConjunction>& conjunctions) {
  content::SpecBatch batch = compiled(matcher, conjunctions);
  matcher.replace(batch);
}

double candidates_per_event(ContentMatcher& matcher, const Events& events) {
  const std::uint64_t before = matcher.counters().candidates;
  match_all(matcher, events);
  return static_cast<double>(matcher.counters().candidates - before) /
         static_cast<double>(events.size());
}

// Each is the best of many rounds itself.
void twice(benchmark::internal::Benchmark* benchmark) {
  benchmark->Iterations(1)->Repetitions(2)->UseManualTime()->Unit(benchmark::kMillisecond);
}

void drift(benchmark::State& state, ContentWorkload workload, const std::vector<ContentRow>& before,
           const std::vector<ContentRow>& after) {
  const auto conjunctions = content_conjunctions(workload, kFilterCount);
  const Events events_before = to_events(before);
  const Events events_after = to_events(after);
  const auto adapted = loaded(conjunctions);
  settle(*adapted, events_before);
  const std::uint64_t placements = adapted->counters().placements;
  const double at_first = candidates_per_event(*adapted, events_after);
  settle(*adapted, events_after);
  const auto informed = loaded(conjunctions);
  settle(*informed, events_after);
  place_anew(*informed, conjunctions);
  WEIR_CHECK(match_all(*adapted, events_after).checksum ==
             match_all(*informed, events_after).checksum);
  for ([[maybe_unused]] auto _ : state) {
    state.counters["adapted_vs_informed"] = time_ratio(*adapted, *informed, events_after);
    state.SetIterationTime(seconds_per_event(*adapted, events_after, 1) * kEventCount);
  }
  const double informed_candidates = candidates_per_event(*informed, events_after);
  state.counters["candidates_at_first"] = at_first;
  state.counters["candidates_adapted"] = candidates_per_event(*adapted, events_after);
  state.counters["candidates_informed"] = informed_candidates;
  state.counters["placements"] = static_cast<double>(adapted->counters().placements - placements);
}

// The frequent values become the rare ones.
void BM_ContentDrift(benchmark::State& state) {
  const auto rows = content_rows(ContentWorkload::kW1, kEventCount);
  drift(state, ContentWorkload::kW1, rows, reversed(ContentWorkload::kW1, rows));
}
BENCHMARK(BM_ContentDrift)->Apply(twice);

// What had many values has one, and the other way round: filters must be found by other attributes.
void BM_ContentSwap(benchmark::State& state) {
  const auto rows = content_rows(ContentWorkload::kW2, kEventCount);
  drift(state, ContentWorkload::kW2, half_fixed(ContentWorkload::kW2, rows, ContentHalf::kOdd),
        half_fixed(ContentWorkload::kW2, rows, ContentHalf::kEven));
}
BENCHMARK(BM_ContentSwap)->Apply(twice);

std::string member(const char* prefix, std::size_t number, std::uint32_t value) {
  return fmt::format("\"{}{}\":{}", prefix, number, value);
}

// Of some attributes of a row, and of whatever else is to stand behind them.
event::EventPtr event_with(const ContentRow& row, std::size_t attribute_count,
                           const std::string& rest) {
  std::string data;
  for (std::size_t i = 0; i < attribute_count; ++i) {
    data += (i == 0 ? "" : ",") + member("a", i, row[i]);
  }
  return event::event_of(fmt::format(R"({{"data":{{{}{}}}}})", data, rest));
}

Events events_with(std::size_t attribute_count, const std::string& rest) {
  Events events;
  for (const ContentRow& row : content_rows(ContentWorkload::kW2, kEventCount)) {
    events.push_back(event_with(row, attribute_count, rest));
  }
  return events;
}

std::string unasked_members(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "," + member("b", i, 7);
  return text;
}

// An object of objects, each with some members beside the next.
std::string deep_member(std::size_t depth) {
  std::string text = "1";
  for (std::size_t i = 0; i < depth; ++i) {
    text = fmt::format(R"({{"a0":1,"a1":2,"x":[1,2,3],"deeper":{}}})", text);
  }
  return ",\"deep\":" + text;
}

// Ten groups of 20 attributes, of which each filter speaks of one.
constexpr std::size_t kGroupCount = kContentAttributeCountMax / kContentAttributeCount;

std::vector<ContentConjunction> grouped(std::vector<ContentConjunction> conjunctions) {
  for (std::size_t i = 0; i < conjunctions.size(); ++i) {
    for (ContentPredicate& predicate : conjunctions[i]) {
      predicate.attribute += static_cast<std::uint32_t>(i % kGroupCount * kContentAttributeCount);
    }
  }
  return conjunctions;
}

Events events_of_all_groups() {
  const auto rows = content_rows(ContentWorkload::kW2, kEventCount + kGroupCount);
  Events events;
  for (std::size_t i = 0; i < kEventCount; ++i) {
    std::string data;
    for (std::size_t j = 0; j < kContentAttributeCountMax; ++j) {
      const ContentRow& row = rows[i + j / kContentAttributeCount];
      data += (j == 0 ? "" : ",") + member("a", j, row[j % kContentAttributeCount]);
    }
    events.push_back(event::event_of(fmt::format(R"({{"data":{{{}}}}})", data)));
  }
  return events;
}

// Looks at the name of every member of data, and at its value.
double pass_seconds(const Events& events) {
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t sum = 0;
  for (int round = 0; round < 10; ++round) {
    best =
        std::min(best, base::seconds_of([&] {
                   for (const event::EventPtr& event : events) {
                     event->data().for_each_member([&](event::JsonRef name, event::JsonRef value) {
                       sum += name.string().size();
                       sum += value.value().kind() == event::ValueKind::kInt ? 1U : 0U;
                     });
                   }
                 }));
  }
  benchmark::DoNotOptimize(sum);
  return best / static_cast<double>(events.size());
}

void BM_ContentShapes(benchmark::State& state) {
  constexpr std::size_t kUnaskedCount = 180;
  const auto conjunctions = content_conjunctions(ContentWorkload::kW2, kFilterCount);
  const auto matcher = loaded(conjunctions);
  const auto wide = loaded(grouped(conjunctions));
  struct Shape {
    ContentMatcher& matcher;
    Events events;
    double best = std::numeric_limits<double>::infinity();
  };
  Shape usual{*matcher, events_with(kContentAttributeCount, "")};
  Shape few{*matcher, events_with(3, "")};
  Shape unasked{*matcher, events_with(kContentAttributeCount, unasked_members(kUnaskedCount))};
  Shape deep{*matcher, events_with(kContentAttributeCount, deep_member(30))};
  Shape many{*wide, events_of_all_groups()};
  for ([[maybe_unused]] auto _ : state) {
    for (Shape* const shape : {&usual, &few, &unasked, &deep, &many}) {
      const double seconds = seconds_per_event(shape->matcher, shape->events, 20);
      shape->best = std::min(shape->best, seconds);
    }
    state.SetIterationTime(usual.best * kEventCount);
  }
  const double pass = pass_seconds(unasked.events) - pass_seconds(usual.events);
  state.counters["us_usual"] = usual.best * 1e6;
  state.counters["few_vs_usual"] = few.best / usual.best;
  state.counters["unasked_vs_pass"] = (unasked.best - usual.best) / pass;
  state.counters["ns_per_unasked"] = (unasked.best - usual.best) / kUnaskedCount * 1e9;
  state.counters["deep_vs_usual"] = deep.best / usual.best;
  state.counters["many_vs_usual"] = many.best / usual.best;
}
BENCHMARK(BM_ContentShapes)->Apply(twice);

filter::FilterPtr filter_of_value(std::size_t value) {
  return to_filter(
      {{0, false, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value)}});
}

// The longest that any of so many takes.
template <typename Add>
double worst_seconds(std::size_t count, Add&& add) {
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) worst = std::max(worst, add(i));
  return worst;
}

// Each filter names a value of its own, so that every table grows. The baseline is the longest that
// a vector of as many bytes takes to append.
void BM_ContentWorstAdd(benchmark::State& state) {
  constexpr std::size_t kCount = 400'000;
  using Item = std::array<std::uint64_t, 16>;
  ContentMatcher matcher;
  std::vector<Item> items;
  for ([[maybe_unused]] auto _ : state) {
    const double worst = worst_seconds(kCount, [&](std::size_t i) {
      const filter::FilterPtr filter = filter_of_value(i);
      return base::seconds_of([&] { matcher.add(SubscriptionId{i}, filter); });
    });
    const double baseline = worst_seconds(
        kCount, [&](std::size_t) { return base::seconds_of([&] { items.emplace_back(); }); });
    state.SetIterationTime(worst);
    state.counters["worst_add_vs_vector"] = worst / baseline;
    state.counters["worst_add_us"] = worst * 1e6;
    state.counters["bytes_per_subscription"] = static_cast<double>(matcher.memory_bytes()) / kCount;
  }
}
BENCHMARK(BM_ContentWorstAdd)->Apply(twice);

}  // namespace
}  // namespace weir::match
