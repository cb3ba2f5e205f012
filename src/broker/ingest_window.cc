// SPDX-License-Identifier: Apache-2.0
#include "broker/ingest_window.h"

#include "base/hash.h"

namespace weir::broker {

// The id is hashed under the hash of the source, so that no two pairs look alike when joined.
IngestWindow::Key IngestWindow::key_of(const event::Event& event) const {
  const std::uint64_t source = base::hash_bytes(event.source(), options_.seed);
  return {.high = base::hash_bytes(event.id(), source),
          .low = base::hash_bytes(event.id(), ~source)};
}

bool IngestWindow::contains(const Key& key, base::Instant now) const {
  const auto found = seen_.find(key);
  return found != seen_.end() && now < found->second + options_.within;
}

void IngestWindow::insert(const Key& key, base::Instant now) {
  while (!ages_.empty() && ages_.front().at + options_.within <= now) forget_oldest();
  if (ages_.size() >= options_.key_count_max && !ages_.empty()) {
    forget_oldest();
    ++forgotten_count_;
  }
  seen_.insert_or_assign(key, now);
  ages_.push_back({now, key});
}

void IngestWindow::forget_oldest() {
  const Age& oldest = ages_.front();
  const auto found = seen_.find(oldest.key);
  if (found != seen_.end() && found->second == oldest.at) seen_.erase(found);
  ages_.pop_front();
}

}  // namespace weir::broker
