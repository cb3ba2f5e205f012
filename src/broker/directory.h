// SPDX-License-Identifier: Apache-2.0
// Directory: the durable subscriptions by id, with who may see them. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/broker.h"
#include "broker/counters.h"
#include "broker/shard.h"

namespace weir::broker {

struct DirectoryEntry {
  std::uint64_t number = 0;
  std::string id;
  std::string owner;
  PrincipalPtr principal;  // null: the owner's token is gone
  DefinitionPtr definition;
  base::Instant created;
  std::shared_ptr<Shard> shard;
  std::shared_ptr<SubscriptionGauges> gauges;
  std::uint64_t since_sequence = 0;
  bool settled = false;  // no change is on its way
  std::uint64_t sink_number = 0;
  SinkSecretsPtr sink_secrets = {};  // null: none

  SubscriptionInfo info() const;
};

class Directory {
 public:
  void load(std::vector<DirectoryEntry> entries, std::uint64_t last_number);

  // Numbers up to this one are not given any more; false if they were not anyway.
  bool raise_last_number(std::uint64_t number);

  // The entry, if it exists and this principal may know.
  base::Result<DirectoryEntry> find(const Principal& principal, std::string_view id) const;
  base::Result<DirectoryEntry> find(std::string_view id) const;
  std::vector<SubscriptionInfo> list(const Principal& principal, std::string_view after_id,
                                     std::size_t count_max) const;
  std::vector<DirectoryEntry> with_sink() const;

  // kBrokerOwned if there is a subscription of that id that this principal may not know of: that
  // the id is taken is all that it is told.
  base::Result<void> check_not_anothers(const Principal& principal, std::string_view id) const;
  // Reserves an id for a subscription that is being made: gives it a number.
  base::Result<std::uint64_t> reserve(DirectoryEntry entry);
  // The entry for a change that settle() or erase() ends; kBrokerBusy while another is on its way.
  base::Result<DirectoryEntry> begin_change(const Principal& principal, std::string_view id);
  // The same for all of an owner, or none.
  base::Result<std::vector<DirectoryEntry>> begin_change_of(std::string_view owner);
  // Ends a change: this is how the subscription stands now.
  void settle(DirectoryEntry entry);
  void erase(std::string_view id);
  // Ignored if another sink than this is in force.
  void set_trouble(std::string_view id, std::uint64_t sink_number, std::string trouble);

 private:
  using Entries = std::map<std::string, DirectoryEntry, std::less<>>;

  mutable std::mutex mutex_;
  Entries entries_;
  std::uint64_t last_number_ = 0;
};

}  // namespace weir::broker
