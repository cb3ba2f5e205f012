// SPDX-License-Identifier: Apache-2.0
// Losses of a shard's subscriptions: those that retention causes, and how all of them are told.
#include <utility>

#include "broker/shard.h"
#include "broker/shard_held.h"

namespace weir::broker {

// Every loss since the last call goes into the journal.
void Shard::tell_losses(Held& held) {
  const store::SettledCounts& now = held.outbox.counts();
  const store::SettledCounts before = std::exchange(held.losses_told, now);
  const auto tell = [&](LossKind kind, std::uint64_t count) {
    if (count > 0) context_.losses.add(held.subscription.id, kind, count);
  };
  tell(LossKind::kDropped, now.dropped - before.dropped);
  tell(LossKind::kExpired, now.expired - before.expired);
  tell(LossKind::kWithheld, now.withheld - before.withheld);
}

void Shard::expire(const RetentionBounds& bounds, Done done) {
  // The log may be cut already: the sequencer does not wait for a shard that is late.
  bool removes = bounds.keep_from > context_.log.first_sequence();
  for (auto& [number, held] : subscriptions_) {
    if (held->outbox.expire_before(bounds.keep_from) > 0) {
      mark_stale(*held);
      removes = true;
    }
    const auto oldest = held->outbox.oldest_sequence();
    const bool soon = oldest && *oldest < bounds.soon_from && held->durable();
    if (soon && !held->expiry_told) {
      context_.losses.add(held->subscription.id, LossKind::kExpiresSoon, held->outbox.size());
    }
    held->expiry_told = soon;
  }
  // Notes are removed as well: whatever they would settle again at a start is written first.
  if (removes) write_cursors();
  // The clerk keeps the order in which it is given changes: this answer comes behind them.
  context_.host.after_notes(last_batch_,
                            [this, done = std::move(done)](const base::Result<void>& noted) {
                              if (!noted) return done(noted);
                              context_.clerk.write({}, done);
                            });
}

}  // namespace weir::broker
