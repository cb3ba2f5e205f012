// SPDX-License-Identifier: Apache-2.0
#include "match/content/content_index.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::match::content {
namespace {

using Kind = DoorChoice::Kind;

}  // namespace

ContentIndex::ContentIndex(bloom::Isa isa, const WorkMeter* meter)
    : compiler_(vocabulary_),
      values_(vocabulary_),
      kernel_(row_kernel(isa)),
      placement_(std::make_unique<Placement>(
          PlacementContext{vocabulary_, samples_, extras_, records_}, 0U)),
      meter_(meter) {}

void ContentIndex::compile(SubscriptionId id, const filter::FilterPtr& filter, SpecBatch& batch) {
  const std::size_t first = batch.tests.size();
  compiler_.compile(id, filter, batch);
  learn(std::span(batch.tests).subspan(first));
}

void ContentIndex::learn(std::span<const CodeTest> tests) {
  for (const CodeTest& test : tests) {
    if (!test.is_range()) continue;
    if (test.low > kOtherCode) samples_.add_bound(test.column, test.low);
    if (test.high() != ~Code{0}) samples_.add_bound(test.column, test.high());
  }
}

RecordRef ContentIndex::add(Entry entry) {
  const bool is_empty_door = entry.extra && std::ranges::any_of(entry.extra->doors, [](auto& door) {
                               return door.point_count == 0;
                             });
  const bool is_always = entry.tests.empty() && !entry.extra;
  const std::uint32_t extra = entry.extra ? extras_.add(std::move(entry.extra)) : kNoId;
  const RecordRef record = records_.add(
      {.match = entry.match, .tests = entry.tests, .extra = extra, .next = entry.next});
  if (is_empty_door) {
    ++never_count_;
  } else if (is_always) {
    records_.set_place(record, {.kind = Kind::kAlways}, 0);
    records_.set_row(record, static_cast<std::uint32_t>(always_.size()));
    always_.push_back(entry.match);
    always_records_.push_back(record);
  } else {
    placement_->add(record, entry.tests);
  }
  return record;
}

void ContentIndex::begin_bulk(std::size_t count) {
  is_bulk_ = true;
  placement_->begin_bulk(count);
}

void ContentIndex::end_bulk() {
  placement_->end_bulk();
  is_bulk_ = false;
}

void ContentIndex::add_work(SubscriptionId id, const filter::Filter& filter) {
  const std::vector<filter::Operand> operands = array_operands(filter);
  if (operands.empty()) return;
  ArrayUse& use = array_uses_[id.value];
  use.payer = meter_ != nullptr ? meter_->payer(id) : nullptr;
  for (const filter::Operand& operand : operands) {
    use.slots.push_back(vocabulary_.acquire_slot(operand));
    values_.add_payer(use.slots.back(), use.payer);
  }
}

void ContentIndex::remove_work(SubscriptionId id) {
  const auto found = array_uses_.find(id.value);
  if (found == array_uses_.end()) return;
  for (const SlotId slot : found->second.slots) {
    values_.remove_payer(slot, found->second.payer);
    vocabulary_.release_slot(slot);
  }
  array_uses_.erase(found);
}

RecordRef ContentIndex::add_empty(SubscriptionId id) {
  ++never_count_;
  return records_.add({.match = {id, 0}, .tests = {}});
}

RecordRef ContentIndex::remove(RecordRef record) {
  WEIR_CHECK(!is_bulk_);
  records_.read_tests(record, tests_);
  const Kind kind = records_.door(record).kind;
  // Its row is fetched while other things are done.
  if (kind == Kind::kTest) side_of(record).prefetch_remove(record, tests_);
  compiler_.release(tests_, extras_.find(records_, record));
  switch (kind) {
    case Kind::kNever:
      --never_count_;
      break;
    case Kind::kAlways: {
      const std::uint32_t row = records_.row(record);
      always_[row] = always_.back();
      always_records_[row] = always_records_.back();
      records_.set_row(always_records_[row], row);
      always_.pop_back();
      always_records_.pop_back();
      break;
    }
    default:
      side_of(record).remove(record, tests_);
  }
  if (records_.has_extra(record)) extras_.remove(records_.extra(record));
  const RecordRef next = records_.next(record);
  records_.remove(record);
  return next;
}

