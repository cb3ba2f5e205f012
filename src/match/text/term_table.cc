// SPDX-License-Identifier: Apache-2.0
#include "match/text/term_table.h"

namespace weir::match::text {

TermTable::TermTable()
    : terms_(std::make_unique<Terms>()), ids_(0, Hash{terms_.get()}, Equal{terms_.get()}) {}

TermId TermTable::acquire(std::string_view term) {
  TermId id = find(term);
  if (id == kNoId) {
    id = new_id();
    (*terms_)[id] = term;
    ids_.insert(id);
  }
  ++use_counts_[id];
  return id;
}

TermId TermTable::new_id() {
  if (!free_.empty()) {
    const TermId id = free_.back();
    free_.pop_back();
    return id;
  }
  terms_->emplace_back();
  use_counts_.push_back(0);
  return static_cast<TermId>(use_counts_.size() - 1);
}

bool TermTable::release(TermId id) {
  if (--use_counts_[id] != 0) return false;
  ids_.erase(id);
  (*terms_)[id] = std::string();
  free_.push_back(id);
  return true;
}

TermId TermTable::find(std::string_view term) const {
  const auto found = ids_.find(term);
  return found == ids_.end() ? kNoId : *found;
}

std::size_t TermTable::memory_bytes() const {
  static const std::size_t kInlineBytes = std::string().capacity();
  std::size_t bytes = terms_->capacity() * sizeof(std::string) +
                      (use_counts_.capacity() + free_.capacity()) * sizeof(std::uint32_t) +
                      ids_.bucket_count() * (sizeof(TermId) + 1);
  for (const std::string& term : *terms_) {
    if (term.capacity() > kInlineBytes) bytes += term.capacity() + 1;
  }
  return bytes;
}

}  // namespace weir::match::text
