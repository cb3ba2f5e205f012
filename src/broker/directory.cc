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

base::Error owned(std::string_view id) {
  return {base::ErrorId::kBrokerOwned,
          fmt::format("the id '{}' is taken by another owner: expected another id", id),
          std::nullopt};
}

base::Error busy(std::string_view id) {
  return {base::ErrorId::kBrokerBusy, fmt::format("subscription '{}' is being changed", id),
          std::nullopt};
}

}  // namespace

SubscriptionInfo DirectoryEntry::info() const {
  return {.id = id,
          .owner = owner,
          .definition = definition,
          .created = created,
          .counts = gauges->counts(),
          .delivered = gauges->delivered,
          .redelivered = gauges->redelivered,
          .letters_kept = gauges->letters_kept,
          .connected = gauges->consumers > 0,
          .replay = gauges->replay(),
          .consumers = gauges->consumers,
          .in_flight = gauges->in_flight,
          .window = gauges->window(),
          .over_budget = gauges->over_budget,
          .trouble = gauges->trouble(),
          .sink_number = sink_number,
          .sink_secrets = sink_secrets};
}

void Directory::load(std::vector<DirectoryEntry> entries, std::uint64_t last_number) {
  const std::scoped_lock lock(mutex_);
  for (DirectoryEntry& entry : entries) {
    std::string id = entry.id;
    entries_.emplace(std::move(id), std::move(entry));
  }
  last_number_ = last_number;
}

bool Directory::raise_last_number(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  if (number <= last_number_) return false;
  last_number_ = number;
  return true;
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

base::Result<void> Directory::check_not_anothers(const Principal& principal,
                                                 std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || may_know(principal, found->second)) return {};
  return owned(id);
}

base::Result<std::uint64_t> Directory::reserve(DirectoryEntry entry) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = entries_.find(entry.id); found != entries_.end()) {
    if (!may_know(*entry.principal, found->second)) return owned(entry.id);
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
  if (!std::exchange(found->second.settled, false)) return busy(id);
  return found->second;
}

base::Result<std::vector<DirectoryEntry>> Directory::begin_change_of(std::string_view owner) {
  const std::scoped_lock lock(mutex_);
  std::vector<DirectoryEntry*> found;
  for (auto& [id, entry] : entries_) {
    if (entry.owner != owner) continue;
    if (!entry.settled) return busy(id);
    found.push_back(&entry);
  }
  std::vector<DirectoryEntry> entries;
  for (DirectoryEntry* const entry : found) {
    entry->settled = false;
    entries.push_back(*entry);
  }
  return entries;
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

void Directory::set_trouble(std::string_view id, std::uint64_t sink_number, std::string trouble) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.sink_number != sink_number) return;
  found->second.gauges->set_trouble(std::move(trouble));
}

}  // namespace weir::broker
