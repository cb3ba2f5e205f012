// SPDX-License-Identifier: Apache-2.0
// What deciding and listing cost with up to millions of thresholds on one source, and with many
// sources.
//
// The baseline is a vectorised scan over the thresholds and last values, in the same run. A
// reading is decided when it is known whom it is for; listing reads every id as well.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "match/change/change_group.h"
#include "match/change/change_workload_testing.h"

namespace weir::match {
namespace {

constexpr std::size_t kReadingCount = 1000;
constexpr std::size_t kComparedCount = 20;
constexpr std::size_t kQuietCount = 100'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One source with subscribers, in the midst of a walk.
class Case {
 public:
  explicit Case(std::size_t count)
      : joiners_(change_joiners(count)), walk_(1), scan_walk_(1), scan_(joiners_, 0) {
    group_.join_all(joiners_);
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < kReadingCount; ++i) {
      update(walk_.next());
      const double value = scan_walk_.next();
      if (i >= kComparedCount) continue;
      ids.clear();
      scan_.update(value, ids);
      WEIR_CHECK(ids.size() == firing_.id_count);
    }
  }

  void update(double value) {
    group_.update("source", value, base::Instant{++now_}, nullptr, firing_);
  }

  // Seconds per reading of the walk.
  double decide() {
    const std::vector<double> values = next_values(kReadingCount);
    const double seconds = base::seconds_of([&] {
      for (const double value : values) update(value);
    });
    return seconds / static_cast<double>(values.size());
  }

  double list() {
    const std::vector<double> values = next_values(kReadingCount);
    std::size_t count = 0;
    const double seconds = base::seconds_of([&] {
      for (const double value : values) {
        update(value);
        benchmark::DoNotOptimize(sum_of_ids());
        count += firing_.id_count;
      }
    });
    fired_share_ = static_cast<double>(count) / static_cast<double>(values.size() * group_.size());
    return seconds / static_cast<double>(values.size());
  }

  // Seconds per reading of the scan, which has its own walk.
  double scan() {
    constexpr std::size_t kCount = 10;
    std::vector<std::uint64_t> ids;
    const double seconds = base::seconds_of([&] {
      for (std::size_t i = 0; i < kCount; ++i) {
        ids.clear();
        scan_.update(scan_walk_.next(), ids);
        benchmark::DoNotOptimize(ids.data());
      }
    });
    return seconds / kCount;
  }

