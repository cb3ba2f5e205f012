// SPDX-License-Identifier: Apache-2.0
// What content matching costs on the workloads W1 and W2: matching, adding, removing, memory.
//
// Events are decoded before. The baseline is a flat scan over the bare numbers of the same
// workload, in the same run; adding is compared with appending to it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "filter/filter_testing.h"
#include "match/content_matcher.h"
#include "match/content_workload_testing.h"

namespace weir::match {
namespace {

constexpr std::size_t kEventCount = 1000;
constexpr std::size_t kChunk = 20'000;  // filters that are there at once, for adding

struct Checksum {
  std::size_t filter_count;
  std::uint64_t of_w1;
  std::uint64_t of_w2;  // 0: unknown
};
constexpr Checksum kChecksums[] = {{100'000, 0xf9d09fbd6cc5898a, 0x486f58177aef0acd},
                                   {1'000'000, 0xed49a8d070597106, 0xc24a4f2b9af76ff0}};

struct Found {
  std::uint64_t checksum = 0;
  std::size_t match_count = 0;
};

Found match_all(Matcher& matcher, const std::vector<event::EventPtr>& events) {
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  Found found;
  for (std::size_t i = 0; i < events.size(); ++i) {
    matches.clear();
    matcher.match(*events[i], scorer, matches);
    found.match_count += matches.size();
    for (const Match& match : matches) {
      found.checksum += content_match_mix(i, match.subscription.value);
    }
  }
  return found;
}

// Seconds per event, the best of several rounds.
double seconds_per_event(Matcher& matcher, const std::vector<event::EventPtr>& events, int rounds) {
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double seconds = base::seconds_of([&] {
      for (const event::EventPtr& event : events) {
        matches.clear();
        matcher.match(*event, scorer, matches);
        benchmark::DoNotOptimize(matches.data());
      }
    });
    best = std::min(best, seconds / static_cast<double>(events.size()));
  }
  return best;
}

// Until the matcher has no more reason to move anything.
void settle(ContentMatcher& matcher, const std::vector<event::EventPtr>& events) {
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  std::uint64_t moves = 0;
  int quiet_rounds = 0;
  for (int round = 0; round < 100 && quiet_rounds < 5; ++round) {
    for (const event::EventPtr& event : events) {
      matches.clear();
      matcher.match(*event, scorer, matches);
    }
    quiet_rounds = matcher.counters().moves == moves ? quiet_rounds + 1 : 0;
    moves = matcher.counters().moves;
  }
}

// One workload at one size, and all that is measured on it only once.
class Case {
 public:
  Case(ContentWorkload workload, std::size_t count)
      : workload_(workload),
        conjunctions_(content_conjunctions(workload, count)),
        rows_(content_rows(workload, kEventCount)),
        events_(to_events(rows_)) {
    take_fresh_memory();
    make_baseline();
    add_by_filters();
    churn();
    load();
    check();
  }

  void measure(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      // The first round, and the first event of the baseline, find the other's data in the caches.
      const double seconds = seconds_per_event(*matcher_, events_, 2);
      best_seconds_ = std::min(best_seconds_, seconds);
      measure_baseline();
      state.SetIterationTime(seconds * kEventCount);
    }
    report(state);
  }

 private:
  void compile(ContentMatcher& matcher, std::size_t index, content::SpecBatch& batch) const {
    matcher.compile(SubscriptionId{index}, to_filter(conjunctions_[index]), batch);
  }

  std::size_t size() const { return conjunctions_.size(); }
  double count() const { return static_cast<double>(size()); }

  // All that is measured once is done several times, and the best counts: the machine is shared.
  static constexpr std::size_t kRounds = 2;

  // Large arrays come from the system, for the baseline as for the matcher, and not from what an
  // earlier case has left: appending to memory that was used before is a third faster.
  static void take_fresh_memory() {
    constexpr int kLargeBytes = 1 << 17;
    WEIR_CHECK(::mallopt(M_MMAP_THRESHOLD, kLargeBytes) == 1);
  }

