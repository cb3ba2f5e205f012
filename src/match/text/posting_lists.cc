// SPDX-License-Identifier: Apache-2.0
#include "match/text/posting_lists.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weir::match::text {
namespace {

constexpr std::size_t kMergedWordsMax = PostingLists::kChunkWordsMax * 3 / 4;
constexpr std::size_t kSmallWords = PostingLists::kChunkWordsMax / 4;

std::ptrdiff_t offset(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }

}  // namespace

bool PostingLists::Chunk::is_before(std::size_t row, float score_min, RecordRef record) const {
  const std::size_t at = row * kind_.row_words();
  const auto other = std::bit_cast<float>(words_[at]);
  return other != score_min ? other < score_min : words_[at + 1] < record;
}

std::size_t PostingLists::Chunk::lower_bound(float score_min, RecordRef record) const {
  std::size_t low = 0;
  std::size_t high = row_count();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (is_before(middle, score_min, record)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Grows by an eighth: most lists are short, and there are many.
void PostingLists::Chunk::insert(std::size_t row, const Row& content) {
  const std::size_t width = kind_.row_words();
  if (words_.size() + width > words_.capacity()) {
    words_.reserve(words_.size() + width * (1 + row_count() / 8));
  }
  const auto at = words_.insert(words_.begin() + offset(row * width), width, 0U);
  at[0] = std::bit_cast<std::uint32_t>(content.score_min);
  at[1] = content.record;
  std::ranges::copy(content.later, at + 2);
  note_first();
}

void PostingLists::Chunk::append(const Row& content) {
  words_.push_back(std::bit_cast<std::uint32_t>(content.score_min));
  words_.push_back(content.record);
  words_.insert(words_.end(), content.later.begin(), content.later.end());
  note_first();
}

void PostingLists::Chunk::erase(std::size_t row) {
  const std::size_t width = kind_.row_words();
  const auto at = words_.begin() + offset(row * width);
  words_.erase(at, at + offset(width));
  if (!words_.empty()) note_first();
  if (words_.size() < words_.capacity() / 2) words_.shrink_to_fit();
}

std::size_t PostingLists::find(const Chunks& chunks, RowKind kind, float score_min,
                               RecordRef record) {
  const auto next = std::ranges::partition_point(chunks, [&](const Chunk& chunk) {
    if (chunk.kind() != kind) return chunk.kind() < kind;
    return chunk.is_before(0, score_min, record) ||
           (chunk.first_score_min_ == score_min && chunk.words_[1] == record);
  });
  const auto index = static_cast<std::size_t>(next - chunks.begin());
  return index > 0 && chunks[index - 1].kind() == kind ? index - 1 : index;
}

void PostingLists::insert(TermId term, RowKind kind, const Row& row) {
  gates_[term].open(kind, row.score_min);
  Chunks& chunks = lists_[term];
  const std::size_t at = find(chunks, kind, row.score_min, row.record);
  if (at == chunks.size() || chunks[at].kind() != kind) {
    chunks.reserve(chunks.size() + 1);
    chunks.insert(iterator_at(chunks, at), Chunk(kind));
  }
  Chunk& chunk = chunks[at];
  chunk.insert(chunk.lower_bound(row.score_min, row.record), row);
  if (chunk.words_.size() + kind.row_words() > kChunkWordsMax) split(chunks, at);
}

void PostingLists::split(Chunks& chunks, std::size_t at) {
  Chunk upper(chunks[at].kind());
  std::vector<std::uint32_t>& words = chunks[at].words_;
  const auto middle = words.begin() + offset(chunks[at].row_count() / 2 * upper.kind().row_words());
  upper.words_.assign(middle, words.end());
  upper.note_first();
  words.erase(middle, words.end());
  words.shrink_to_fit();
  chunks.insert(iterator_at(chunks, at + 1), std::move(upper));
}

void PostingLists::erase(TermId term, RowKind kind, float score_min, RecordRef record) {
  Chunks& chunks = lists_[term];
  const std::size_t at = find(chunks, kind, score_min, record);
  WEIR_CHECK(at < chunks.size() && chunks[at].kind() == kind);
  Chunk& chunk = chunks[at];
  const std::size_t row = chunk.lower_bound(score_min, record);
  WEIR_CHECK(row < chunk.row_count() && chunk.words_[row * kind.row_words() + 1] == record);
  chunk.erase(row);
  if (chunk.words_.empty()) {
    chunks.erase(iterator_at(chunks, at));
    if (chunks.empty()) chunks.shrink_to_fit();
  } else {
    merge_if_small(chunks, at);
  }
  if (!gates_[term].is_least(kind, score_min)) return;
  gates_[term] = RowGate();
  for (const Chunk& other : chunks) gates_[term].open(other.kind(), other.first_score_min());
}

// With the next chunk of its kind, or the one before.
void PostingLists::merge_if_small(Chunks& chunks, std::size_t at) {
  if (chunks[at].words_.size() >= kSmallWords) return;
  const auto fits = [&](std::size_t left) {
    return left + 1 < chunks.size() && chunks[left].kind() == chunks[left + 1].kind() &&
           chunks[left].words_.size() + chunks[left + 1].words_.size() <= kMergedWordsMax;
  };
  if (at > 0 && fits(at - 1)) --at;
  if (!fits(at)) return;
  const std::vector<std::uint32_t>& upper = chunks[at + 1].words_;
  chunks[at].words_.insert(chunks[at].words_.end(), upper.begin(), upper.end());
  chunks.erase(iterator_at(chunks, at + 1));
}

void PostingLists::append(TermId term, RowKind kind, const Row& row) {
  gates_[term].open(kind, row.score_min);
  Chunks& chunks = lists_[term];
  if (chunks.empty() || chunks.back().kind() != kind ||
      chunks.back().words_.size() + kind.row_words() > kChunkWordsMax) {
    if (!chunks.empty()) chunks.back().words_.shrink_to_fit();
    chunks.push_back(Chunk(kind));
  }
  chunks.back().append(row);
}

void PostingLists::shrink(TermId term) {
  Chunks& chunks = lists_[term];
  if (!chunks.empty()) chunks.back().words_.shrink_to_fit();
  chunks.shrink_to_fit();
}

std::size_t PostingLists::memory_bytes() const {
  std::size_t bytes = lists_.capacity() * sizeof(Chunks) + gates_.capacity() * sizeof(RowGate);
  for (const Chunks& chunks : lists_) {
    bytes += chunks.capacity() * sizeof(Chunk);
    for (const Chunk& chunk : chunks) bytes += chunk.words_.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace weir::match::text
