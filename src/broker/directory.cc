// SPDX-License-Identifier: Apache-2.0
#include "broker/directory.h"

#include <fmt/format.h>

#include <utility>

namespace weir::broker {
namespace {

bool may_know(const Principal& principal, const DirectoryEntry& entry) {
  return principal.grants.admin || principal.name == entry.owner;
}

base::Error no_such(std::string_view id) {
  return {base::ErrorId::kBrokerNoSuchSubscription,
          fmt::format("there is no subscription '{}'", id), std::nullopt};
}

}  // namespace

SubscriptionInfo DirectoryEntry::info() const {
  return {.id = id,
          .owner = owner,
          .definition = definition,
          .created = created,
          .pending = gauges->pending,
          .delivered = gauges->delivered,
          .acknowledged = gauges->acknowledged,
          .dropped = gauges->dropped,
          .conflated = gauges->conflated,
          .redelivered = gauges->redelivered,
          .dead_letters = gauges->dead_letters,
          .connected = gauges->connected,
          .window = gauges->window(),
          .trouble = gauges->trouble()};
}

void Directory::load(std::vector<DirectoryEntry> entries, std::uint64_t last_number) {
  const std::scoped_lock lock(mutex_);
  for (DirectoryEntry& entry : entries) {
    std::string id = entry.id;
    entries_.emplace(std::move(id), std::move(entry));
  }
  last_number_ = last_number;
}

base::Result<DirectoryEntry> Directory::find(const Principal& principal,
                                             std::string_view id) const {
  auto found = find(id);
  if (found && !may_know(principal, *found)) return no_such(id);
  return found;
}

base::Result<DirectoryEntry> Directory::find(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.since_sequence == 0) return no_such(id);
  return found->second;
}

std::vector<SubscriptionInfo> Directory::list(const Principal& principal, std::string_view after_id,
                                              std::size_t count_max) const {
  const std::scoped_lock lock(mutex_);
  std::vector<SubscriptionInfo> infos;
  for (auto here = entries_.upper_bound(after_id);
       here != entries_.end() && infos.size() < count_max; ++here) {
    const DirectoryEntry& entry = here->second;
    if (entry.since_sequence != 0 && may_know(principal, entry)) infos.push_back(entry.info());
  }
  return infos;
}

std::vector<DirectoryEntry> Directory::with_sink() const {
  const std::scoped_lock lock(mutex_);
  std::vector<DirectoryEntry> found;
  for (const auto& [id, entry] : entries_) {
    if (entry.since_sequence != 0 && !entry.definition->sink().empty()) found.push_back(entry);
  }
  return found;
}

base::Result<std::uint64_t> Directory::reserve(DirectoryEntry entry) {
  const std::scoped_lock lock(mutex_);
  if (entries_.contains(entry.id)) {
    return base::Error{base::ErrorId::kBrokerSubscriptionExists,
                       fmt::format("there is already a subscription '{}'", entry.id), std::nullopt};
  }
  entry.number = ++last_number_;
  std::string id = entry.id;
  entries_.emplace(std::move(id), std::move(entry));
  return last_number_;
}

base::Result<DirectoryEntry> Directory::begin_change(const Principal& principal,
                                                     std::string_view id) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || !may_know(principal, found->second)) return no_such(id);
  if (!std::exchange(found->second.settled, false)) {
    return base::Error{base::ErrorId::kBrokerBusy,
                       fmt::format("subscription '{}' is being changed", id), std::nullopt};
  }
  return found->second;
}

void Directory::settle(DirectoryEntry entry) {
  const std::scoped_lock lock(mutex_);
  entry.settled = true;
  DirectoryEntry& there = entries_.find(entry.id)->second;
  there = std::move(entry);
}

void Directory::erase(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  entries_.erase(entries_.find(id));
}

}  // namespace weir::broker