  void make_baseline() {
    for (std::size_t round = 0; round < kRounds; ++round) {
      baseline_ = {};
      const double seconds = base::seconds_of([&] {
        for (const ContentConjunction& conjunction : conjunctions_) baseline_.add(conjunction);
      });
      keep_best("appends_per_cpu_s", count() / seconds);
    }
  }
  void keep_best(const char* name, double rate) {
    counters_[name] = std::max(counters_[name], rate);
  }

  void measure_baseline() {
    constexpr std::size_t kBaselineEventCount = 10;
    std::vector<std::uint32_t> matches;
    baseline_.match(rows_.back(), matches);
    const double seconds = base::seconds_of([&] {
      for (std::size_t i = 0; i < kBaselineEventCount; ++i) {
        matches.clear();
        baseline_.match(rows_[i], matches);
        benchmark::DoNotOptimize(matches.data());
      }
    });
    baseline_seconds_ = std::min(baseline_seconds_, seconds / kBaselineEventCount);
  }

  // Through filters, as an engine does, which keeps them; they are made before.
  void add_by_filters() {
    auto matcher = std::make_unique<ContentMatcher>();
    double seconds = 0;
    for (std::size_t first = 0; first < size(); first += kChunk) {
      std::vector<filter::FilterPtr> filters;
      const std::size_t end = std::min(size(), first + kChunk);
      for (std::size_t i = first; i < end; ++i) filters.push_back(to_filter(conjunctions_[i]));
      seconds += base::seconds_of([&] {
        for (std::size_t i = first; i < end; ++i) {
          matcher->add(SubscriptionId{i}, filters[i - first]);
        }
      });
    }
    counters_["filter_adds_per_cpu_s"] = count() / seconds;
    settle(*matcher, events_);
    fresh_seconds_ = seconds_per_event(*matcher, events_, 5);
    fresh_bytes_ = static_cast<double>(matcher->memory_bytes());
    matcher_ = std::move(matcher);
  }

  // Half of them are removed in a random order and come back; then some are replaced, and again.
  void churn() {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    base::Prng prng(7);
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[prng.below(i + 1)]);
    order.resize(size() / 2);
    const double half = static_cast<double>(order.size());

    for (std::size_t first = 0; first < order.size(); first += kChunk) {
      const std::size_t end = std::min(order.size(), first + kChunk);
      const double removing = base::seconds_of([&] {
        for (std::size_t i = first; i < end; ++i) matcher_->remove(SubscriptionId{order[i]});
      });
      keep_best("removes_per_cpu_s", static_cast<double>(end - first) / removing);
    }
    content::SpecBatch batch;
    for (const std::size_t i : order) compile(*matcher_, i, batch);
    const double adding = base::seconds_of([&] { matcher_->place(batch); });
    counters_["readds_per_cpu_s"] = half / adding;
    settle(*matcher_, events_);
    counters_["churned_time"] = seconds_per_event(*matcher_, events_, 5) / fresh_seconds_;
    counters_["churned_memory"] = static_cast<double>(matcher_->memory_bytes()) / fresh_bytes_;

    for (std::size_t round = 0; round < kRounds; ++round) {
      replace(std::span(order).subspan(round * kChunk, kChunk));
    }
    matcher_.reset();
  }

