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
#include "bloom/line_buffer.h"
#include "match/content_matcher.h"
#include "match/content_runs_testing.h"
#include "match/content_workload_testing.h"

namespace weir::match {
namespace {

constexpr std::size_t kEventCount = 1000;
constexpr std::size_t kChunk = 20'000;  // compiled filters that are there at once, for adding
// Filters that are there at once: whoever subscribes has just made the filter.
constexpr std::size_t kFewFilters = 100;

struct Checksum {
  std::size_t filter_count;
  std::uint64_t of_w1;
  std::uint64_t of_w2;  // 0: unknown
};
constexpr Checksum kChecksums[] = {{100'000, 0xf9d09fbd6cc5898a, 0x486f58177aef0acd},
                                   {1'000'000, 0xed49a8d070597106, 0xc24a4f2b9af76ff0}};

// One workload at one size, and all that is measured on it only once.
class Case {
 public:
  Case(ContentWorkload workload, std::size_t count)
      : workload_(workload),
        conjunctions_(content_conjunctions(workload, count)),
        rows_(content_rows(workload, kEventCount)),
        events_(to_events(rows_)) {
    make_baseline();
    add_by_filters();
    churn();
    load();
    check();
  }

  void measure(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      // The first round, and the first event of the baseline, find the other's data in the caches.
      const double seconds =
          std::min(seconds_per_event(*matcher_, events_, 4), seconds_per_event(*twin_, events_, 4));
      best_seconds_ = std::min(best_seconds_, seconds);
      measure_baseline();
      state.SetIterationTime(seconds);
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
  // earlier case has left: appending to memory that was used before is a third faster. But the host
  // of a virtual machine may have taken away what was free for a second or two, and give it back
  // page by page, which takes longer than all that is measured here: so that happens before.
  void take_fresh_memory() const {
    constexpr int kLargeBytes = 1 << 17;
    WEIR_CHECK(::mallopt(M_MMAP_THRESHOLD, kLargeBytes) == 1);
    constexpr std::size_t kLinesPerFilter = 2;
    bloom::LineBuffer memory(kLinesPerFilter * size());
    std::ranges::fill(memory.words(), std::uint64_t{1});
    benchmark::DoNotOptimize(memory.data());
  }

  void make_baseline() {
    for (std::size_t round = 0; round < kRounds; ++round) {
      baseline_ = {};
      take_fresh_memory();
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
    for (std::size_t first = 0; first < size(); first += kFewFilters) {
      std::vector<filter::FilterPtr> filters;
      const std::size_t end = std::min(size(), first + kFewFilters);
      for (std::size_t i = first; i < end; ++i) filters.push_back(to_filter(conjunctions_[i]));
      seconds += base::seconds_of([&] {
        for (std::size_t i = first; i < end; ++i) {
          matcher->add(SubscriptionId{i}, filters[i - first]);
        }
      });
    }
    counters_["filter_adds_per_cpu_s"] = count() / seconds;
    settle(*matcher, events_);
    fresh_bytes_ = static_cast<double>(matcher->memory_bytes());
    matcher_ = std::move(matcher);
  }

  // Half of them are removed in a random order and come back; then some are replaced, and again.
  // How fast that leaves it is measured later, beside a fresh one.
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
    counters_["churned_memory"] = static_cast<double>(matcher_->memory_bytes()) / fresh_bytes_;

    for (std::size_t round = 0; round < kRounds; ++round) {
      replace(std::span(order).subspan(round * kChunk, kChunk));
    }
    churned_ = std::move(matcher_);
  }

  // Each by what another was, so that hardly any stays where it is: by what is compiled, and by
  // filters.
  void replace(std::span<const std::size_t> order) {
    const auto filter_at = [&](std::size_t i) {
      return to_filter(conjunctions_[order[i % order.size()]]);
    };
    content::SpecBatch batch;
    for (std::size_t i = 0; i < order.size(); ++i) {
      matcher_->compile(SubscriptionId{order[i]}, filter_at(i + 1), batch);
    }
    const double compiled = base::seconds_of([&] { matcher_->replace(batch); });
    double by_filters = 0;
    for (std::size_t first = 0; first < order.size(); first += kFewFilters) {
      const auto some = order.subspan(first, std::min(kFewFilters, order.size() - first));
      std::vector<filter::FilterPtr> filters;
      for (std::size_t i = 0; i < some.size(); ++i) filters.push_back(filter_at(first + i + 2));
      by_filters += base::seconds_of([&] {
        for (std::size_t i = 0; i < some.size(); ++i) {
          matcher_->update(SubscriptionId{some[i]}, filters[i]);
        }
      });
    }
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
      twin_ = std::exchange(matcher_, std::make_unique<ContentMatcher>());
      content::SpecBatch batch = compiled(*matcher_, conjunctions_);
      take_fresh_memory();
      const double seconds = base::seconds_of([&] { matcher_->place_in_bulk(batch); });
      keep_best("bulk_per_cpu_s", count() / seconds);
    }
    settle(*matcher_, events_);
    settle(*twin_, events_);
    counters_["churned_time"] = time_ratio(*churned_, *matcher_, events_);
    churned_.reset();
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
    for (const char* what :
         {"adds", "bulk", "removes", "updates", "filter_adds", "filter_updates"}) {
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
  // The same, in other pages: which the system gives makes a tenth of the time.
  std::unique_ptr<ContentMatcher> twin_;
  std::unique_ptr<ContentMatcher> churned_;
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

void few(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(100'000)->Iterations(30)->UseManualTime()->Unit(benchmark::kMicrosecond);
}
void many(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1'000'000)->Iterations(4)->UseManualTime()->Unit(benchmark::kMicrosecond);
}
void BM_ContentW1(benchmark::State& state) { run(state, ContentWorkload::kW1); }
BENCHMARK(BM_ContentW1)->Apply(few);
BENCHMARK(BM_ContentW1)->Apply(many);
void BM_ContentW2(benchmark::State& state) { run(state, ContentWorkload::kW2); }
BENCHMARK(BM_ContentW2)->Apply(few);
BENCHMARK(BM_ContentW2)->Apply(many);

// The time of an event over the number of subscriptions, for the curve. Repetitions share what is
// loaded.
void scale(benchmark::State& state, ContentWorkload workload) {
  static std::map<std::pair<ContentWorkload, std::int64_t>, std::unique_ptr<ContentMatcher>> all;
  const auto events = to_events(content_rows(workload, kEventCount));
  auto& matcher = all[{workload, state.range(0)}];
  if (!matcher) {
    matcher = loaded(content_conjunctions(workload, static_cast<std::size_t>(state.range(0))));
    settle(*matcher, events);
  }
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = seconds_per_event(*matcher, events, 1);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["us_per_event"] = best * 1e6;
  state.counters["bytes_per_subscription"] =
      static_cast<double>(matcher->memory_bytes()) / static_cast<double>(state.range(0));
}

void many_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Iterations(5)->UseManualTime()->Unit(benchmark::kMicrosecond);
  for (const int count : {10'000, 30'000, 100'000, 300'000, 1'000'000, 2'000'000, 4'000'000}) {
    benchmark->Arg(count);
  }
}
void BM_ContentThoroughW1(benchmark::State& state) { scale(state, ContentWorkload::kW1); }
BENCHMARK(BM_ContentThoroughW1)->Apply(many_sizes);
void BM_ContentThoroughW2(benchmark::State& state) { scale(state, ContentWorkload::kW2); }
BENCHMARK(BM_ContentThoroughW2)->Apply(many_sizes);

// The baseline's, beside them.
void BM_ContentThoroughScan(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  FlatScan scan;
  for (const auto& conjunction : content_conjunctions(ContentWorkload::kW1, count)) {
    scan.add(conjunction);
  }
  const auto rows = content_rows(ContentWorkload::kW1, kEventCount);
  std::vector<std::uint32_t> matches;
  for ([[maybe_unused]] auto _ : state) {
    constexpr std::size_t kScanned = 10;
    const double seconds = base::seconds_of([&] {
      for (std::size_t i = 0; i < kScanned; ++i) {
        matches.clear();
        scan.match(rows[i], matches);
        benchmark::DoNotOptimize(matches.data());
      }
    });
    state.SetIterationTime(seconds / kScanned);
  }
}
BENCHMARK(BM_ContentThoroughScan)->Apply(many_sizes);

}  // namespace
}  // namespace weir::match
