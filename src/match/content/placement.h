// SPDX-License-Identifier: Apache-2.0
// Placement: where each conjunction is looked for: its rows in buckets, and what leads to them.
//
//   event -> points           -> a bucket each        -+
//         -> cells of numbers -> a few buckets each    +-> rows, by their signatures -> records
//         -> the unindexed, always                    -+
//
// A conjunction is reached through its rarest door: a point that the event must have, one of
// several, or a range. Its row carries a signature of its two rarest other tests. What is rare is
// judged when the conjunction is placed, by the events seen lately or, before there are any, by
// what filters ask for. When that changes, conjunctions are moved to a new placement one by one.
//
// Columns get their lanes and grids as they are needed, the first 63 of them; a grid made from
// little is followed by a better one for those who come later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/growing_array.h"
#include "match/content/column_samples.h"
#include "match/content/event_values.h"
#include "match/content/extras.h"
#include "match/content/grid.h"
#include "match/content/range_door.h"
#include "match/content/record_store.h"
#include "match/content/row_lot.h"
#include "match/content/row_store.h"
#include "match/content/spec.h"
#include "match/content/vocabulary.h"

namespace weir::match::content {

// What a placement works on, and other placements too.
struct PlacementContext {
  const Vocabulary& vocabulary;
  const ColumnSamples& samples;
  const Extras& extras;
  RecordStore& records;
};

class Placement {
 public:
  // Records that stand here are marked as of that side, 0 or 1. It suits as many records as there
  // are now, and some more.
  Placement(const PlacementContext& context, unsigned side);
  // Requires a record that stands nowhere, with these tests.
  void add(RecordRef record, std::span<const CodeTest> tests);
  // About so many records are to be added, before anything else is done: their rows are written
  // together, which is faster.
  void begin_bulk(std::size_t record_count);
  void end_bulk();
  // Requires a record that stands here, with these tests.
  void remove(RecordRef record, std::span<const CodeTest> tests);
  // Asks for what that touches, for a remove() some steps later. Requires a door that is a test.
  void prefetch_remove(RecordRef record, std::span<const CodeTest> tests);
  // Some record that stands here; kNoId if there is none. For emptying a placement to which
  // nothing is added any more.
  RecordRef last();

  // Finds the buckets that the event leads to and gives the number of their rows.
  std::size_t find_rows(const EventValues& values);
  // Writes the records of those rows whose signatures let the event through, and gives their
  // number. There must be room for all, and kRecordPadCount more.
  std::size_t scan(RowKernel kernel, RecordRef* records) const;
  // The record of one of the rows found; kNoId if there are not so many.
  RecordRef record_at(std::size_t row_index) const;

  // The parts of all events that lead to a record as it stands, and as it would in a placement that
  // were begun now.
  struct Shares {
    float now;
    float best;
  };
  Shares shares(RecordRef record, std::span<const CodeTest> tests) const;

