// SPDX-License-Identifier: Apache-2.0
// PostingLists: for each term, the rows of filters that may be found through it, least threshold
// first.
//
//   term -> chunks, ascending by (kind, threshold, record)
//             chunk -> rows: threshold | record | the filter's terms behind this one, if few
//
// A kind is a mode and how many terms of the filter come behind this one; rows of a kind are of one
// length. So a scan touches the rows whose threshold can be reached, and nothing else. Inserting
// and erasing cost a search and a move within one chunk of 4 KiB. Single-threaded.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match/text/text_filter.h"

namespace weir::match::text {

// What rows of one list have in common.
struct RowKind {
  static constexpr std::size_t kInlineCount = 8;  // less than that many terms stand in the row

  std::uint8_t value = 0;

  static RowKind of(TextMode mode, std::size_t later_count) {
    const std::size_t size = later_count < kInlineCount
                                 ? later_count
                                 : static_cast<std::size_t>(std::bit_width(later_count)) + 4;
    return {static_cast<std::uint8_t>(size | (mode == TextMode::kAll ? kAllBit : 0U))};
  }

  TextMode mode() const { return (value & kAllBit) != 0 ? TextMode::kAll : TextMode::kAny; }
  bool is_inline() const { return size_class() < kInlineCount; }
  // How many terms come behind, at most.
  std::size_t later_count_max() const {
    return is_inline() ? size_class() : (std::size_t{1} << (size_class() - 4)) - 1;
  }
  std::size_t row_words() const { return 2 + (is_inline() ? later_count_max() : 0); }

  auto operator<=>(const RowKind&) const = default;

 private:
  static constexpr std::uint8_t kAllBit = 16;

  // The number itself if it is inline; then one for each number of binary digits.
  std::size_t size_class() const { return value % kAllBit; }
};

// The least thresholds of a term's rows: of kAny rows with no, one or two terms behind, and of all
// others, each as the upper half of a float, so not above what it is. Who can reach none of them
// need not look at the term's rows.
class RowGate {
 public:
  static constexpr std::size_t kCount = 4;

  float least(std::size_t i) const {
    return std::bit_cast<float>(std::uint32_t{halves_[i]} << 16U);
  }
  void open(RowKind kind, float score_min) {
    std::uint16_t& half = halves_[place_of(kind)];
    half = std::min(half, half_of(score_min));
  }
  // Whether the row may be the one with the least threshold.
  bool is_least(RowKind kind, float score_min) const {
    return halves_[place_of(kind)] == half_of(score_min);
  }

 private:
  static constexpr std::uint16_t kClosed = 0x7f80;  // infinity

  static std::uint16_t half_of(float score_min) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(score_min) >> 16U);
  }
  static std::size_t place_of(RowKind kind) {
    const bool has_own = kind.mode() == TextMode::kAny && kind.later_count_max() < kCount - 1;
    return has_own ? kind.later_count_max() : kCount - 1;
  }

  std::array<std::uint16_t, kCount> halves_ = {kClosed, kClosed, kClosed, kClosed};
};

class PostingLists {
 public:
  static constexpr std::size_t kChunkWordsMax = 1024;

  struct Row {
    float score_min;  // not above the filter's
    RecordRef record;
    std::span<const TermId> later;  // empty if the kind is not inline
  };

  class Chunk {
   public:
    explicit Chunk(RowKind kind) : kind_(kind) {}

    RowKind kind() const { return kind_; }
    float first_score_min() const { return first_score_min_; }
    std::size_t row_count() const { return words_.size() / kind_.row_words(); }
    // Row after row, score_min as its bits.
    std::span<const std::uint32_t> words() const { return words_; }

   private:
    friend class PostingLists;

    // The first row that is not before it.
    std::size_t lower_bound(float score_min, RecordRef record) const;
    bool is_before(std::size_t row, float score_min, RecordRef record) const;
    void insert(std::size_t row, const Row& content);
    void erase(std::size_t row);
    void append(const Row& content);
    void note_first() { first_score_min_ = std::bit_cast<float>(words_.front()); }

    float first_score_min_ = 0;
    RowKind kind_;
    std::vector<std::uint32_t> words_;
  };

  void resize(std::size_t term_count) {
    gates_.resize(term_count);
    lists_.resize(term_count);
  }
  void insert(TermId term, RowKind kind, const Row& row);
  // Requires that it is there.
  void erase(TermId term, RowKind kind, float score_min, RecordRef record);
  // Writes rows in ascending order of kind, threshold and record to a term that has none yet.
  void append(TermId term, RowKind kind, const Row& row);
  // After appending.
  void shrink(TermId term);

  const RowGate& gate(TermId term) const { return gates_[term]; }
  std::span<const Chunk> chunks(TermId term) const { return lists_[term]; }
  void prefetch_gate(TermId term) const { __builtin_prefetch(&gates_[term]); }
  void prefetch_list(TermId term) const { __builtin_prefetch(&lists_[term]); }
  void prefetch_chunks(TermId term) const { __builtin_prefetch(lists_[term].data()); }
  std::size_t memory_bytes() const;

 private:
  using Chunks = std::vector<Chunk>;

  // The chunk of the kind that the row belongs in; the end of the kind's chunks if it has none.
  static std::size_t find(const Chunks& chunks, RowKind kind, float score_min, RecordRef record);
  static void split(Chunks& chunks, std::size_t at);
  static void merge_if_small(Chunks& chunks, std::size_t at);
  static Chunks::iterator iterator_at(Chunks& chunks, std::size_t at) {
    return chunks.begin() + static_cast<std::ptrdiff_t>(at);
  }

  std::vector<RowGate> gates_;  // by term
  std::vector<Chunks> lists_;   // by term
};

}  // namespace weir::match::text
