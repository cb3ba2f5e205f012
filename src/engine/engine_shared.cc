// SPDX-License-Identifier: Apache-2.0
// How an engine treats change filters that differ only in their thresholds: as one.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/shared_change.h"
#include "engine/shared_composites.h"
#include "engine/shared_text.h"
#include "engine/subscription.h"
#include "filter/shape.h"

namespace weir::engine {

// Moves what the subscription remembers to those of its shape, if it has one.
void Engine::share(SubscriptionId id, Subscription& subscription, match::Initial initial) {
  if (!subscription.filter().has_change()) return;
  auto shape = SharedChange::shape_of(subscription.filter(), options_);
  if (!shape) return share_composite(id, subscription, initial);
  const ShareKey key{std::move(*shape), subscription.gate().get(),
                     subscription.owner_memory().get(), subscription.budget().get()};
  const auto known = share_numbers_.find(key);
  const std::uint64_t number =
      known != share_numbers_.end() ? known->second : make_share(key, subscription);
  subscription.share({.number = number,
                      .change = shares_.at(number).change.get(),
                      .id = id,
                      .threshold = SharedChange::threshold_of(subscription.filter()),
                      .initial = initial});
  tidy_share(number);
}

std::uint64_t Engine::make_share(const ShareKey& key, const Subscription& subscription) {
  const std::uint64_t number = next_share_number_++;
  auto change = std::make_unique<SharedChange>(subscription.filter_ptr(), subscription.gate(),
                                               options_, subscription.memory());
  const match::WorkBudgetPtr& budget = subscription.budget();
  if (budget && match::is_costly(*change->filter())) meter_->add(SubscriptionId{number}, budget);
  matcher_->add(SubscriptionId{number}, change->filter());
  shares_.emplace(number, Share{key, std::move(change), budget, std::nullopt});
  share_numbers_.emplace(key, number);
  return number;
}

void Engine::end_sharing(Subscription& subscription) {
  const auto membership = subscription.membership();
  subscription.end_sharing();
  if (membership) tidy_share(membership->number);
}

// After somebody came or went: the last one takes what they shared along.
void Engine::tidy_share(std::uint64_t number) {
  const auto share = shares_.find(number);
  if (!share->second.change->is_empty()) return reschedule_share(number);
  if (share->second.wake) share_wakes_.erase({*share->second.wake, number});
  matcher_->remove(SubscriptionId{number});
  meter_->remove(SubscriptionId{number});
  share_numbers_.erase(share->second.key);
  shares_.erase(share);
}

void Engine::reschedule_share(std::uint64_t number) {
  Share& share = shares_.at(number);
  const std::optional<base::Instant> wake = share.change->next_wake();
  if (wake == share.wake) return;
  if (share.wake) share_wakes_.erase({*share.wake, number});
  if (wake) share_wakes_.insert({*wake, number});
  share.wake = wake;
}

void Engine::deliver_share(std::uint64_t number, const event::EventPtr& event, base::Instant now) {
  SharedChange& change = *shares_.at(number).change;
  if (!change.admits(*event)) return;
  const std::uint64_t readings = change.counts().readings;
  change.update(event, now, *scorer_, firing_);
  if (change.counts().readings > readings) {
    ++change_counters_.readings;
    change_counters_.quiet += firing_.id_count == 0 ? 1 : 0;
  }
  deliver_firing(firing_, event, false);
  reschedule_share(number);
}

void Engine::deliver_due_shared() {
  const auto [due, number] = *share_wakes_.begin();
  shares_.at(number).change->advance(due, firing_);
  if (firing_.id_count > 0) deliver_firing(firing_, firing_.event, true);
  reschedule_share(number);
}

// Late: not for the event being published, but for one that was held back.
void Engine::deliver_firing(const match::Firing& firing, const event::EventPtr& event,
                            bool is_late) {
  change_counters_.fired += firing.id_count;
  firing.for_each_span([&](const match::FiredRange& range, match::ThresholdIndex::Span ids) {
    // Subscriptions lie all over memory: some are asked for before the first is needed.
    constexpr std::size_t kBatch = 32;
    std::array<Subscription*, kBatch> batch;
    for (std::size_t first = 0; first < ids.size(); first += kBatch) {
      const auto some = ids.subspan(first, std::min(kBatch, ids.size() - first));
      for (std::size_t i = 0; i < some.size(); ++i) {
        batch[i] = subscriptions_.find(SubscriptionId{some[i]})->get();
        batch[i]->prefetch();
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (!batch[i]->take_firing(range, *event, firing.at, is_late)) continue;
        hand_out(SubscriptionId{some[i]}, *batch[i]).events.assign(1, event);
      }
    }
  });
}

base::Result<bool> Engine::retune(SubscriptionId id, filter::FilterPtr filter) {
  const auto found = find(id);
  if (!found) return found.error();
  Subscription& subscription = **found;
  if (!filter->text_sources().empty()) return false;
  if (filter::shape_of(subscription.filter()) != filter::shape_of(*filter)) return false;
  subscription.retune(std::move(filter), std::max(now_, subscription.restored_at()), *scorer_);
  if (subscription.change() != nullptr) reschedule(id, subscription);
  if (subscription.membership()) reschedule_share(subscription.membership()->number);
  return true;
}

base::Result<std::optional<ChangeSourceStats>> Engine::change_source_stats(
    SubscriptionId id, const event::Event& event) const {
  const auto found = find(id);
  if (!found) return found.error();
  const auto& membership = (*found)->membership();
  if (!membership) return std::nullopt;
  return membership->change->source_stats(event);
}

match::text::TextCounters Engine::text_counters() const { return texts_->counters(); }

EngineMemory Engine::memory() const {
  EngineMemory memory{.matcher_bytes = matcher_->memory_bytes(),
                      .shared_change_bytes = composites_->memory_bytes(),
                      .text_bytes = texts_->memory_bytes(),
                      .text_filter_count = texts_->size(),
                      .text_group_count = texts_->group_count(),
                      .subscription_count = subscriptions_.size()};
  for (const auto& [number, share] : shares_) {
    const match::ChangeGroup& group = share.change->group();
    memory.shared_change_bytes += group.memory_bytes();
    memory.shared_source_count += group.source_count();
    memory.shared_piece_count += group.piece_count();
  }
  return memory;
}

}  // namespace weir::engine
