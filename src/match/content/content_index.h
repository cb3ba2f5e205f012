// SPDX-License-Identifier: Apache-2.0
// ContentIndex: conjunctions, compiled, and which of them hold for an event.
//
// Watches how often events lead to conjunctions in vain. If much of that could be spared by other
// doors, since the stream is no longer what it was, a new placement is begun and all conjunctions
// are moved there, a few with every event: nothing stops. Single-threaded.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/prng.h"
#include "match/content/column_samples.h"
#include "match/content/event_values.h"
#include "match/content/extras.h"
#include "match/content/placement.h"
#include "match/content/record_store.h"
#include "match/content/row_kernels.h"
#include "match/content/spec_compiler.h"
#include "match/content/vocabulary.h"
#include "match/matcher.h"
#include "match/work_budget.h"

namespace weir::match::content {

class ContentIndex {
 public:
  // Without a meter no work is counted.
  ContentIndex(bloom::Isa isa, const WorkMeter* meter);
  ContentIndex(const ContentIndex&) = delete;
  ContentIndex& operator=(const ContentIndex&) = delete;

  struct Entry {
    Match match;
    // Must have been compiled here; the entry owns what it holds.
    std::span<const CodeTest> tests;
    std::unique_ptr<Extra> extra = {};
    RecordRef next = kNoId;  // of the subscription
  };
  // Appends to the batch what is to be added. Doors are chosen with it in mind from now on.
  void compile(SubscriptionId id, const filter::FilterPtr& filter, SpecBatch& batch);
  RecordRef add(Entry entry);
  // What is added in between, about so many, is placed together, which is faster. Nothing else may
  // be done then.
  void begin_bulk(std::size_t count);
  void end_bulk();
  // The filter is paid for by whom the meter names, as long as it is there: from before its first
  // record comes until its last one is gone.
  void add_work(SubscriptionId id, const filter::Filter& filter);
  void remove_work(SubscriptionId id);
  // A record of which nothing matches, for a filter without conjunctions.
  RecordRef add_empty(SubscriptionId id);
  // Gives the subscription's next record, or kNoId.
  RecordRef remove(RecordRef record);

  // Appends the matches in any order; one for each conjunction.
  void match(const event::Event& event, filter::Scorer& scorer, std::vector<Match>& matches);

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const RecordStore& records() const { return records_; }
  const MatchCounters& counters() const { return counters_; }
  // How many conjunctions are reached in that way, and how many of them by a test of a point.
  std::size_t count(DoorChoice::Kind kind) const;
  std::size_t count_by_point() const;
  // Points and operands may be used by many; the rest is of the conjunctions.
  std::size_t memory_bytes() const;

 private:
  void learn(std::span<const CodeTest> tests);
  bool holds(RecordRef record, filter::Scorer& scorer) const;
  bool holds_extra(RecordRef record, filter::Scorer& scorer) const;
  bool is_tied(RecordRef record) const;
  bool is_paid(RecordRef record, const Extra& extra, std::uint64_t cost) const;
  bool has_all_doors(const Extra& extra) const;
  void collect(Placement& placement, std::size_t& count);
  void observe();
  void adapt();
  bool is_worth_moving();
  void begin_moving();
  void move_some();
  Placement& side_of(RecordRef record);

  Vocabulary vocabulary_;
  SpecCompiler compiler_;
  RecordStore records_;
  Extras extras_;
  ColumnSamples samples_;
  EventValues values_;
  RowKernel kernel_;
  // Where conjunctions are placed now, and those that were placed before and are to move.
  std::unique_ptr<Placement> placement_;
  std::unique_ptr<Placement> old_;
  std::vector<Match> always_;
  std::vector<RecordRef> always_records_;  // of the same places
  std::size_t never_count_ = 0;

  bool is_bulk_ = false;

  std::vector<RecordRef> reached_;  // of the event at hand; as long as it ever was
  mutable std::vector<CodeTest> tests_;
  base::Prng prng_{0};
  double ratio_sum_ = 0;
  std::size_t ratio_count_ = 0;
  bool has_moved_ = false;  // and what that left is not known yet
  double left_by_move_ = 1;
  MatchCounters counters_;
  const WorkMeter* meter_;
  struct ArrayUse {
    WorkBudget* payer = nullptr;
    std::vector<SlotId> slots = {};
  };
  boost::unordered_flat_map<std::uint64_t, ArrayUse> array_uses_;  // by subscription
};

}  // namespace weir::match::content