Placement& ContentIndex::side_of(RecordRef record) {
  return records_.side(record) == placement_->side() ? *placement_ : *old_;
}

void ContentIndex::match(const event::Event& event, filter::Scorer& scorer,
                         std::vector<Match>& matches) {
  WEIR_CHECK(!is_bulk_);
  ++counters_.events;
  values_.begin(event);
  std::size_t reached = 0;
  collect(*placement_, reached);
  if (old_) collect(*old_, reached);
  const std::size_t before = matches.size();
  // Records lie all over memory, so they are fetched some steps ahead.
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < std::min(reached, kAhead); ++i) records_.prefetch(reached_[i]);
  for (std::size_t i = 0; i < reached; ++i) {
    if (i + kAhead < reached) records_.prefetch(reached_[i + kAhead]);
    if (holds(reached_[i], scorer)) {
      matches.emplace_back(records_.subscription(reached_[i]), records_.conjunction(reached_[i]));
    }
  }
  matches.insert(matches.end(), always_.begin(), always_.end());
  counters_.verified += reached;
  counters_.matches += matches.size() - before;
  // In this order: the doors that led here must not seem frequent because they just did.
  adapt();
  observe();
}

void ContentIndex::collect(Placement& placement, std::size_t& count) {
  const std::size_t rows = placement.find_rows(values_);
  const std::size_t room = count + rows + kRecordPadCount;
  if (reached_.size() < room) reached_.resize(std::max(room, 2 * reached_.size()));
  const std::size_t passed = placement.scan(kernel_, reached_.data() + count);
  counters_.candidates += rows;
  counters_.signature_rejects += rows - passed;
  count += passed;
}

bool ContentIndex::holds(RecordRef record, filter::Scorer& scorer) const {
  if (!records_.holds(record, values_)) return false;
  return !records_.has_extra(record) || holds_extra(record, scorer);
}

bool ContentIndex::holds_extra(RecordRef record, filter::Scorer& scorer) const {
  Extra& extra = *extras_.find(records_, record);
  // An event may have several points of a door.
  if (std::exchange(extra.event_number, counters_.events) == counters_.events) return false;
  const auto all_hold = [&](const std::vector<Check>& checks) {
    return std::ranges::all_of(checks, [&](const Check& check) {
      if (!is_paid(record, extra, check.steps(values_))) return false;
      std::uint64_t late_steps = 0;
      const bool holds = check.holds(values_, extra.points, scorer, late_steps);
      return is_paid(record, extra, late_steps) && holds;
    });
  };
  if (!extra.tie_checks.empty() && is_tied(record) && !all_hold(extra.tie_checks)) return false;
  return all_hold(extra.checks);
}

// Whoever is reached by one door must have the others as well: so what is paid for does not depend
// on where it is placed.
bool ContentIndex::is_paid(RecordRef record, const Extra& extra, std::uint64_t cost) const {
  if (cost < steps::kFree || meter_ == nullptr) return true;
  WorkBudget* const payer = meter_->payer(records_.subscription(record));
  if (payer == nullptr) return true;
  return has_all_doors(extra) && payer->charge(cost);
}

bool ContentIndex::has_all_doors(const Extra& extra) const {
  return std::ranges::all_of(extra.doors, [&](const Door& door) {
    const auto points = std::span(extra.points).subspan(door.points_begin, door.point_count);
    return std::ranges::any_of(points, [&](PointId point) {
      return std::ranges::find(values_.points(), point) != values_.points().end();
    });
  });
}

bool ContentIndex::is_tied(RecordRef record) const {
  records_.read_tests(record, tests_);
  return std::ranges::any_of(tests_, [&](const CodeTest& test) {
    return !test.is_detail() && test.is_tie(values_.code(test.column));
  });
}