  // The latency of single readings with listing, sorted, in seconds.
  std::vector<double> latencies(std::size_t count) {
    std::vector<double> all;
    for (const double value : next_values(count)) {
      all.push_back(base::seconds_of([&] {
        update(value);
        benchmark::DoNotOptimize(sum_of_ids());
      }));
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  ChangeGroup& group() { return group_; }
  const Firing& firing() const { return firing_; }
  double fired_share() const { return fired_share_; }
  std::size_t piece_count() const { return group_.piece_count(); }

 private:
  std::uint64_t sum_of_ids() const {
    std::uint64_t sum = 0;
    firing_.for_each_span([&](const FiredRange&, ThresholdIndex::Span span) {
      for (const std::uint64_t id : span) sum += id;
    });
    return sum;
  }

  std::vector<double> next_values(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = walk_.next();
    return values;
  }

  std::vector<ChangeGroup::Joiner> joiners_;
  ChangeWalk walk_;
  ChangeWalk scan_walk_;
  ChangeScan scan_;
  ChangeGroup group_{ChangeGroupOptions{}};
  Firing firing_;
  std::int64_t now_ = 0;
  double fired_share_ = 0;
};

// Repetitions of a benchmark share its case.
Case& shared_case(std::size_t count) {
  static std::map<std::size_t, std::unique_ptr<Case>> cases;
  auto& made = cases[count];
  if (!made) made = std::make_unique<Case>(count);
  return *made;
}

void BM_ChangeWalk(benchmark::State& state) {
  Case& walk = shared_case(static_cast<std::size_t>(state.range(0)));
  double decided = kInfinity;
  double listed = kInfinity;
  double scanned = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    decided = std::min(decided, walk.decide());
    const double seconds = walk.list();
    listed = std::min(listed, seconds);
    scanned = std::min(scanned, walk.scan());
    state.SetIterationTime(seconds * kReadingCount);
  }
  state.counters["decide_us"] = decided * 1e6;
  state.counters["list_us"] = listed * 1e6;
  state.counters["scan_us"] = scanned * 1e6;
  state.counters["x_scan"] = scanned / listed;
  state.counters["fired_percent"] = walk.fired_share() * 100;
  state.counters["pieces"] = static_cast<double>(walk.piece_count());
}
BENCHMARK(BM_ChangeWalk)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(10'000)
    ->Arg(1'000'000);

// Deciding with a million subscribers, to deciding with ten thousand, on the same readings.
void BM_ChangeDecide(benchmark::State& state) {
  static Case small(10'000);
  static Case large(1'000'000);
  double of_small = kInfinity;
  double of_large = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    of_small = std::min(of_small, small.decide());
    const double seconds = large.decide();
    of_large = std::min(of_large, seconds);
    state.SetIterationTime(seconds * kReadingCount);
  }
  state.counters["x_small"] = of_large / of_small;
}
BENCHMARK(BM_ChangeDecide)->UseManualTime()->Unit(benchmark::kMillisecond);

// Nobody fires for a value close to what everybody has just been told. One source, no keys.
void BM_ChangeQuiet(benchmark::State& state) {
  const auto joiners = change_joiners(static_cast<std::size_t>(state.range(0)));
  ThresholdIndex index;
  std::vector<Position> positions;
  for (const ChangeGroup::Joiner& joiner : joiners)
    positions.push_back({joiner.threshold, joiner.id});
  index.assign(positions);
  ChangeSource source(Movement{}, ChangeTiming{});
  source.pieces().append(index.at(index.begin()), PieceState());
  source.pieces().refresh();
  PieceMap::Pieces scratch;
  Firing firing;
  source.update(100, base::Instant{0}, index, scratch, firing);
  ChangeScan scan(joiners, 100);
  std::vector<std::uint64_t> ids;
  double best = kInfinity;
  double scanned = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = base::seconds_of([&] {
      for (std::size_t i = 0; i < kQuietCount; ++i) {
        source.update(i % 2 == 0 ? 100.005 : 99.995, base::Instant{1}, index, scratch, firing);
        benchmark::ClobberMemory();
      }
    });
    best = std::min(best, seconds / kQuietCount);
    scanned = std::min(scanned, base::seconds_of([&] { scan.update(100.005, ids); }));
    state.SetIterationTime(seconds);
  }
  WEIR_CHECK(source.counters().quiet + 1 == source.counters().updates && ids.empty());
  state.counters["quiet_ns"] = best * 1e9;
  state.counters["scan_us"] = scanned * 1e6;
  state.counters["x_scan"] = scanned / best;
}
BENCHMARK(BM_ChangeQuiet)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);

// The slowest readings of many, listed.
void BM_ChangeTail(benchmark::State& state) {
  Case& walk = shared_case(1'000'000);
  double p999 = kInfinity;
  double worst = kInfinity;
  double scanned = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    const std::vector<double> all = walk.latencies(10 * kReadingCount);
    p999 = std::min(p999, all[all.size() - all.size() / 1000]);
    worst = std::min(worst, all.back());
    scanned = std::min(scanned, walk.scan());
    state.SetIterationTime(std::accumulate(all.begin(), all.end(), 0.0));
  }
  state.counters["p999_us"] = p999 * 1e6;
  state.counters["worst_us"] = worst * 1e6;
  state.counters["p999_vs_scan"] = p999 / scanned;
}
BENCHMARK(BM_ChangeTail)->UseManualTime()->Unit(benchmark::kMillisecond);

// Somebody joins a source that is read, and is known to it; is delivered the next reading; leaves.
void BM_ChangeJoin(benchmark::State& state) {
  constexpr std::size_t kCount = 10'000;
  const auto count = static_cast<std::size_t>(state.range(0));
  Case walk(count);
  walk.update(0);
  walk.update(100);
  base::Prng prng(3);
  double joining = kInfinity;
  double delivering = kInfinity;
  double leaving = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    std::vector<ChangeGroup::Joiner> joiners;
    for (std::size_t i = 0; i < kCount; ++i) {
      joiners.push_back({count + i, 0.01 * std::pow(1000, prng.fraction())});
    }
    const double seconds = base::seconds_of([&] {
      for (const ChangeGroup::Joiner& joiner : joiners) {
        walk.group().join(joiner);
        benchmark::DoNotOptimize(walk.group().last(joiner.id, joiner.threshold, "source"));
      }
    });
    walk.update(100);
    WEIR_CHECK(walk.firing().id_count == kCount);
    leaving = std::min(leaving, base::seconds_of([&] {
                                  for (const ChangeGroup::Joiner& joiner : joiners) {
                                    walk.group().leave(joiner.id, joiner.threshold);
                                    walk.update(100);
                                  }
                                }) / kCount);
    delivering = std::min(delivering, base::seconds_of([&] {
                                        for (const ChangeGroup::Joiner& joiner : joiners) {
                                          walk.group().join(joiner);
                                          walk.update(100);
                                        }
                                      }) / kCount);
    for (const ChangeGroup::Joiner& joiner : joiners) {
      walk.group().leave(joiner.id, joiner.threshold);
    }
    joining = std::min(joining, seconds / kCount);
    state.SetIterationTime(seconds);
  }
  state.counters["join_us"] = joining * 1e6;
  state.counters["join_and_deliver_us"] = delivering * 1e6;
  state.counters["leave_us"] = leaving * 1e6;
  state.counters["bytes_beyond_id"] =
      static_cast<double>(walk.group().memory_bytes()) / static_cast<double>(walk.group().size()) -
      sizeof(std::uint64_t);
}
BENCHMARK(BM_ChangeJoin)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);

