// SPDX-License-Identifier: Apache-2.0
// Events that a shard must not match, because they have ended several starts.
#include <fmt/format.h>

#include <utility>

#include "broker/shard.h"
#include "broker/shard_held.h"
#include "match/brute_force.h"

namespace weir::broker {
namespace {

// Filters without text ask nothing.
class NoText final : public filter::Scorer {
 public:
  filter::TextVerdict judge(const filter::About& /*about*/,
                            const event::Event& /*event*/) override {
    return {};
  }
};

bool is_plain(const filter::Filter& filter) {
  const filter::Kinds& kinds = filter.kinds();
  return !kinds.change && !kinds.distinct && !kinds.text;
}

}  // namespace

void Shard::skip(const LoggedEvent& logged, bool keep_deliveries) {
  recent_.add(logged.event, logged.memory_bytes);
  if (!keep_deliveries) return;
  const std::uint64_t sequence = logged.event->sequence();
  replay_time(sequence, logged.at);
  NoText no_text;
  engine::Delivery delivery;
  delivery.events.push_back(logged.event);
  for (auto& [number, held] : subscriptions_) {
    if (!held->engine_id) continue;
    const auto gate = gate_of(held->subscription.principal);
    if (gate && !(*gate)(*logged.event)) continue;
    const filter::Filter& filter = *held->subscription.definition->filter();
    const bool plain = is_plain(filter);
    if (plain && match::holding(filter, *logged.event, no_text).empty()) continue;
    push(*held, delivery, sequence, replayed_->matches);
    ++context_.counters.matched;
    if (!plain) skipped_.push_back({number, held->outbox.last_number(), sequence});
  }
}

// Nobody is connected yet, so that no delivery among them has been sent.
void Shard::bury_skipped() {
  for (const Skipped& skipped : std::exchange(skipped_, {})) {
    Held* const held = find(skipped.subscription);
    const auto entry = held == nullptr ? std::nullopt : held->outbox.find(skipped.delivery);
    if (!entry) continue;
    const std::string reason = fmt::format(
        "broker.work: event {} was not matched, because the broker ended while it was "
        "matched at several starts",
        skipped.sequence);
    held->subscription.gauges->set_trouble(reason);
    [[maybe_unused]] const auto buried =
        bury(*held, *entry, held->subscription.principal->grants, reason);
  }
}

}  // namespace weir::broker
