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

void ReadingTally::count(std::span<const match::SourceNumber> read,
                         std::span<const match::SourceNumber> unread) {
  if (read.empty() && unread.empty()) return;
  kind_.assign(read.begin(), read.end());
  kind_.push_back(kUnread);
  kind_.insert(kind_.end(), unread.begin(), unread.end());
  const auto known = kinds_.find(kind_);
  ++counts_[known != kinds_.end() ? known->second : add_kind(read, unread)];
}

std::uint32_t ReadingTally::add_kind(std::span<const match::SourceNumber> read,
                                     std::span<const match::SourceNumber> unread) {
  const auto kind = static_cast<std::uint32_t>(counts_.size());
  counts_.push_back(0);
  kinds_.emplace(kind_, kind);
  for (const match::SourceNumber source : read) list(source, {kind, true});
  for (const match::SourceNumber source : unread) list(source, {kind, false});
  return kind;
}

void ReadingTally::list(match::SourceNumber source, Entry entry) {
  if (source >= entries_.size()) entries_.resize(std::size_t{source} + 1);
  entries_[source].push_back(entry);
  ++entry_count_;
}

ReadingTally::Counts ReadingTally::of(std::span<const match::SourceNumber> sources) const {
  std::vector<Entry> found;
  for (const match::SourceNumber source : sources) {
    if (source >= entries_.size()) continue;
    found.insert(found.end(), entries_[source].begin(), entries_[source].end());
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
  bytes += (entry_count_ + counts_.size()) * sizeof(match::SourceNumber);  // the kinds themselves
  for (const auto& list : entries_) bytes += list.capacity() * sizeof(Entry);
  return bytes;
}

}  // namespace weir::engine
