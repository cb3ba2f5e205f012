// SPDX-License-Identifier: Apache-2.0
// SubscriptionTable: the first record of each subscription, by its id.
//
// Ids are mostly given one after the other, so they are kept in pages of 32 side by side, and the
// pages in a hash table. About six bytes per subscription where all of a page are in use, 150 where
// each has a page of its own. A page goes with its last subscription.
#pragma once

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "match/content/ids.h"
#include "match/matcher.h"

namespace weir::match::content {

class SubscriptionTable {
 public:
  // False, and no change, if the subscription is there already.
  bool add(SubscriptionId id, RecordRef record);
  // Its record, which may be exchanged for another; null if there is none.
  RecordRef* find(SubscriptionId id);
  // For a find() some steps later.
  void prefetch(SubscriptionId id) const;
  // Gives its record; kNoId if there is none.
  RecordRef remove(SubscriptionId id);

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kPageSize = 32;
  struct Page {
    std::array<RecordRef, kPageSize> records;
    std::uint32_t used_count = 0;

    Page() { std::ranges::fill(records, kNoId); }
  };

  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by id / kPageSize
  // Where a subscription was added last; null: unknown.
  Page* last_page_ = nullptr;
  std::uint64_t last_number_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::match::content
