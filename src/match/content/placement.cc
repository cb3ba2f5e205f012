// SPDX-License-Identifier: Apache-2.0
#include "match/content/placement.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::match::content {
namespace {

using Kind = DoorChoice::Kind;

// Up to so many ranges of a column are looked at together. A grid leads to about as many blocks,
// which lie apart.
constexpr std::uint32_t kUnsortedCountMax = 4 * kBlockRowsMax;

std::uint8_t byte_of(Code point) { return static_cast<std::uint8_t>(point * 0x9E3779B1U >> 24U); }

// Less is rarer, and of two that are as rare the first: so the rarest are found without a branch,
// which is hard to foresee. Of a share that is not below 0.
std::uint64_t rank_of(float share, std::size_t index) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(share)} << 32U | index;
}
float share_of_rank(std::uint64_t rank) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(rank >> 32U));
}
std::size_t index_of_rank(std::uint64_t rank) { return rank & 0xFFU; }

}  // namespace

Placement::Placement(const PlacementContext& context, unsigned side)
    : context_(context), side_(side), suited_count_(context.records.size()) {}

bool Placement::is_outgrown() const {
  constexpr std::size_t kSpare = 4096;
  constexpr std::size_t kGrowth = 8;
  return context_.records.size() > kSpare + kGrowth * suited_count_;
}

Placement::Column& Placement::make_column(ColumnId id) {
  if (id >= columns_.size()) columns_.resize(id + 1);
  columns_[id] = std::make_unique<Column>();
  return *columns_[id];
}

std::uint8_t Placement::take_lane(ColumnId id) {
  if (lane_count_ == kOpenLane) return kOpenLane;
  if (kind_of(id) == ColumnKind::kPoint) point_lanes_.push_back({id, lane_count_});
  return lane_count_++;
}

// Makes the first grid when a little is known about the column, another one when much more is.
void Placement::improve_grid(ColumnId id) {
  constexpr std::size_t kSampleCountMin = 32;
  constexpr std::size_t kSampleGrowth = 16;
  Column& at = column(id);
  const ColumnSamples::Sample sample = context_.samples.sample(id);
  const std::size_t sample_count = sample.codes.size();
  const std::size_t wanted =
      at.grids.empty() ? kSampleCountMin : at.grids.back().sample_count * kSampleGrowth;
  if (sample_count < std::min(wanted, ColumnSamples::kSampleCountMax)) return;
  const Grid::Sample kind = sample.of_events ? Grid::Sample::kEvents : Grid::Sample::kBounds;
  at.grids.push_back({.grid = Grid(sample.codes, kind),
                      .lane = is_many(id) ? kOpenLane : take_lane(id),
                      .sample_count = sample_count});
  at.has_last_grid =
      at.grids.size() == kGridCountMax || sample_count >= ColumnSamples::kSampleCountMax;
}

Placement::Judged Placement::judge(const CodeTest& test) const {
  Judged judged;
  const Column* const at = find_column(test.column);
  if (test.is_point()) {
    judged.share = context_.vocabulary.points().share(test.low - kPointCodeMin);
    judged.door_share = judged.share;
    judged.cells = {byte_of(test.low), byte_of(test.low)};
    if (at != nullptr) judged.lane = at->lane;
    return judged;
  }
  if (!test.is_range()) return judged;
  if (at == nullptr || at->grids.empty()) {
    constexpr float kUnknown = 0.5;
    judged.share = kUnknown;
    judged.door_share = 1;
    return judged;
  }
  const Grid& grid = at->grids.back().grid;
  judged.grid = static_cast<std::uint8_t>(at->grids.size());
  judged.door = at->is_sorted || at->any_count >= kUnsortedCountMax ? judged.grid : 0;
  judged.cells = grid.cells(test.low, test.high());
  judged.lane = at->grids.back().lane;
  judged.share = grid.share(judged.cells.low, judged.cells.high);
  if (is_many(test.column)) {
    judged.lane = kOpenLane;
    judged.share = kNoShare;
  }
  const RangeGroup group = RangeGroup::of(judged.cells.low, judged.cells.high);
  judged.door_share = grid.share(group.first_cell(), group.last_cell());
  return judged;
}

