// SPDX-License-Identifier: Apache-2.0
// Figures 10(a) to 10(f) and 11: how many filters a growing window has under bursts, and how often
// it errs.
//
// The first filter is sized from the distinct keys in a window before the burst. Two ways, since
// the paper does not say which: `own` for each window, `common` for the smallest window, of which a
// larger one needs several from the start.
#include <algorithm>
#include <array>

#include "000/figures.h"
#include "000/window_stream.h"
#include "bloom/growing_bloom.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using bloom::GrowthRule;

constexpr std::array<std::uint32_t, 3> kWindows{100, 500, 1000};  // slots
constexpr double kTarget = 0.05;

struct BurstRun {
  GrowthRule rule;
  std::uint32_t window_slots;
  double burst_factor;
  bool own_size;
};

struct Output {
  CsvFile filters;
  CsvFile rates;
};

const char* name_of(GrowthRule rule) {
  return rule == GrowthRule::kDensity ? "density" : "cardinality";
}

bloom::GrowingBloom<bloom::TimerBloom> make_filter(const Workload& workload, const SlotPlan& plan,
                                                   const BurstRun& run) {
  const std::size_t key_count =
      distinct_in_window_max(workload, plan, run.own_size ? run.window_slots : kWindows[0]);
  return {{.first_shape = shape_for(key_count, kTarget, kProbeCount),
           .stage_false_positive_rate = kTarget,
           .rule = run.rule,
           .factor = 1,
           .stage_count_max = bloom::kStageCountMax},
          {.within = slots(run.window_slots), .tick = slots(1)}};
}

void write_run(const Workload& workload, const BurstRun& run, Output& output) {
  const SlotPlan plan(workload.events.size(), run.burst_factor);
  auto filter = make_filter(workload, plan, run);
  DeliveredWindow delivered(run.window_slots);
  std::array<Judgement, 3> thirds;
  Judgement all;
  std::size_t written_count = 0;
  const char* const sizing = run.own_size ? "own" : "common";
  const auto write_count = [&](std::uint32_t slot) {
    output.filters.row(name_of(run.rule), run.window_slots, run.burst_factor, sizing, slot,
                       filter.stage_count());
    written_count = filter.stage_count();
  };
  for (std::size_t i = 0; i < workload.events.size(); ++i) {
    const std::uint64_t key = workload.events[i].key;
    const std::uint32_t slot = plan.slot_of(i);
    const bool is_distinct = delivered.is_distinct(key, slot);
    const bool said_distinct = filter.first_test_then_set(key, at_slot(slot));
    if (said_distinct) delivered.deliver(key, slot);
    thirds[std::min<std::size_t>(std::size_t{slot} * 3 / plan.slot_count(), 2)].add(said_distinct,
                                                                                    is_distinct);
    all.add(said_distinct, is_distinct);
    if (filter.stage_count() != written_count) write_count(slot);
  }
  write_count(plan.slot_count());
  output.rates.row(name_of(run.rule), run.window_slots, run.burst_factor, sizing,
                   filter.options().first_shape.cell_count, all.false_positives.value(),
                   thirds[0].false_positives.value(), thirds[1].false_positives.value(),
                   thirds[2].false_positives.value(), all.false_negatives.hit_count);
}

}  // namespace

bool write_bursts(const Lab& lab) {
  Output output{{lab.directory, "burst_filters", "rule,window,burst,sizing,slot,filters"},
                {lab.directory, "burst_rates",
                 "rule,window,burst,sizing,cells,false_positives,before,during,after,missed"}};
  for (const GrowthRule rule : {GrowthRule::kDensity, GrowthRule::kCardinality}) {
    for (const std::uint32_t window_slots : kWindows) {
      for (const double burst_factor : {2.0, 5.0}) {
        for (const bool own_size : {true, false}) {
          write_run(lab.web_logs[0], {rule, window_slots, burst_factor, own_size}, output);
        }
      }
    }
  }
  return output.filters.ok() && output.rates.ok();
}

}  // namespace weir::lab
