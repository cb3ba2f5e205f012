// SPDX-License-Identifier: Apache-2.0
#include "match/text_word_table.h"

#include <algorithm>

namespace weir::match {

TextWordTable::TextWordTable() : slots_(kSlotsMin) {}

std::string_view TextWordTable::keep(std::string_view text) {
  if (text.empty()) return {};
  auto* const copy = static_cast<char*>(texts_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  text_bytes_ += text.size();
  return {copy, text.size()};
}

bool TextWordTable::place(const Key& key, std::uint32_t id) {
  for (std::size_t probe = 0; probe < kProbesMax; ++probe) {
    Slot& slot = slots_[(key.place + probe) & (slots_.size() - 1)];
    if (slot.id != kNone) continue;
    slot = {key.head, key.tag, id};
    return true;
  }
  return false;
}

// Words that find no place among the new slots are found no more, and get another id if they come
// again.
void TextWordTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id != kNone) place(key_of(entries_[slot.id].written), slot.id);
  }
}

std::optional<std::uint32_t> TextWordTable::add(std::string_view written, const TextWord& word) {
  const std::size_t bytes = written.size() + word.folded.size() + word.term.size();
  if (entries_.size() >= kWordsMax || text_bytes_ + bytes > kBytesMax) return std::nullopt;
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const auto id = static_cast<std::uint32_t>(entries_.size());
  if (!place(key_of(written), id)) return std::nullopt;
  // Most words are written as they are folded, and a stem mostly begins its word.
  const std::string_view kept = keep(written);
  const std::string_view folded = word.folded == written ? kept : keep(word.folded);
  const std::string_view term =
      folded.starts_with(word.term) ? folded.substr(0, word.term.size()) : keep(word.term);
  entries_.push_back({kept, {folded, term}});
  return id;
}

void TextWordTable::clear() {
  std::ranges::fill(slots_, Slot{});
  entries_.clear();
  texts_.release();
  text_bytes_ = 0;
  ++generation_;
}

}  // namespace weir::match
