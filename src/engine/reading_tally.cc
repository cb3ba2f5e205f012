// SPDX-License-Identifier: Apache-2.0
#include "engine/reading_tally.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/hash.h"

namespace weir::engine {

std::size_t ReadingTally::KindHash::operator()(const Kind& kind) const {
  const auto bytes = std::as_bytes(std::span(kind));
  return static_cast<std::size_t>(base::hash_bytes(
      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
}

void ReadingTally::count(std::span<const StreamNumber> read, std::span<const StreamNumber> unread) {
  if (read.empty() && unread.empty()) return;
  kind_.assign(read.begin(), read.end());
  kind_.push_back(kUnread);
  kind_.insert(kind_.end(), unread.begin(), unread.end());
  const auto known = kinds_.find(kind_);
  ++counts_[known != kinds_.end() ? known->second : add_kind(read, unread)];
}

std::uint32_t ReadingTally::add_kind(std::span<const StreamNumber> read,
                                     std::span<const StreamNumber> unread) {
  const auto kind = static_cast<std::uint32_t>(counts_.size());
  counts_.push_back(0);
  kinds_.emplace(kind_, kind);
  for (const StreamNumber stream : read) list(stream, {kind, true});
  for (const StreamNumber stream : unread) list(stream, {kind, false});
  return kind;
}

void ReadingTally::list(StreamNumber stream, Entry entry) {
  if (stream >= entries_.size()) entries_.resize(std::size_t{stream} + 1);
  entries_[stream].push_back(entry);
  ++entry_count_;
}

ReadingTally::Counts ReadingTally::of(std::span<const StreamNumber> streams) const {
  std::vector<Entry> found;
  for (const StreamNumber stream : streams) {
    if (stream >= entries_.size()) continue;
    found.insert(found.end(), entries_[stream].begin(), entries_[stream].end());
  }
  std::ranges::sort(found, {},
                    [](const Entry& entry) { return std::tuple(entry.kind, !entry.is_read); });
  const auto repeated = std::ranges::unique(found, {}, &Entry::kind);
  found.erase(repeated.begin(), repeated.end());
  Counts counts;
  for (const Entry& entry : found) {
    (entry.is_read ? counts.readings : counts.no_value) += counts_[entry.kind];
  }
  return counts;
}

void ReadingTally::clear() {
  kinds_.clear();
  counts_.clear();
  entries_.clear();
  entry_count_ = 0;
}

std::size_t ReadingTally::memory_bytes() const {
  std::size_t bytes = kinds_.bucket_count() * (sizeof(*kinds_.begin()) + 1) +
                      counts_.capacity() * sizeof(std::uint64_t) +
                      entries_.capacity() * sizeof(std::vector<Entry>);
  bytes += (entry_count_ + counts_.size()) * sizeof(StreamNumber);  // the kinds themselves
  for (const auto& list : entries_) bytes += list.capacity() * sizeof(Entry);
  return bytes;
}

}  // namespace weir::engine