void Placement::judge_all(std::span<const CodeTest> tests) const {
  judged_count_ = std::max(tests.size(), kJudgedCountMin);
  if (judged_.size() < judged_count_) judged_.resize(judged_count_);
  for (std::size_t i = 0; i < tests.size(); ++i) judged_[i] = judge(tests[i]);
  for (std::size_t i = tests.size(); i < judged_count_; ++i) judged_[i] = {};
}

// Of the events that lead to a test by one of its column's grids. Few ranges that are sorted by
// none cost no more than if they were.
float Placement::share_of_door(const CodeTest& test, std::uint8_t grid) const {
  if (test.is_point()) return context_.vocabulary.points().share(test.low - kPointCodeMin);
  const Column& at = *find_column(test.column);
  if (grid == 0 && at.grids.empty()) return 1;
  const GridDoor& door = grid == 0 ? at.grids.back() : at.grids[grid - 1];
  const RangeGroup group = door.group_of(test);
  return door.grid.share(group.first_cell(), group.last_cell());
}

// Of the events that would lead to a range if there were a grid of the events seen lately, at most:
// up to four times those in the range, and those of some cells at its ends.
float Placement::share_with_new_grid(const CodeTest& test) const {
  constexpr float kGroupPerRange = 4;
  constexpr float kEnds = 4.0F / Grid::kCellCountMax;
  const ColumnSamples::Sample sample = context_.samples.sample(test.column);
  if (!sample.of_events) return 1;
  const auto inside =
      std::ranges::count_if(sample.codes, [&](Code code) { return test.holds(code); });
  const float share = static_cast<float>(inside) / static_cast<float>(sample.codes.size());
  return std::min(1.0F, kGroupPerRange * share + kEnds);
}

std::span<const PointId> Placement::points_of(const DoorChoice& door, const Extra& extra) {
  const Door& points = extra.doors[door.index];
  return std::span(extra.points).subspan(points.points_begin, points.point_count);
}

float Placement::share_of_points(const DoorChoice& door, const Extra& extra) const {
  float sum = 0;
  for (const PointId point : points_of(door, extra)) {
    sum += context_.vocabulary.points().share(point);
  }
  return std::min(sum, 1.0F);
}

float Placement::share_now(const DoorChoice& door, std::span<const CodeTest> tests,
                           const Extra* extra) const {
  if (door.kind == Kind::kTest) return share_of_door(tests[door.index], door.grid);
  return door.kind == Kind::kExtra ? share_of_points(door, *extra) : 1;
}

// Requires that the tests are judged.
Placement::Choice Placement::choose(const Extra* extra) const {
  Choice best{{.kind = Kind::kUnindexed}, std::numeric_limits<float>::infinity()};
  std::uint64_t rarest = rank_of(kNoShare, 0);
  for (std::size_t i = 0; i < judged_count_; ++i) {
    rarest = std::min(rarest, rank_of(judged_[i].door_share, i));
  }
  if (rarest < rank_of(kNoShare, 0)) {
    const std::size_t index = index_of_rank(rarest);
    best = {{Kind::kTest, static_cast<std::uint8_t>(index), judged_[index].door},
            share_of_rank(rarest)};
  }
  const std::size_t door_count =
      extra == nullptr ? 0 : std::min<std::size_t>(extra->doors.size(), 255);
  for (std::size_t i = 0; i < door_count; ++i) {
    const DoorChoice door{Kind::kExtra, static_cast<std::uint8_t>(i)};
    const float share = share_of_points(door, *extra);
    if (share < best.share) best = {door, share};
  }
  if (best.door.kind == Kind::kUnindexed) best.share = 1;
  return best;
}

// A column gets a lane for its points when the first of them is in a signature.
std::uint8_t Placement::point_lane(ColumnId id) {
  Column& at = column(id);
  if (at.lane == kOpenLane) at.lane = take_lane(id);
  return at.lane;
}

