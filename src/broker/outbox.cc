// SPDX-License-Identifier: Apache-2.0
#include "broker/outbox.h"

#include <algorithm>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::broker {
namespace {

constexpr std::size_t kSettledKeptMin = 64;  // in the list of entries, before it is rewritten
// What a node of a map takes besides its value.
constexpr std::size_t kNodeBytes = 48;
constexpr std::size_t kTextBytes =
    kNodeBytes + sizeof(match::TextFinding) + sizeof(std::shared_ptr<const void>);

std::size_t group_bytes(std::size_t event_count, std::size_t repeated_count) {
  return kNodeBytes + sizeof(std::uint64_t) + 2 * sizeof(std::vector<std::uint64_t>) +
         base::heap_bytes(event_count * sizeof(std::uint64_t)) +
         base::heap_bytes(repeated_count * sizeof(std::uint32_t));
}

// By name and by number.
std::size_t source_bytes(std::string_view source) {
  return 2 * (kNodeBytes + sizeof(std::uint64_t)) + sizeof(std::string) +
         base::heap_bytes(source.size() + 1);
}

}  // namespace

std::uint64_t Outbox::push(std::uint64_t matched_at, const Content& content) {
  const std::uint64_t number = ++last_number_;
  add(number, matched_at, content);
  return number;
}

base::Result<void> Outbox::restore_cursor(const store::CursorRow& row) {
  WEIR_CHECK(last_number_ == 0);
  auto beyond = NumberRanges::decode(row.settled_beyond, row.settled_through);
  if (!beyond) return beyond.error();
  settled_beyond_ = std::move(*beyond);
  charge_.set(measured_bytes());
  if (row.counts.total() != row.settled_through + settled_beyond_.number_count()) {
    return base::Error{base::ErrorId::kStoreCorrupt,
                       "the counts of settled deliveries do not add up", std::nullopt};
  }
  settled_through_ = row.settled_through;
  counts_ = row.counts;
  last_number_ = std::max(settled_through_, settled_beyond_.last());
  position_ = settled_through_;
  sent_through_ = last_number_;
  return {};
}

void Outbox::restore(std::uint64_t number, std::uint64_t matched_at, const Content& content) {
  noted_through_ = std::max(noted_through_, settled_through_);
  if (number <= noted_through_) return;
  for (std::uint64_t lost = noted_through_ + 1; lost < number; ++lost) {
    if (lost <= settled_through_ || settled_beyond_.contains(lost)) continue;
    count(Settled::kExpired);
    mark_settled(lost);
  }
  noted_through_ = number;
  last_number_ = std::max(last_number_, number);
  sent_through_ = last_number_;
  if (number <= settled_through_ || settled_beyond_.contains(number)) return;
  add(number, matched_at, content);
}

void Outbox::add(std::uint64_t number, std::uint64_t matched_at, const Content& content) {
  const auto& [sequences, source, text, text_memory, is_composite, repeated] = content;
  const bool is_group = is_composite || sequences.size() > 1;
  if (options_.policy == OutboxPolicy::kConflate && !is_group && !source.empty()) {
    conflate(source, number);
  }
  if (options_.policy != OutboxPolicy::kBlock) make_room(options_.count_max);
  std::size_t extra_bytes = is_group ? group_bytes(sequences.size(), repeated.size()) : 0;
  if (text) extra_bytes += kTextBytes;
  if (!make_memory(sizeof(Entry) + extra_bytes)) return drop_new(number);
  extra_bytes_ += extra_bytes;
  entries_.push_back({number, matched_at, sequences.front()});
  resent_.add(sequences.front());
  if (is_group) {
    groups_.emplace(number, Group{{sequences.begin(), sequences.end()},  //
                                  {repeated.begin(), repeated.end()}});
  }
  if (text) texts_.emplace(number, Text{text, text_memory});
  ++live_count_;
  charge_.set(measured_bytes());
}

