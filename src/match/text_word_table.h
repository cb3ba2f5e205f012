// SPDX-License-Identifier: Apache-2.0
// TextWordTable: what was worked out for words before, by the bytes they were written in.
//
// Each word has an id, given from 0 upwards; a word of up to eight bytes is found by one slot of 16
// bytes and nothing else. The table is bounded in words and in bytes; when it has no room, clear()
// forgets all words and begins a new generation of ids. It has no room either where words that hash
// alike crowd: whoever chooses words so makes them cost as much as words never seen, and no more.
//
//   slot  | head: first 8 bytes | tag: 24 bits of the hash, 8 of the length | id |
//
// Costs: some 90 bytes for a word, at most 12 MiB.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace weir::match {

// A word as others see it: views are good until its generation ends.
struct TextWord {
  std::string_view folded;
  std::string_view term;  // empty for a stop word

  bool operator==(const TextWord&) const = default;
};

class TextWordTable {
 public:
  static constexpr std::size_t kWordsMax = 65'536;
  static constexpr std::size_t kBytesMax = 4U << 20U;  // of written, folded and stemmed words

  TextWordTable();

  std::optional<std::uint32_t> find(std::string_view written) const {
    const Key key = key_of(written);
    for (std::size_t probe = 0; probe < kProbesMax; ++probe) {
      const Slot& slot = slots_[(key.place + probe) & (slots_.size() - 1)];
      if (slot.id == kNone) return std::nullopt;
      if (slot.head == key.head && slot.tag == key.tag && is_same(slot.id, written)) return slot.id;
    }
    return std::nullopt;
  }

  // Adds a word that find() does not know; nothing if there is no room for it. There always is
  // after clear(), if the three have at most kBytesMax together.
  std::optional<std::uint32_t> add(std::string_view written, const TextWord& word);

  const TextWord& operator[](std::uint32_t id) const { return entries_[id].word; }

  void clear();
  std::uint64_t generation() const { return generation_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kProbesMax = 64;
  static constexpr std::size_t kHeadBytes = 8;
  static constexpr std::size_t kSlotsMin = 1024;  // a power of two, twice as many as words

  struct Slot {
    std::uint64_t head = 0;
    std::uint32_t tag = 0;
    std::uint32_t id = kNone;
  };
  struct Key {
    std::uint64_t head;
    std::uint32_t tag;
    std::size_t place;
  };
  struct Entry {
    std::string_view written;
    TextWord word;
  };

  template <typename Word>
  static std::uint64_t load(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  // All bytes of up to eight, the first eight of more: with the length, no two words of up to eight
  // bytes have the same.
  static std::uint64_t head_of(std::string_view written) {
    const char* const begin = written.data();
    const std::size_t size = written.size();
    if (size >= 8) return load<std::uint64_t>(begin);
    if (size >= 4) {
      return load<std::uint32_t>(begin) | load<std::uint32_t>(begin + size - 4) << 32U;
    }
    if (size == 0) return 0;
    return load<std::uint8_t>(begin) | load<std::uint8_t>(begin + size / 2) << 8U |
           load<std::uint8_t>(begin + size - 1) << 16U;
  }

  static Key key_of(std::string_view written) {
    const std::uint64_t head = head_of(written);
    std::uint64_t mixed = (head ^ written.size()) * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ mixed >> 32U) * 0xD6E8FEB86659FD93U;
    const std::uint64_t hash =
        written.size() <= kHeadBytes ? mixed ^ mixed >> 32U : base::hash_bytes(written);
    const std::size_t length = written.size() < 0xFF ? written.size() : 0xFF;
    return {head, static_cast<std::uint32_t>(hash >> 40U << 8U | length),
            static_cast<std::size_t>(hash)};
  }

  bool is_same(std::uint32_t id, std::string_view written) const {
    return written.size() <= kHeadBytes || entries_[id].written == written;
  }

  std::string_view keep(std::string_view text);
  void grow();
  bool place(const Key& key, std::uint32_t id);

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  std::pmr::monotonic_buffer_resource texts_;
  std::size_t text_bytes_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace weir::match
