// SPDX-License-Identifier: Apache-2.0
// PointTable: points by their hashes.
//
// Segments of 512 places with linear probing, found by the first bits of the hash. One that is full
// is split into two, by one bit more: so the table grows a little at a time, and no single addition
// takes long. Segments are not joined again. Hashes that share their first bits, as somebody may
// choose values, make one segment larger instead of the directory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "match/content/ids.h"

namespace weir::match::content {

class PointTable {
 public:
  // Says all of a number or boolean, so that its key need not be looked at.
  struct Entry {
    std::uint64_t bits = 0;  // of the point; of a text its hash
    std::uint32_t kind = 0;  // and slot
    PointId id = kNoId;      // kNoId: free
  };

  PointTable();
  PointTable(const PointTable&) = delete;
  PointTable& operator=(const PointTable&) = delete;

  // The entry with these bits and kind of which is(id) is true; kNoId if there is none.
  template <typename Is>
  PointId find(std::uint64_t hash, std::uint64_t bits, std::uint32_t kind, Is&& is) const {
    const Way& way = way_of(hash);
    for (std::size_t place = hash & way.mask;; place = (place + 1) & way.mask) {
      const Entry& entry = way.entries[place];
      if (entry.id == kNoId) return kNoId;
      if (entry.bits == bits && entry.kind == kind && is(entry.id)) return entry.id;
    }
  }
  // For a find() of that hash some steps later.
  void prefetch(std::uint64_t hash) const {
    const Way& way = way_of(hash);
    __builtin_prefetch(&way.entries[hash & way.mask]);
  }

  // hash_of(id) must give the hash that a point was inserted by.
  template <typename HashOf>
  void insert(std::uint64_t hash, const Entry& entry, HashOf&& hash_of) {
    while (is_full(hash)) {
      for (const Entry& moved : make_room(hash)) {
        if (moved.id != kNoId) put(hash_of(moved.id), moved);
      }
    }
    put(hash, entry);
  }
  // Requires that it is there. Closes the gap: what stands behind it moves up, unless that is
  // before where it belongs.
  template <typename HashOf>
  void erase(std::uint64_t hash, PointId id, HashOf&& hash_of) {
    const Way& way = way_of(hash);
    Entry* const entries = way.entries;
    const std::size_t mask = way.mask;
    std::size_t gap = hash & mask;
    while (entries[gap].id != id) gap = (gap + 1) & mask;
    for (std::size_t place = (gap + 1) & mask; entries[place].id != kNoId;
         place = (place + 1) & mask) {
      const std::size_t home = hash_of(entries[place].id) & mask;
      if (((place - home) & mask) < ((place - gap) & mask)) continue;
      entries[gap] = entries[place];
      gap = place;
    }
    entries[gap] = {};
    --segments_[way.segment].count;
  }

  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kSegmentSize = 512;
  // The directory has at most so many places for each segment.
  static constexpr std::size_t kDirectoryShareMax = 16;

  struct Segment {
    std::vector<Entry> entries;  // a power of two of them, at most five eighths in use
    std::size_t count = 0;
    unsigned depth = 0;  // how many of the hashes' first bits are the same
  };
  struct Way {
    Entry* entries;
    std::uint32_t mask;
    std::uint32_t segment;
  };

  // Two steps: there is no shift by 64.
  std::size_t directory_place(std::uint64_t hash) const { return hash >> 1U >> (63 - depth_); }
  const Way& way_of(std::uint64_t hash) const { return directory_[directory_place(hash)]; }
  bool is_full(std::uint64_t hash) const {
    const Segment& segment = segments_[way_of(hash).segment];
    return segment.count >= segment.entries.size() / 8 * 5;
  }
  void put(std::uint64_t hash, const Entry& entry);
  // Of a segment that is full: gives what was there, and is to be put again.
  std::vector<Entry> make_room(std::uint64_t hash);
  void split(std::uint64_t hash);
  void double_directory();
  // Writes the segment's places in the directory, of which one is that of the hash.
  void set_ways(std::uint64_t hash, std::uint32_t segment);

  std::vector<Segment> segments_;
  std::vector<Way> directory_;  // by the first depth_ bits of a hash
  unsigned depth_ = 0;
};

}  // namespace weir::match::content
