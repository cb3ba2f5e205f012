// SPDX-License-Identifier: Apache-2.0
// OwnerTransfer: gives durable subscriptions to another owner, all that it was handed or none.
//
// What a subscription remembers, its outbox, numbers and counts stay. From then on the new owner's
// grants decide what it gets; pending deliveries beyond them are withheld. Its consumer is ended,
// its sink goes on in the name of the new owner.
//
//   directory: being changed -> registry: new owner -> directory: settled -> shards -> checkpoint
//
// The checkpoint keeps events from before the transfer out of what a restart replays through the
// new owner's grants.
//
// Threads: begin() from any, once; the rest comes from the broker's.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "broker/clerk.h"
#include "broker/directory.h"
#include "broker/grants.h"
#include "broker/quota.h"
#include "broker/shard.h"

namespace weir::broker {

class OwnerTransfer : public std::enable_shared_from_this<OwnerTransfer> {
 public:
  struct Context {
    Directory& directory;
    Quota& quota;
    Clerk& clerk;
    ShardHost& host;
    // Tells the sink of the subscription, as it was and as it is.
    std::function<void(const DirectoryEntry& before, const DirectoryEntry& after)> moved;
  };
  using Entries = std::vector<DirectoryEntry>;
  using EntriesDone = std::function<void(base::Result<Entries>)>;  // as they are now

  // The entries are being changed, see Directory; the transfer ends that.
  OwnerTransfer(Context context, Entries entries, PrincipalPtr owner, EntriesDone done);

  // In the name of an admin: kBrokerForbidden if its grants do not cover those of the owners before
  // and after, or the new owner may not have such a subscription; kBrokerTooManySubscriptions.
  void begin(const Principal& admin);

 private:
  base::Result<void> check(const Principal& admin, const DirectoryEntry& entry) const;
  base::Result<void> take_places();
  void refuse(const base::Error& reason);
  void move();
  void on_moved();

  Context context_;
  Entries before_;
  Entries after_;
  std::vector<std::shared_ptr<const void>> places_;  // in the new owner's quota
  PrincipalPtr owner_;
  EntriesDone done_;
  std::atomic<std::size_t> unmoved_count_ = 0;
};

}  // namespace weir::broker