// A million joined at another value than their neighbours, a million pieces: nobody fires, a few
// do, somebody joins.
void BM_ChangeManyPieces(benchmark::State& state) {
  constexpr std::size_t kCount = 1'000'000;
  ChangeGroup group{ChangeGroupOptions{}};
  Firing firing;
  const auto update = [&](double value) {
    group.update("source", value, base::Instant{0}, nullptr, firing);
  };
  for (std::uint64_t id = 0; id < kCount; ++id)
    group.join({2 * id, 10 + 1e-6 * static_cast<double>(2 * id)});
  update(100);
  for (std::uint64_t id = 0; id < kCount; ++id) {
    group.join({2 * id + 1, 10 + 1e-6 * static_cast<double>(2 * id + 1)});
  }
  update(101);
  const auto pieces = static_cast<double>(group.piece_count());
  double quiet = kInfinity;
  double joining = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    constexpr std::size_t kRounds = 1000;
    const double seconds = base::seconds_of([&] {
      for (std::size_t i = 0; i < kRounds; ++i) update(i % 2 == 0 ? 100.2 : 100.7);
    });
    quiet = std::min(quiet, seconds / kRounds);
    joining = std::min(joining, base::seconds_of([&] {
                                  for (std::uint64_t i = 0; i < kRounds; ++i) {
                                    const double c = 10 + 2e-3 * static_cast<double>(i);
                                    group.join({3 * kCount + i, c});
                                    update(100.5);
                                  }
                                }) / kRounds);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      group.leave(3 * kCount + i, 10 + 2e-3 * static_cast<double>(i));
    }
    update(100.5);
    state.SetIterationTime(seconds);
  }
  state.counters["pieces"] = pieces;
  state.counters["quiet_ns"] = quiet * 1e9;
  state.counters["join_us"] = joining * 1e6;
}
BENCHMARK(BM_ChangeManyPieces)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->Repetitions(1);

// Pieces at most in ten million readings, and what the last tenth of them costs, to the first.
void BM_ChangeTenMillion(benchmark::State& state) {
  constexpr std::size_t kRounds = 10'000'000 / kReadingCount;
  const auto count = static_cast<std::size_t>(state.range(0));
  Case walk(count);
  std::size_t most = 0;
  for ([[maybe_unused]] auto _ : state) {
    double seconds = 0;
    double first = 0;
    double last = 0;
    for (std::size_t i = 0; i < kRounds; ++i) {
      const double round = walk.decide() * kReadingCount;
      seconds += round;
      if (i < kRounds / 10) first += round;
      if (i >= kRounds - kRounds / 10) last += round;
      most = std::max(most, walk.piece_count());
    }
    state.SetIterationTime(seconds);
    state.counters["late_vs_early"] = last / first;
  }
  state.counters["pieces_max"] = static_cast<double>(most);
  state.counters["pieces_per_subscriber"] = static_cast<double>(most) / static_cast<double>(count);
}
BENCHMARK(BM_ChangeTenMillion)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(1)
    ->Arg(1'000);

// Time over the number of subscribers of one source, for the curve.
void BM_ChangeThoroughSubscribers(benchmark::State& state) {
  Case walk(static_cast<std::size_t>(state.range(0)));
  double decided = kInfinity;
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = walk.decide();
    decided = std::min(decided, seconds);
    state.SetIterationTime(seconds * kReadingCount);
  }
  state.counters["decide_us"] = decided * 1e6;
  state.counters["list_us"] = walk.list() * 1e6;
  state.counters["pieces"] = static_cast<double>(walk.piece_count());
}
BENCHMARK(BM_ChangeThoroughSubscribers)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(4'000'000);

// Time over the number of sources that a hundred subscribers have, read at random.
void BM_ChangeThoroughSources(benchmark::State& state) {
  const auto source_count = static_cast<std::size_t>(state.range(0));
  ChangeGroup group{ChangeGroupOptions{}};
  group.join_all(change_joiners(100));
  std::vector<ChangeWalk> walks;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < source_count; ++i) {
    walks.emplace_back(i);
    keys.push_back(std::to_string(i));
  }
  Firing firing;
  base::Prng prng(9);
  std::int64_t now = 0;
  for (std::size_t i = 0; i < source_count; ++i) {
    group.update(keys[i], walks[i].next(), base::Instant{++now}, nullptr, firing);
  }
  for ([[maybe_unused]] auto _ : state) {
    std::vector<std::pair<std::size_t, double>> readings;
    for (std::size_t i = 0; i < kReadingCount; ++i) {
      const std::size_t source = prng.below(source_count);
      readings.emplace_back(source, walks[source].next());
    }
    state.SetIterationTime(base::seconds_of([&] {
      for (const auto& [source, value] : readings) {
        group.update(keys[source], value, base::Instant{++now}, nullptr, firing);
      }
    }));
  }
  state.counters["bytes_per_source"] =
      static_cast<double>(group.memory_bytes()) / static_cast<double>(source_count);
}
BENCHMARK(BM_ChangeThoroughSources)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(1)
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(1'000'000);

}  // namespace
}  // namespace weir::match
