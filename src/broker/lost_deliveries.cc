// SPDX-License-Identifier: Apache-2.0
#include "broker/lost_deliveries.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/resent_letters.h"
#include "store/findings.h"
#include "store/log_examiner.h"

namespace weir::broker {

base::Result<LostDeliveryFinder::Numbers> LostDeliveryFinder::Numbers::from(
    const store::CursorRow& cursor) {
  auto beyond = NumberRanges::decode(cursor.settled_beyond, cursor.settled_through);
  if (!beyond) return beyond.error();
  Numbers numbers;
  numbers.settled_through_ = numbers.noted_through_ = cursor.settled_through;
  numbers.beyond_ = *std::move(beyond);
  return numbers;
}

void LostDeliveryFinder::Numbers::take(std::uint64_t number, bool is_event_lost,
                                       bool is_skipped_lost) {
  if (number <= noted_through_) return;
  for (std::uint64_t one = noted_through_ + 1; is_skipped_lost && one < number; ++one) lose(one);
  noted_through_ = number;
  if (is_event_lost) lose(number);
}

void LostDeliveryFinder::Numbers::lose(std::uint64_t number) {
  if (number <= settled_through_ || beyond_.contains(number)) return;
  if (!lost_.empty() && lost_.back().second + 1 == number) {
    lost_.back().second = number;
  } else {
    lost_.emplace_back(number, number);
  }
}

base::Result<void> LostDeliveryFinder::read(store::FileSystem& files,
                                            const std::filesystem::path& log) {
  if (auto prepared = prepare(); !prepared) return prepared;
  store::Findings findings;
  const auto examined = store::examine_log(
      files, log,
      [this](const std::string& file, std::uint64_t offset_bytes, const store::RecordView& record) {
        take(file, offset_bytes, record);
      },
      findings);
  if (!examined) return examined.error();
  if (unreadable_) return *unreadable_;
  return {};
}

base::Result<void> LostDeliveryFinder::prepare() {
  std::map<std::uint64_t, std::uint64_t> scans;
  for (const store::SubscriptionRow& row : contents_.subscriptions) {
    numbers_.emplace(row.number, Numbers());
    scans[row.number] = row.since_sequence;
  }
  for (const store::CursorRow& cursor : contents_.cursors) {
    auto numbers = Numbers::from(cursor);
    if (!numbers) return numbers.error();
    numbers_.insert_or_assign(cursor.subscription, *std::move(numbers));
    scans[cursor.subscription] = cursor.scan_sequence;
  }
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [number, scan] : scans) begin = std::min(begin, scan);
  noted_sequence_ = std::max<std::uint64_t>(begin, 1) - 1;
  return {};
}

std::vector<LostDeliveries> LostDeliveryFinder::deliveries() const {
  std::vector<LostDeliveries> lost;
  for (const store::SubscriptionRow& row : contents_.subscriptions) {
    const auto& ranges = numbers_.at(row.number).lost();
    if (!ranges.empty()) lost.push_back({row.number, row.id, ranges});
  }
  return lost;
}

std::vector<LostNotes> LostDeliveryFinder::notes() const {
  std::vector<LostNotes> lost;
  std::uint64_t told = 0;  // through this event
  const auto add = [&](LostNotes gap, std::uint64_t last) {
    gap.first_sequence = std::max(gap.first_sequence, told + 1);
    gap.last_sequence = std::min(gap.last_sequence, last);
    if (gap.first_sequence > gap.last_sequence) return;
    lost.push_back(gap);
    told = gap.last_sequence;
  };
  for (LostNotes gap : gaps_) {
    add(gap, noted_sequence_);
    gap.is_of_states_only = true;
    add(gap, contents_.checkpoint_sequence);
  }
  return lost;
}

void LostDeliveryFinder::take(const std::string& file, std::uint64_t offset_bytes,
                              const store::RecordView& record) {
  // Oldest segments that are missing leave no record in their place.
  if (!std::exchange(has_begun_, true)) {
    has_gap_ = std::ranges::any_of(
        records_, [&](const store::LostRecords& lost) { return lost.file < file; });
  }
  switch (record.kind) {
    case store::RecordKind::kEvent:
      last_sequence_ = record.sequence;
      break;
    case store::RecordKind::kNote:
      take_notes(record);
      break;
    case store::RecordKind::kLost:
      last_sequence_ = record.sequence - 1;
      if (!is_new_gap(file, offset_bytes)) break;
      has_gap_ = true;
      gaps_.push_back({.first_sequence = noted_sequence_ + 1, .last_sequence = last_sequence_});
      break;
  }
}

// Notes that belong together count when the last of them is there.
void LostDeliveryFinder::take_notes(const store::RecordView& record) {
  auto note = decode_match_note(record.payload);
  if (!note) {
    unreadable_ = note.error();
    return;
  }
  const bool is_partial = note->partial;
  const bool is_complete = note->complete;
  partial_.push_back(*std::move(note));
  if (is_partial) return;
  for (const MatchNote& one : partial_) {
    for (const NotedMatch& match : one.matches) take_match(match);
  }
  partial_.clear();
  if (is_complete) noted_sequence_ = std::max(noted_sequence_, record.sequence);
}

void LostDeliveryFinder::take_match(const NotedMatch& match) {
  const auto found = numbers_.find(match.subscription);
  if (found != numbers_.end()) found->second.take(match.delivery, is_lost(match), has_gap_);
}

// A group lives as long as its newest event.
bool LostDeliveryFinder::is_lost(const NotedMatch& match) const {
  const std::uint64_t newest = std::ranges::max(match.sequences);
  return !is_letter(newest) && std::ranges::any_of(records_, [&](const store::LostRecords& lost) {
    return newest >= lost.first_sequence && newest < lost.next_sequence;
  });
}

bool LostDeliveryFinder::is_new_gap(const std::string& file, std::uint64_t offset_bytes) const {
  return std::ranges::any_of(records_, [&](const store::LostRecords& lost) {
    return lost.file == file && lost.offset_bytes == offset_bytes;
  });
}

}  // namespace weir::broker