LaneTest Placement::lane_test(const CodeTest& test, const Judged& judged) {
  std::uint8_t lane = judged.lane;
  if (lane == kOpenLane && test.is_point()) lane = point_lane(test.column);
  if (lane == kOpenLane) return {};
  const auto [low, high] = judged.cells;
  return {lane, low, static_cast<std::uint8_t>(high - low)};
}

// The signature is of the two tests that are rarest among the events that lead here. Requires that
// the tests are judged; how rare the door is, is judged anew.
Row Placement::row_of(RecordRef record, std::span<const CodeTest> tests, const Choice& choice) {
  if (choice.door.kind == Kind::kTest) {
    float& share = judged_[choice.door.index].share;
    if (tests[choice.door.index].is_point()) {
      share = kNoShare;
    } else if (choice.door.grid > 0) {
      share = std::min(1.0F, share / choice.share);
    }
  }
  const std::uint64_t common = rank_of(1, 0);
  std::uint64_t rarest = common;
  std::uint64_t next = common;
  for (std::size_t i = 0; i < judged_count_; ++i) {
    const std::uint64_t rank = rank_of(judged_[i].share, i);
    next = std::min(next, std::max(rarest, rank));
    rarest = std::min(rarest, rank);
  }
  Row row{.tests = {}, .record = record};
  const auto test_at = [&](std::uint64_t rank) {
    const std::size_t index = index_of_rank(rank);
    return rank < common ? lane_test(tests[index], judged_[index]) : LaneTest{};
  };
  row.tests[0] = test_at(rarest);
  row.tests[1] = test_at(next);
  return row;
}

BucketId& Placement::point_bucket(PointId point) {
  if (point >= point_buckets_.size()) point_buckets_.extend(point + 1, kNoId);
  return point_buckets_[point];
}

BucketId& Placement::test_bucket(const CodeTest& test, std::uint8_t grid) {
  if (test.is_point()) return point_bucket(test.low - kPointCodeMin);
  Column& at = column(test.column);
  if (grid == 0) return at.any;
  GridDoor& door = at.grids[grid - 1];
  return door.door.bucket(door.group_of(test));
}

// The bucket of a test by the grid that was chosen for it, if any.
BucketId& Placement::chosen_bucket(const CodeTest& test, const Judged& judged) {
  if (judged.door == 0) return test_bucket(test, 0);
  RangeDoor& door = columns_[test.column]->grids.back().door;
  return door.bucket(RangeGroup::of(judged.cells.low, judged.cells.high));
}

// The bucket, made if there is none yet.
BucketId Placement::existing(BucketId& bucket) {
  if (bucket == kNoId) bucket = rows_.make_bucket();
  return bucket;
}

DoorChoice Placement::place(RecordRef record, std::span<const CodeTest> tests) {
  for (const CodeTest& test : tests) {
    if (test.is_range() && !column(test.column).has_last_grid) improve_grid(test.column);
  }
  RecordStore& records = context_.records;
  Extra* const extra = context_.extras.find(records, record);
  judge_all(tests);
  const Choice choice = choose(extra);
  const Row row = row_of(record, tests, choice);
  const DoorChoice& door = choice.door;
  ++counts_[static_cast<std::size_t>(door.kind)];
  records.set_place(record, door, side_);
  switch (door.kind) {
    case Kind::kTest: {
      count_by_test(tests[door.index], door.grid, 1);
      BucketId& bucket = chosen_bucket(tests[door.index], judged_[door.index]);
      records.set_row(record, put(existing(bucket), row));
      break;
    }
    case Kind::kExtra:
      for (const PointId point : points_of(door, *extra)) {
        extra->rows.push_back(put(existing(point_bucket(point)), row));
      }
      break;
    default:
      records.set_row(record, put(existing(unindexed_), row));
  }
  return door;
}

// Gives the row's place in the bucket, also if it is written later.
std::uint32_t Placement::put(BucketId bucket, const Row& row) {
  if (!lot_) return rows_.add(bucket, row);
  if (lot_->is_full()) lot_->write_to(rows_);
  return lot_->add(bucket, row, rows_);
}

void Placement::count_by_test(const CodeTest& test, std::uint8_t grid, std::uint32_t by) {
  if (test.is_point()) {
    by_point_count_ += by;
  } else if (grid == 0) {
    column(test.column).any_count += by;
  }
}

