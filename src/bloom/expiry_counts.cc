// SPDX-License-Identifier: Apache-2.0
#include "bloom/expiry_counts.h"

#include <algorithm>

#include "base/check.h"

namespace weir::bloom {
namespace {

constexpr std::size_t kEntryCountMin = 8;

bool is_before(std::uint64_t tick, std::uint64_t other) {
  return static_cast<std::int64_t>(tick - other) < 0;
}

}  // namespace

// Most ticks have an entry, so that the distance to the first one often is the index.
std::vector<ExpiryCounts::Entry>::iterator ExpiryCounts::find(std::uint64_t tick) {
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(head_);
  if (begin == entries_.end() || !is_before(begin->tick, tick)) return begin;
  const std::uint64_t distance = tick - begin->tick;
  auto end = entries_.end();
  if (distance < static_cast<std::uint64_t>(end - begin)) {
    end = begin + static_cast<std::ptrdiff_t>(distance);
    if (end->tick == tick) return end;
  }
  return std::lower_bound(begin, end, tick, [](const Entry& entry, std::uint64_t value) {
    return is_before(entry.tick, value);
  });
}

void ExpiryCounts::add(std::uint64_t tick) {
  if (!empty() && entries_.back().tick == tick) {
    ++entries_.back().count;
    return;
  }
  auto entry = find(tick);
  if (entry != entries_.end() && entry->tick == tick) {
    ++entry->count;
    return;
  }
  if (entries_.size() == entries_.capacity()) {
    make_room();
    entry = find(tick);
  }
  entries_.insert(entry, {tick, 1});
}

void ExpiryCounts::remove(std::uint64_t tick) {
  const auto entry = find(tick);
  WEIR_CHECK(entry != entries_.end() && entry->tick == tick && entry->count > 0);
  --entry->count;
}

std::uint64_t ExpiryCounts::expire(std::uint64_t tick) {
  std::uint64_t count = 0;
  while (head_ < entries_.size() && !is_before(tick, entries_[head_].tick)) {
    count += entries_[head_++].count;
  }
  if (empty()) {
    entries_.clear();
    head_ = 0;
  }
  return count;
}

// Room comes from what is over or was removed, and only if that is little from more memory.
void ExpiryCounts::make_room() {
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  std::erase_if(entries_, [](const Entry& entry) { return entry.count == 0; });
  if (entries_.size() > entries_.capacity() / 2 || entries_.capacity() == 0) {
    entries_.reserve(std::max(kEntryCountMin, 2 * entries_.capacity()));
  }
}

void ExpiryCounts::assign(std::span<const std::uint64_t> ticks) {
  entries_.clear();
  head_ = 0;
  for (const std::uint64_t tick : ticks) {
    if (entries_.empty() || entries_.back().tick != tick) entries_.push_back({tick, 0});
    ++entries_.back().count;
  }
}

}  // namespace weir::bloom