// Lets doors be chosen with this event in mind. One of several will do.
void ContentIndex::observe() {
  constexpr std::uint64_t kEventsPerCount = 4;
  if (counters_.events % kEventsPerCount != 0) return;
  PointIndex& points = vocabulary_.points();
  points.count_event();
  for (const PointId point : values_.points()) points.count(point);
  for (const ColumnId column : values_.ordered_columns()) {
    samples_.add_event(column, values_.code(column));
  }
  for (const ManyValues::Column& column : values_.many_columns()) {
    constexpr std::size_t kCodesPerEventMax = 8;  // about, of all of them alike
    const std::size_t stride = column.codes.size() / kCodesPerEventMax + 1;
    for (std::size_t i = counters_.events % stride; i < column.codes.size(); i += stride) {
      samples_.add_event(column.id, column.codes[i]);
    }
  }
}

void ContentIndex::adapt() {
  constexpr std::uint64_t kEventsPerLook = 16;
  if (old_) {
    move_some();
  } else if (counters_.events % kEventsPerLook == 0) {
    if (placement_->is_outgrown() || is_worth_moving()) begin_moving();
  }
}

// A record among those that the event led to is met as often as events lead to it: so the mean of
// best / now over such records tells what part of all that would be left. It is a guess, and may be
// too good: so the guess right after a move, when there is nothing to gain, is what counts as 1.
bool ContentIndex::is_worth_moving() {
  constexpr std::size_t kSampleCount = 256;
  constexpr double kWorthwhile = 0.8;
  constexpr double kLeftByMoveMin = 0.6;  // less than that is no error of the guess
  constexpr std::size_t kRowsMin = 16;
  const std::size_t rows = placement_->found_row_count();
  if (rows < kRowsMin) return false;
  const RecordRef record = placement_->record_at(prng_.below(rows));
  records_.read_tests(record, tests_);
  const Placement::Shares shares = placement_->shares(record, tests_);
  ratio_sum_ += static_cast<double>(shares.best / shares.now);
  if (++ratio_count_ < kSampleCount) return false;
  const double left = ratio_sum_ / static_cast<double>(ratio_count_);
  ratio_sum_ = 0;
  ratio_count_ = 0;
  if (std::exchange(has_moved_, false)) {
    left_by_move_ = std::max(left, kLeftByMoveMin);
    return false;
  }
  return left <= kWorthwhile * left_by_move_;
}

void ContentIndex::begin_moving() {
  old_ = std::move(placement_);
  placement_ = std::make_unique<Placement>(
      PlacementContext{vocabulary_, samples_, extras_, records_}, 1 - old_->side());
  ++counters_.placements;
}

void ContentIndex::move_some() {
  constexpr int kMovesPerEvent = 64;
  for (int i = 0; i < kMovesPerEvent; ++i) {
    const RecordRef record = old_->last();
    if (record == kNoId) {
      has_moved_ = true;
      return old_.reset();
    }
    records_.read_tests(record, tests_);
    old_->remove(record, tests_);
    placement_->add(record, tests_);
    ++counters_.moves;
  }
}

std::size_t ContentIndex::count(Kind kind) const {
  if (kind == Kind::kNever) return never_count_;
  if (kind == Kind::kAlways) return always_.size();
  return placement_->count(kind) + (old_ ? old_->count(kind) : 0);
}

std::size_t ContentIndex::count_by_point() const {
  return placement_->count_by_point() + (old_ ? old_->count_by_point() : 0);
}

std::size_t ContentIndex::memory_bytes() const {
  return records_.memory_bytes() + extras_.memory_bytes() + samples_.memory_bytes() +
         vocabulary_.memory_bytes() + values_.memory_bytes() + placement_->memory_bytes() +
         (old_ ? old_->memory_bytes() : 0) + base::heap_bytes(always_) +
         base::heap_bytes(always_records_) + base::heap_bytes(reached_) + base::heap_bytes(tests_);
}

}  // namespace weir::match::content