void Placement::add(RecordRef record, std::span<const CodeTest> tests) {
  const DoorChoice door = place(record, tests);
  if (door.kind == Kind::kTest && !lot_) sort_if_many(tests[door.index].column);
}

// Few ranges are looked at all together; more are sorted by the grid.
void Placement::sort_if_many(ColumnId id) {
  Column& at = column(id);
  if (at.is_sorted || at.grids.empty() || at.any_count < kUnsortedCountMax) return;
  at.is_sorted = true;
  std::vector<CodeTest> tests;
  while (at.any != kNoId) {
    const RecordRef record = rows_.record_at(at.any, rows_.row_count(at.any) - 1);
    context_.records.read_tests(record, tests);
    remove(record, tests);
    add(record, tests);
  }
}

void Placement::begin_bulk(std::size_t record_count) {
  suited_count_ = std::max(suited_count_, context_.records.size() + record_count);
  // A lot looks at all buckets: a few rows are written at once.
  constexpr std::size_t kBucketsPerRowMax = 8;
  if (rows_.bucket_bound() <= kBucketsPerRowMax * record_count) lot_.emplace(record_count);
}

void Placement::end_bulk() {
  if (!lot_) return;
  lot_->write_to(rows_);
  lot_.reset();
  for (ColumnId id = 0; id < columns_.size(); ++id) {
    if (columns_[id]) sort_if_many(id);
  }
}

void Placement::remove(RecordRef record, std::span<const CodeTest> tests) {
  RecordStore& records = context_.records;
  const DoorChoice door = records.door(record);
  --counts_[static_cast<std::size_t>(door.kind)];
  switch (door.kind) {
    case Kind::kTest:
      count_by_test(tests[door.index], door.grid, -1U);
      return remove_row(test_bucket(tests[door.index], door.grid), records.row(record));
    case Kind::kExtra: {
      Extra* const extra = context_.extras.find(records, record);
      const auto points = points_of(door, *extra);
      for (std::size_t i = 0; i < points.size(); ++i) {
        remove_row(point_buckets_[points[i]], extra->rows[i]);
      }
      return extra->rows.clear();
    }
    default:
      remove_row(unindexed_, records.row(record));
  }
}

void Placement::prefetch_remove(RecordRef record, std::span<const CodeTest> tests) {
  const DoorChoice door = context_.records.door(record);
  rows_.prefetch_remove(test_bucket(tests[door.index], door.grid), context_.records.row(record));
}

void Placement::remove_row(BucketId& bucket, std::uint32_t place) {
  const RecordRef moved = rows_.remove(bucket, place);
  if (moved != kNoId) set_place(moved, bucket, place);
  if (rows_.row_count(bucket) > 0) return;
  rows_.drop_bucket(bucket);
  bucket = kNoId;
}

// Tells a record that its row in the bucket has another place now.
void Placement::set_place(RecordRef record, BucketId bucket, std::uint32_t place) {
  const DoorChoice door = context_.records.door(record);
  if (door.kind != Kind::kExtra) return context_.records.set_row(record, place);
  Extra* const extra = context_.extras.find(context_.records, record);
  const auto points = points_of(door, *extra);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (point_buckets_[points[i]] == bucket) extra->rows[i] = place;
  }
}

RecordRef Placement::last() {
  if (!emptied_from_) emptied_from_ = rows_.bucket_bound();
  while (*emptied_from_ > 0) {
    const auto bucket = static_cast<BucketId>(*emptied_from_ - 1);
    if (rows_.row_count(bucket) > 0) return rows_.record_at(bucket, rows_.row_count(bucket) - 1);
    --*emptied_from_;
  }
  return kNoId;
}