  // How many records are reached in that way.
  std::size_t count(DoorChoice::Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  std::size_t count_by_point() const { return by_point_count_; }
  unsigned side() const { return side_; }
  // Whether there are so many more records now that another placement would suit them better.
  bool is_outgrown() const;
  std::size_t found_row_count() const { return found_row_count_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kGridCountMax = 2;
  struct GridDoor {
    Grid grid;
    RangeDoor door = {};
    std::uint8_t lane = kOpenLane;
    std::size_t sample_count = 0;

    RangeGroup group_of(const CodeTest& test) const {
      const auto [low, high] = grid.cells(test.low, test.high());
      return RangeGroup::of(low, high);
    }
  };
  struct Column {
    std::uint8_t lane = kOpenLane;  // of points
    BucketId any = kNoId;           // of all ranges, as long as they are few or there is no grid
    std::uint32_t any_count = 0;
    bool is_sorted = false;  // ranges are reached by grids
    std::vector<GridDoor> grids = {};
    bool has_last_grid = false;
  };
  // What is known of one test. A share above 1 is that of a test that is of no use: it is neither
  // of a point nor a range.
  static constexpr float kNoShare = 2;
  struct Judged {
    std::uint8_t grid = 0;   // of a range: the last of its column, plus 1; 0: there is none
    std::uint8_t door = 0;   // of a range: by which it would be reached, as in DoorChoice
    Grid::Cells cells = {};  // of a range in that grid; of a point its byte, twice
    std::uint8_t lane = kOpenLane;
    float share = kNoShare;       // of the events that fulfil it
    float door_share = kNoShare;  // of the events that lead to it, if it is a door
  };
  // If there are fewer tests, the rest is of no use: loops that are mostly as long are foreseen.
  static constexpr std::size_t kJudgedCountMin = 6;
  struct Choice {
    DoorChoice door;
    float share;
  };
  struct PointLane {
    ColumnId column;
    std::uint8_t lane;
  };

  const Column* find_column(ColumnId id) const {
    return id < columns_.size() ? columns_[id].get() : nullptr;
  }
  Column& column(ColumnId id) {
    return id < columns_.size() && columns_[id] ? *columns_[id] : make_column(id);
  }
  Column& make_column(ColumnId id);
  // Whether an event may have several codes there, so that no signature can tell of it.
  bool is_many(ColumnId id) const { return context_.vocabulary.operands().is_many(slot_of(id)); }
  void improve_grid(ColumnId id);
  std::uint8_t take_lane(ColumnId id);

  Judged judge(const CodeTest& test) const;
  void judge_all(std::span<const CodeTest> tests) const;
  float share_of_door(const CodeTest& test, std::uint8_t grid) const;
  float share_with_new_grid(const CodeTest& test) const;
  float share_of_points(const DoorChoice& door, const Extra& extra) const;
  float share_now(const DoorChoice& door, std::span<const CodeTest> tests,
                  const Extra* extra) const;
  Choice choose(const Extra* extra) const;
  LaneTest lane_test(const CodeTest& test, const Judged& judged);
  std::uint8_t point_lane(ColumnId id);
  Row row_of(RecordRef record, std::span<const CodeTest> tests, const Choice& choice);
  DoorChoice place(RecordRef record, std::span<const CodeTest> tests);
  std::uint32_t put(BucketId bucket, const Row& row);

  static std::span<const PointId> points_of(const DoorChoice& door, const Extra& extra);
  BucketId& point_bucket(PointId point);
  BucketId& test_bucket(const CodeTest& test, std::uint8_t grid);
  BucketId& chosen_bucket(const CodeTest& test, const Judged& judged);
  BucketId existing(BucketId& bucket);
  void count_by_test(const CodeTest& test, std::uint8_t grid, std::uint32_t by);
  void sort_if_many(ColumnId id);
  void remove_row(BucketId& bucket, std::uint32_t place);
  void set_place(RecordRef record, BucketId bucket, std::uint32_t place);
  void find_many(const EventValues& values);
  void add_found(BucketId bucket) {
    found_.push_back(bucket);
    rows_.prefetch_bucket(bucket);
  }

  PlacementContext context_;
  unsigned side_;
  std::size_t suited_count_;  // of records
  RowStore rows_;
  base::GrowingArray<BucketId> point_buckets_;    // by point
  std::vector<std::unique_ptr<Column>> columns_;  // by column
  std::vector<PointLane> point_lanes_;
  std::uint8_t lane_count_ = 0;
  BucketId unindexed_ = kNoId;
  std::array<std::size_t, DoorChoice::kKindCount> counts_{};
  std::uint32_t by_point_count_ = 0;         // records whose door is a test of a point
  std::optional<std::size_t> emptied_from_;  // buckets from here on are empty; for last()
  mutable std::vector<Judged> judged_;       // the tests of the record at hand; at first
  mutable std::size_t judged_count_ = 0;     // so many
  std::optional<RowLot> lot_;                // of the rows added in bulk

  // Of the event at hand.
  std::array<std::uint8_t, kLaneCount> bytes_{};
  std::vector<BucketId> found_;
  std::vector<BucketId> many_found_;  // by the codes of one column
  std::size_t found_row_count_ = 0;
};

}  // namespace weir::match::content
