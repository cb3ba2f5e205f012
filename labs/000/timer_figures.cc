// SPDX-License-Identifier: Apache-2.0
// Figures 9(a) to 9(d): what equal timers tell of a duplicate.
#include <algorithm>
#include <array>

#include "000/figures.h"
#include "000/window_stream.h"
#include "bloom/timer_bloom.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using bloom::SliceKind;

constexpr std::uint32_t kWindowSlots = 1000;
constexpr double kTarget = 0.05;

// A sliding filter in slices. A vertical one has the cells and so the answers of a single filter.
class SlicedTimers {
 public:
  SlicedTimers(const bloom::SlicePlanOptions& options, std::uint32_t equal_min) {
    const std::uint32_t count = options.kind == SliceKind::kHorizontal ? options.slice_count : 1;
    const bloom::BloomShape shape{std::max<std::uint64_t>(1, options.shape.cell_count / count),
                                  options.shape.probe_count};
    const bloom::TimerOptions timers{
        .within = slots(kWindowSlots), .tick = slots(1), .equal_min = equal_min};
    for (std::uint32_t i = 0; i < count; ++i) slices_.emplace_back(shape, timers);
  }

  bloom::TimerBloom& slice_of(std::uint64_t key) {
    constexpr std::uint64_t kSliceSeed = 0x5851F42D4C957F2DU;
    return slices_[bloom::reduce(bloom::mix(key ^ kSliceSeed), slices_.size())];
  }

 private:
  std::vector<bloom::TimerBloom> slices_;
};

struct EqualShare {
  std::array<Rate, kThresholdProbeCount + 1> true_duplicates;  // by equal timers
};

struct TimerRun {
  EqualShare shares;
  Judgement judgement;
};

TimerRun run(const Workload& workload, const bloom::SlicePlanOptions& options,
             std::uint32_t equal_min, std::uint32_t repetition) {
  TimerRun result;
  SlicedTimers filter(options, equal_min);
  DeliveredWindow delivered(kWindowSlots);
  const SlotPlan plan = steady_slots(workload.events.size());
  for (std::size_t i = 0; i < workload.events.size(); ++i) {
    const std::uint64_t key = rekeyed(workload.events[i].key, repetition);
    const std::uint32_t slot = plan.slot_of(i);
    const bool is_distinct = delivered.is_distinct(key, slot);
    bloom::TimerBloom& slice = filter.slice_of(key);
    const std::uint32_t equal_count = slice.equal_count(key, at_slot(slot));
    if (equal_count > 0) result.shares.true_duplicates[equal_count].add(!is_distinct);
    const bool said_distinct = slice.first_test_then_set(key, at_slot(slot));
    if (said_distinct) delivered.deliver(key, slot);
    result.judgement.add(said_distinct, is_distinct);
  }
  return result;
}

bloom::SlicePlanOptions options_for(const Workload& workload, SliceKind kind) {
  const SlotPlan plan = steady_slots(workload.events.size());
  const std::size_t key_count = distinct_in_window_max(workload, plan, kWindowSlots);
  return {.kind = kind,
          .shape = shape_for(key_count, kTarget, kThresholdProbeCount),
          .slice_count = kSiteCount};
}

constexpr std::uint32_t kRepetitionCountMax = 3;

}  // namespace

bool write_equal_shares(const Lab& lab) {
  CsvFile csv(lab.directory, "equal_shares", "kind,equal,duplicates,true_share");
  const Workload& workload = lab.web_logs[0];
  for (const SliceKind kind : {SliceKind::kHorizontal, SliceKind::kVertical}) {
    EqualShare sum;
    const bloom::SlicePlanOptions options = options_for(workload, kind);
    for (std::uint32_t i = 0; i < std::min(lab.repetition_count, kRepetitionCountMax); ++i) {
      const EqualShare shares = run(workload, options, 0, i).shares;
      for (std::size_t j = 0; j < shares.true_duplicates.size(); ++j) {
        sum.true_duplicates[j].hit_count += shares.true_duplicates[j].hit_count;
        sum.true_duplicates[j].trial_count += shares.true_duplicates[j].trial_count;
      }
    }
    for (std::size_t j = 1; j < sum.true_duplicates.size(); ++j) {
      csv.row(name_of(kind), j, sum.true_duplicates[j].trial_count, sum.true_duplicates[j].value());
    }
  }
  return csv.ok();
}

bool write_equal_threshold(const Lab& lab) {
  CsvFile csv(lab.directory, "equal_threshold",
              "kind,distinct_up_to,false_positives,false_negatives");
  const Workload& workload = lab.web_logs[0];
  for (const SliceKind kind : {SliceKind::kHorizontal, SliceKind::kVertical}) {
    const bloom::SlicePlanOptions options = options_for(workload, kind);
    // With at most so many equal timers an event is distinct; 0: timers are not compared.
    for (std::uint32_t up_to = 0; up_to < kThresholdProbeCount; ++up_to) {
      double false_positives = 0;
      double false_negatives = 0;
      const std::uint32_t count = std::min(lab.repetition_count, kRepetitionCountMax);
      for (std::uint32_t i = 0; i < count; ++i) {
        const Judgement judgement = run(workload, options, up_to + 1, i).judgement;
        false_positives += judgement.false_positives.value() / count;
        false_negatives += judgement.false_negatives.value() / count;
      }
      csv.row(name_of(kind), up_to, false_positives, false_negatives);
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
