// SPDX-License-Identifier: Apache-2.0
#include "match/content/subscription_table.h"

#include <utility>

namespace weir::match::content {

bool SubscriptionTable::add(SubscriptionId id, RecordRef record) {
  const std::uint64_t number = id.value / kPageSize;
  if (last_page_ == nullptr || number != last_number_) {
    auto& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    last_page_ = page.get();
    last_number_ = number;
  }
  RecordRef& place = last_page_->records[id.value % kPageSize];
  if (place != kNoId) return false;
  place = record;
  ++last_page_->used_count;
  ++size_;
  return true;
}

RecordRef* SubscriptionTable::find(SubscriptionId id) {
  const auto page = pages_.find(id.value / kPageSize);
  if (page == pages_.end()) return nullptr;
  RecordRef& place = page->second->records[id.value % kPageSize];
  return place == kNoId ? nullptr : &place;
}

void SubscriptionTable::prefetch(SubscriptionId id) const {
  const auto page = pages_.find(id.value / kPageSize);
  if (page != pages_.end()) __builtin_prefetch(&page->second->records[id.value % kPageSize]);
}

RecordRef SubscriptionTable::remove(SubscriptionId id) {
  const auto page = pages_.find(id.value / kPageSize);
  if (page == pages_.end()) return kNoId;
  const RecordRef record = std::exchange(page->second->records[id.value % kPageSize], kNoId);
  if (record == kNoId) return kNoId;
  --size_;
  if (--page->second->used_count == 0) {
    if (page->second.get() == last_page_) last_page_ = nullptr;
    pages_.erase(page);
  }
  return record;
}

std::size_t SubscriptionTable::memory_bytes() const {
  using Entry = decltype(pages_)::value_type;
  constexpr double kHashBytes = 16.0 / 15.0;  // beside each place of the hash table
  constexpr std::size_t kHeapBytes = 8;       // before each page
  return sizeof *this + pages_.size() * (sizeof(Page) + kHeapBytes) +
         static_cast<std::size_t>(static_cast<double>(pages_.bucket_count()) *
                                  (sizeof(Entry) + kHashBytes));
}

}  // namespace weir::match::content