// Whether the account has room for so many more, perhaps because older deliveries were dropped.
bool Outbox::make_memory(std::size_t bytes) {
  if (charge_.bytes() + bytes <= kBytesMin || options_.policy == OutboxPolicy::kBlock) return true;
  while (charge_.try_grow(bytes) != nullptr) {
    if (entries_.empty()) return false;
    settle(entries_.begin(), Settled::kDropped);
    if (charge_.bytes() + bytes <= kBytesMin) return true;
  }
  return true;
}

bool Outbox::lacks_memory() const {
  return options_.memory && charge_.bytes() > kBytesMin && options_.memory->is_exhausted();
}

std::size_t Outbox::measured_bytes() const {
  constexpr std::size_t kRangeBytes = kNodeBytes + 2 * sizeof(std::uint64_t);
  return entries_.size() * sizeof(Entry) + extra_bytes_ +
         settled_beyond_.range_count() * kRangeBytes + bytes_beside_;
}

void Outbox::set_bytes_beside(std::size_t bytes) {
  bytes_beside_ = bytes;
  charge_.set(measured_bytes());
}

void Outbox::set_account(base::MemoryAccount::Ptr memory) {
  options_.memory = memory;
  charge_ = base::MemoryCharge(std::move(memory));
  charge_.set(measured_bytes());
}

// There is no room for it, and nothing left that could give way.
void Outbox::drop_new(std::uint64_t number) {
  if (const auto source = sources_.find(number); source != sources_.end()) forget_source(source);
  count(Settled::kDropped);
  mark_settled(number);
  charge_.set(measured_bytes());
}

void Outbox::forget_source(const std::map<std::uint64_t, Sources::iterator>::iterator& source) {
  extra_bytes_ -= source_bytes(source->second->first);
  newest_.erase(source->second);
  sources_.erase(source);
}

// Settles the delivery of the same source, unless it is on its way already.
void Outbox::conflate(std::string_view source, std::uint64_t number) {
  if (const auto found = newest_.find(source);
      found != newest_.end() && found->second > position_) {
    settle(found->second, Settled::kConflated);
  }
  const auto [newest, is_new] = newest_.try_emplace(std::string(source), number);
  if (is_new) {
    extra_bytes_ += source_bytes(source);
  } else {
    sources_.erase(newest->second);
    newest->second = number;
  }
  sources_.emplace(number, newest);
}

// Drops the oldest until there are fewer than so many.
void Outbox::make_room(std::size_t count_max) {
  while (live_count_ >= count_max && !entries_.empty()) settle(entries_.begin(), Settled::kDropped);
}

bool Outbox::settle(std::uint64_t number, Settled why) {
  const auto entry = std::ranges::lower_bound(entries_, number, {}, &Entry::number);
  if (entry == entries_.end() || entry->number != number || entry->sequence == 0) return false;
  settle(entry, why);
  return true;
}

void Outbox::settle(const Entries::iterator& entry, Settled why) {
  const std::uint64_t number = entry->number;
  if (const auto source = sources_.find(number); source != sources_.end()) forget_source(source);
  if (const auto group = groups_.find(number); group != groups_.end()) {
    extra_bytes_ -= group_bytes(group->second.sequences.size(), group->second.repeated.size());
    groups_.erase(group);
  }
  if (texts_.erase(number) > 0) extra_bytes_ -= kTextBytes;
  resent_.settle(entry->sequence, why == Settled::kAcknowledged || why == Settled::kDeadLetter);
  entry->sequence = 0;
  --live_count_;
  count(why);
  mark_settled(number);
  discard_settled();
  charge_.set(measured_bytes());
}

void Outbox::count(Settled why) {
  switch (why) {
    case Settled::kAcknowledged:
      ++counts_.acknowledged;
      break;
    case Settled::kDropped:
      ++counts_.dropped;
      break;
    case Settled::kExpired:
      ++counts_.expired;
      break;
    case Settled::kConflated:
      ++counts_.conflated;
      break;
    case Settled::kDeadLetter:
      ++counts_.dead_letters;
      break;
    case Settled::kWithheld:
      ++counts_.withheld;
      break;
  }
}