std::size_t Placement::find_rows(const EventValues& values) {
  found_row_count_ = 0;
  // Without a branch on whether there is a bucket, which is hard to foresee.
  found_.resize(values.points().size());
  std::size_t count = 0;
  for (const PointId point : values.points()) {
    if (point >= point_buckets_.size()) continue;
    found_[count] = point_buckets_[point];
    count += point_buckets_[point] != kNoId ? 1U : 0U;
  }
  found_.resize(count);
  for (const BucketId bucket : found_) rows_.prefetch_bucket(bucket);
  for (const ColumnId id : values.ordered_columns()) {
    Column* const at = id < columns_.size() ? columns_[id].get() : nullptr;
    if (at == nullptr) continue;
    if (at->any != kNoId) add_found(at->any);
    for (GridDoor& door : at->grids) {
      const std::uint8_t cell = door.grid.cell(values.code(id));
      door.grid.count(cell);
      if (door.lane != kOpenLane) bytes_[door.lane] = cell;
      door.door.for_each_bucket(cell, [&](BucketId bucket) { add_found(bucket); });
    }
  }
  if (!values.many_columns().empty()) find_many(values);
  for (const PointLane& at : point_lanes_) bytes_[at.lane] = byte_of(values.code(at.column));
  if (unindexed_ != kNoId) add_found(unindexed_);
  for (const BucketId bucket : found_) found_row_count_ += rows_.prefetch(bucket);
  return found_row_count_;
}

// Several codes of a column may lead to one bucket, which is looked at once.
void Placement::find_many(const EventValues& values) {
  for (const ManyValues::Column& column : values.many_columns()) {
    Column* const at = column.id < columns_.size() ? columns_[column.id].get() : nullptr;
    if (at == nullptr) continue;
    many_found_.clear();
    if (at->any != kNoId) many_found_.push_back(at->any);
    for (GridDoor& door : at->grids) {
      std::optional<std::uint8_t> last;
      for (const Code code : column.codes) {
        const std::uint8_t cell = door.grid.cell(code);
        if (last == cell) continue;
        last = cell;
        door.grid.count(cell);
        door.door.for_each_bucket(cell, [&](BucketId bucket) { many_found_.push_back(bucket); });
      }
    }
    std::ranges::sort(many_found_);
    const auto repeated = std::ranges::unique(many_found_);
    many_found_.erase(repeated.begin(), repeated.end());
    for (const BucketId bucket : many_found_) add_found(bucket);
  }
}

std::size_t Placement::scan(RowKernel kernel, RecordRef* records) const {
  std::size_t count = 0;
  for (const BucketId bucket : found_) {
    count += rows_.scan(bucket, kernel, bytes_.data(), records + count);
  }
  return count;
}

RecordRef Placement::record_at(std::size_t row_index) const {
  for (const BucketId bucket : found_) {
    const std::size_t count = rows_.row_count(bucket);
    if (row_index < count) {
      return rows_.record_at(bucket, static_cast<std::uint32_t>(row_index));
    }
    row_index -= count;
  }
  return kNoId;
}

Placement::Shares Placement::shares(RecordRef record, std::span<const CodeTest> tests) const {
  const Extra* const extra = context_.extras.find(context_.records, record);
  const float now = share_now(context_.records.door(record), tests, extra);
  judge_all(tests);
  const Choice choice = choose(extra);
  // Of several that seem rare the rarest is rarely that rare.
  const bool is_by_points =
      choice.door.kind == Kind::kExtra ||
      (choice.door.kind == Kind::kTest && tests[choice.door.index].is_point());
  const float doubt = is_by_points ? context_.vocabulary.points().doubt(choice.share) : 0;
  float best = std::min(now, choice.share + doubt);
  for (const CodeTest& test : tests) {
    if (test.is_range()) best = std::min(best, share_with_new_grid(test));
  }
  return {now, best};
}

std::size_t Placement::memory_bytes() const {
  std::size_t bytes = sizeof *this + rows_.memory_bytes() + point_buckets_.memory_bytes() +
                      base::heap_bytes(columns_) + base::heap_bytes(point_lanes_) +
                      base::heap_bytes(judged_) + base::heap_bytes(found_) +
                      base::heap_bytes(many_found_);
  for (const auto& column : columns_) {
    if (!column) continue;
    bytes += base::heap_bytes(sizeof *column) + base::heap_bytes(column->grids);
    for (const GridDoor& grid : column->grids) bytes += grid.door.memory_bytes();
  }
  return bytes;
}

}  // namespace weir::match::content