  // Each by what another was, so that hardly any stays where it is: by what is compiled, and by
  // filters.
  void replace(std::span<const std::size_t> order) {
    std::vector<filter::FilterPtr> filters;
    content::SpecBatch batch;
    for (std::size_t i = 0; i < order.size(); ++i) {
      filters.push_back(to_filter(conjunctions_[order[(i + 1) % order.size()]]));
      matcher_->compile(SubscriptionId{order[i]}, filters.back(), batch);
    }
    const double compiled = base::seconds_of([&] { matcher_->replace(batch); });
    std::ranges::rotate(filters, filters.begin() + 1);
    const double by_filters = base::seconds_of([&] {
      for (std::size_t i = 0; i < order.size(); ++i) {
        matcher_->update(SubscriptionId{order[i]}, filters[i]);
      }
    });
    const auto replaced = static_cast<double>(order.size());
    keep_best("updates_per_cpu_s", replaced / compiled);
    keep_best("filter_updates_per_cpu_s", replaced / by_filters);
  }

  // From compiled conjunctions: one by one, and in bulk, when all are known before.
  void load() {
    {
      ContentMatcher one_by_one;
      for (std::size_t first = 0; first < size(); first += kChunk) {
        content::SpecBatch batch;
        const std::size_t end = std::min(size(), first + kChunk);
        for (std::size_t i = first; i < end; ++i) compile(one_by_one, i, batch);
        const double seconds = base::seconds_of([&] { one_by_one.place(batch); });
        // Where there are few, adding is faster.
        const bool is_full = first >= size() / 2;
        if (is_full) keep_best("adds_per_cpu_s", static_cast<double>(end - first) / seconds);
      }
    }
    for (std::size_t round = 0; round < kRounds; ++round) {
      matcher_ = std::make_unique<ContentMatcher>();
      content::SpecBatch batch;
      for (std::size_t i = 0; i < size(); ++i) compile(*matcher_, i, batch);
      const double seconds = base::seconds_of([&] { matcher_->place_in_bulk(batch); });
      keep_best("bulk_per_cpu_s", count() / seconds);
    }
    settle(*matcher_, events_);
    counters_["bytes_per_subscription"] = static_cast<double>(matcher_->memory_bytes()) / count();
  }

  void check() {
    const Found found = match_all(*matcher_, events_);
    counters_["matches_per_event"] =
        static_cast<double>(found.match_count) / static_cast<double>(events_.size());
    for (const Checksum& known : kChecksums) {
      if (known.filter_count != size()) continue;
      WEIR_CHECK(found.checksum == (workload_ == ContentWorkload::kW1 ? known.of_w1 : known.of_w2));
    }
  }

  void report(benchmark::State& state) {
    for (const auto& [name, value] : counters_) state.counters[name] = value;
    const auto per_event = [&](std::uint64_t sum) {
      return static_cast<double>(sum) / static_cast<double>(matcher_->counters().events);
    };
    state.counters["candidates_per_event"] = per_event(matcher_->counters().candidates);
    state.counters["verified_per_event"] = per_event(matcher_->counters().verified);
    state.counters["events_per_cpu_s"] = 1 / best_seconds_;
    state.counters["baseline_events_per_cpu_s"] = 1 / baseline_seconds_;
    state.counters["x_scan"] = baseline_seconds_ / best_seconds_;
    const double appends = counters_["appends_per_cpu_s"];
    for (const char* what : {"adds", "bulk", "removes", "updates"}) {
      state.counters[fmt::format("x_append_{}", what)] =
          counters_[fmt::format("{}_per_cpu_s", what)] / appends;
    }
  }

  ContentWorkload workload_;
  std::vector<ContentConjunction> conjunctions_;
  std::vector<ContentRow> rows_;
  std::vector<event::EventPtr> events_;
  FlatScan baseline_;
  std::unique_ptr<ContentMatcher> matcher_;
  double fresh_seconds_ = 0;
  double fresh_bytes_ = 0;
  double best_seconds_ = std::numeric_limits<double>::infinity();
  double baseline_seconds_ = std::numeric_limits<double>::infinity();
  std::map<std::string, double> counters_;
};