void Outbox::mark_settled(std::uint64_t number) {
  if (number != settled_through_ + 1) return settled_beyond_.insert(number);
  settled_through_ = std::max(number, settled_beyond_.take_from(number + 1));
  position_ = std::max(position_, settled_through_);
}

// Keeps the first entry pending, and the list no longer than it need be.
void Outbox::discard_settled() {
  while (!entries_.empty() && entries_.front().sequence == 0) entries_.pop_front();
  if (entries_.size() - live_count_ <= live_count_ + kSettledKeptMin) return;
  std::erase_if(entries_, [](const Entry& entry) { return entry.sequence == 0; });
}

std::uint64_t Outbox::newest_sequence(const Entry& entry) const {
  if (groups_.empty()) return entry.sequence;
  const auto group = groups_.find(entry.number);
  return group == groups_.end() ? entry.sequence : std::ranges::max(group->second.sequences);
}

OutboxEntry Outbox::shown(const Entry& entry) const {
  const auto group = groups_.find(entry.number);
  const bool is_group = group != groups_.end();
  const auto text = texts_.find(entry.number);
  return {.number = entry.number,
          .matched_at = entry.matched_at,
          .sequences = is_group ? group->second.sequences : std::vector{entry.sequence},
          .text = text == texts_.end() ? match::TextFinding() : text->second.finding,
          .is_group = is_group,
          .repeated = is_group ? group->second.repeated : std::vector<std::uint32_t>(),
          .redelivered = entry.number <= sent_through_};
}

std::vector<OutboxEntry> Outbox::after(std::uint64_t number, std::size_t count_max) const {
  std::vector<OutboxEntry> next;
  auto entry = std::ranges::upper_bound(entries_, number, {}, &Entry::number);
  for (; entry != entries_.end() && next.size() < count_max; ++entry) {
    if (entry->sequence != 0) next.push_back(shown(*entry));
  }
  return next;
}

void Outbox::mark_sent(std::uint64_t through_number) {
  position_ = std::max(position_, through_number);
  sent_through_ = std::max(sent_through_, through_number);
}

std::optional<std::size_t> Outbox::acknowledge(std::uint64_t number) {
  if (number > sent_through_) return std::nullopt;
  const std::size_t before = live_count_;
  while (!entries_.empty() && entries_.front().number <= number) {
    settle(entries_.begin(), Settled::kAcknowledged);
  }
  position_ = std::max(position_, number);
  return before - live_count_;
}

std::size_t Outbox::expire_before(std::uint64_t sequence) {
  std::vector<std::uint64_t> gone;
  for (const Entry& entry : entries_) {
    if (entry.sequence != 0 && newest_sequence(entry) < sequence) gone.push_back(entry.number);
  }
  for (const std::uint64_t number : gone) settle(number, Settled::kExpired);
  return gone.size();
}

void Outbox::set_bounds(OutboxPolicy policy, std::size_t count_max) {
  if (policy != OutboxPolicy::kConflate) {
    while (!sources_.empty()) forget_source(sources_.begin());
  }
  options_.policy = policy;
  options_.count_max = count_max;
  if (policy != OutboxPolicy::kBlock) make_room(count_max + 1);
}

void Outbox::write_cursor(store::CursorRow& row) const {
  row.settled_through = settled_through_;
  row.settled_beyond = settled_beyond_.encode(settled_through_);
  row.counts = counts_;
}

std::optional<OutboxEntry> Outbox::find(std::uint64_t number) const {
  const auto entry = std::ranges::lower_bound(entries_, number, {}, &Entry::number);
  if (entry == entries_.end() || entry->number != number || entry->sequence == 0) {
    return std::nullopt;
  }
  return shown(*entry);
}

std::optional<OutboxEntry> Outbox::oldest() const {
  if (entries_.empty()) return std::nullopt;
  return shown(entries_.front());
}

std::optional<std::uint64_t> Outbox::oldest_matched_at() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.front().matched_at;
}

std::optional<std::uint64_t> Outbox::oldest_sequence() const {
  if (entries_.empty()) return std::nullopt;
  return newest_sequence(entries_.front());
}

}  // namespace weir::broker
