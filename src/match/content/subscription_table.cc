// SPDX-License-Identifier: Apache-2.0
#include "match/content/subscription_table.h"

#include <utility>

namespace weir::match::content {

// Where the subscription is; if it is not there, where it could be: at a place that is free.
std::size_t SubscriptionTable::place_in(const Part& part, Tag tag, SubscriptionId id) const {
  const std::size_t size = part.tags.size();
  std::size_t place = place_of(tag, size);
  for (; part.tags[place] != kFree; place = place + 1 == size ? 0 : place + 1) {
    if (part.tags[place] == tag && records_.subscription(part.records[place]) == id) break;
  }
  return place;
}

bool SubscriptionTable::add(SubscriptionId id, RecordRef record) {
  const std::uint64_t hash_of_id = hash(id);
  Part& part = parts_[part_of(hash_of_id)];
  if (part.taken + 1 > part.tags.size() / 5 * 4) make_room(part);
  const Tag tag = tag_of(hash_of_id);
  const std::size_t place = place_in(part, tag, id);
  if (part.tags[place] != kFree) return false;
  part.tags[place] = tag;
  part.records[place] = record;
  ++part.taken;
  ++part.used;
  ++size_;
  return true;
}

RecordRef SubscriptionTable::remove(SubscriptionId id) {
  const std::uint64_t hash_of_id = hash(id);
  Part& part = parts_[part_of(hash_of_id)];
  if (part.used == 0) return kNoId;
  const std::size_t place = place_in(part, tag_of(hash_of_id), id);
  if (part.tags[place] == kFree) return kNoId;
  part.tags[place] = kGone;
  --part.used;
  --size_;
  return part.records[place];
}

// Larger by a quarter than what is in use needs; what is gone makes room too.
void SubscriptionTable::make_room(Part& part) {
  constexpr std::size_t kSizeMin = 20;
  const std::size_t size = kSizeMin + part.used / 4 * 6;
  Part larger{.tags = std::vector<Tag>(size),
              .records = std::vector<RecordRef>(size),
              .taken = part.used,
              .used = part.used};
  for (std::size_t i = 0; i < part.tags.size(); ++i) {
    if (part.tags[i] <= kGone) continue;
    std::size_t place = place_of(part.tags[i], size);
    while (larger.tags[place] != kFree) place = place + 1 == size ? 0 : place + 1;
    larger.tags[place] = part.tags[i];
    larger.records[place] = part.records[i];
  }
  part = std::move(larger);
}

std::size_t SubscriptionTable::memory_bytes() const {
  std::size_t bytes = sizeof *this;
  for (const Part& part : parts_) bytes += part.tags.capacity() * (sizeof(RecordRef) + sizeof(Tag));
  return bytes;
}

}  // namespace weir::match::content