// Repetitions of a benchmark share its case.
void run(benchmark::State& state, ContentWorkload workload) {
  static std::map<std::pair<ContentWorkload, std::size_t>, std::unique_ptr<Case>> cases;
  const auto count = static_cast<std::size_t>(state.range(0));
  auto& made = cases[{workload, count}];
  if (!made) made = std::make_unique<Case>(workload, count);
  made->measure(state);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(100'000)->Arg(1'000'000);
}
void BM_ContentW1(benchmark::State& state) { run(state, ContentWorkload::kW1); }
BENCHMARK(BM_ContentW1)->Apply(sizes);
void BM_ContentW2(benchmark::State& state) { run(state, ContentWorkload::kW2); }
BENCHMARK(BM_ContentW2)->Apply(sizes);

std::unique_ptr<ContentMatcher> loaded(ContentWorkload workload, std::size_t count) {
  auto matcher = std::make_unique<ContentMatcher>();
  content::SpecBatch batch;
  std::uint64_t id = 0;
  for (const ContentConjunction& conjunction : content_conjunctions(workload, count)) {
    matcher->compile(SubscriptionId{id++}, to_filter(conjunction), batch);
  }
  matcher->place_in_bulk(batch);
  return matcher;
}

// Time over the number of subscriptions, for the curve. Repetitions share what is loaded.
void scale(benchmark::State& state, ContentWorkload workload) {
  static std::map<std::pair<ContentWorkload, std::int64_t>, std::unique_ptr<ContentMatcher>> all;
  const auto events = to_events(content_rows(workload, kEventCount));
  auto& matcher = all[{workload, state.range(0)}];
  if (!matcher) {
    matcher = loaded(workload, static_cast<std::size_t>(state.range(0)));
    settle(*matcher, events);
  }
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = seconds_per_event(*matcher, events, 1);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds * kEventCount);
  }
  state.counters["us_per_event"] = best * 1e6;
  state.counters["bytes_per_subscription"] =
      static_cast<double>(matcher->memory_bytes()) / static_cast<double>(state.range(0));
}

void many_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
  for (const int count : {10'000, 30'000, 100'000, 300'000, 1'000'000, 2'000'000, 4'000'000}) {
    benchmark->Arg(count);
  }
}
void BM_ContentThoroughW1(benchmark::State& state) { scale(state, ContentWorkload::kW1); }
BENCHMARK(BM_ContentThoroughW1)->Apply(many_sizes);
void BM_ContentThoroughW2(benchmark::State& state) { scale(state, ContentWorkload::kW2); }
BENCHMARK(BM_ContentThoroughW2)->Apply(many_sizes);

// Half-way the frequent values become the rare ones. What matching then costs, once the matcher has
// adapted, compared with one that has never known anything else.
void BM_ContentDrift(benchmark::State& state) {
  constexpr std::size_t kCount = 100'000;
  const ContentWorkload workload = ContentWorkload::kW1;
  const auto rows = content_rows(workload, kEventCount);
  const auto before = to_events(rows);
  const auto after = to_events(reversed(workload, rows));
  const auto adapted = loaded(workload, kCount);
  settle(*adapted, before);
  const double at_first = seconds_per_event(*adapted, after, 1);
  settle(*adapted, after);
  const auto fresh = loaded(workload, kCount);
  settle(*fresh, after);
  WEIR_CHECK(match_all(*adapted, after).checksum == match_all(*fresh, after).checksum);
  double adapted_best = std::numeric_limits<double>::infinity();
  double fresh_best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = seconds_per_event(*adapted, after, 1);
    adapted_best = std::min(adapted_best, seconds);
    fresh_best = std::min(fresh_best, seconds_per_event(*fresh, after, 1));
    state.SetIterationTime(seconds * kEventCount);
  }
  state.counters["adapted_vs_fresh"] = adapted_best / fresh_best;
  state.counters["at_first_vs_fresh"] = at_first / fresh_best;
  state.counters["placements"] = static_cast<double>(adapted->counters().placements);
}
BENCHMARK(BM_ContentDrift)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::match
