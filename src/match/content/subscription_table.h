// SPDX-License-Identifier: Apache-2.0
// SubscriptionTable: the first record of each subscription, by the id that stands in it.
//
// A hash table of records with linear probing, and 16 bits of each hash beside them: so hardly ever
// a record is looked at in vain, and none when the table grows. In 64 parts, each of which grows by
// a quarter of its size: so growing takes well below a millisecond at a million subscriptions, and
// little is ever unused. About eight bytes per subscription.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "match/content/ids.h"
#include "match/content/record_store.h"

namespace weir::match::content {

class SubscriptionTable {
 public:
  explicit SubscriptionTable(const RecordStore& records) : records_(records) {}

  // False, and no change, if the subscription is there already.
  bool add(SubscriptionId id, RecordRef record);
  // Gives its record; kNoId if there is none.
  RecordRef remove(SubscriptionId id);

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kPartCount = 64;
  using Tag = std::uint16_t;
  static constexpr Tag kFree = 0;
  static constexpr Tag kGone = 1;  // was in use: what is behind it is looked for on

  struct Part {
    std::vector<Tag> tags;
    std::vector<RecordRef> records;
    std::size_t taken = 0;  // places that are not free
    std::size_t used = 0;   // of these, not gone
  };

  static std::uint64_t hash(SubscriptionId id) { return base::Prng(id.value).next(); }
  static std::size_t part_of(std::uint64_t hash) { return hash % kPartCount; }
  static Tag tag_of(std::uint64_t hash) {
    return static_cast<Tag>(std::max<std::uint64_t>(hash >> 48U, kGone + 1));
  }
  static std::size_t place_of(Tag tag, std::size_t size) { return tag * size >> 16U; }
  static void make_room(Part& part);
  std::size_t place_in(const Part& part, Tag tag, SubscriptionId id) const;

  const RecordStore& records_;
  std::array<Part, kPartCount> parts_;
  std::size_t size_ = 0;
};

}  // namespace weir::match::content
