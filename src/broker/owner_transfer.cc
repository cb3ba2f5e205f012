// SPDX-License-Identifier: Apache-2.0
#include "broker/owner_transfer.h"

#include <utility>

#include "broker/read_refusal.h"

namespace weir::broker {
namespace {

base::Error forbidden(std::string message) {
  return {base::ErrorId::kBrokerForbidden, std::move(message), std::nullopt};
}

store::SubscriptionRow row_of(const DirectoryEntry& entry) {
  return {.number = entry.number,
          .id = entry.id,
          .owner = entry.owner,
          .definition = entry.definition->to_json(),
          .created = entry.created,
          .since_sequence = entry.since_sequence};
}

}  // namespace

OwnerTransfer::OwnerTransfer(Context context, Entries entries, PrincipalPtr owner, EntriesDone done)
    : context_(std::move(context)),
      before_(std::move(entries)),
      after_(before_),
      owner_(std::move(owner)),
      done_(std::move(done)) {
  for (DirectoryEntry& entry : after_) {
    entry.owner = owner_->name;
    entry.principal = owner_;
  }
}

// A sink may be anybody's: so the admin must be allowed to see what the new owner will get there.
base::Result<void> OwnerTransfer::check(const Principal& admin, const DirectoryEntry& entry) const {
  if (const auto refused = refusal_to_read(admin, entry)) return *refused;
  if (!admin.grants.may_see_all_of(owner_->grants)) {
    return forbidden("the grants of the new owner go beyond yours");
  }
  if (owner_->grants.subscribe.empty()) {
    return forbidden("subscribing is not granted to the new owner");
  }
  if (entry.definition->policy() == OutboxPolicy::kBlock && !owner_->grants.block) {
    return forbidden("the outbox policy 'block' is not granted to the new owner");
  }
  return {};
}

base::Result<void> OwnerTransfer::take_places() {
  for (const DirectoryEntry& entry : before_) {
    if (entry.owner == owner_->name) {
      places_.emplace_back();
      continue;
    }
    auto place = context_.quota.take_over(owner_->name);
    if (!place) return place.error();
    places_.push_back(std::move(*place));
  }
  return {};
}

void OwnerTransfer::begin(const Principal& admin) {
  for (const DirectoryEntry& entry : before_) {
    if (const auto checked = check(admin, entry); !checked) return refuse(checked.error());
  }
  if (const auto taken = take_places(); !taken) return refuse(taken.error());
  std::vector<store::RegistryChange> changes;
  for (const DirectoryEntry& entry : after_) changes.emplace_back(row_of(entry));
  context_.clerk.write(std::move(changes), [self = shared_from_this()](const auto& written) {
    written ? self->move() : self->refuse(written.error());
  });
}

void OwnerTransfer::refuse(const base::Error& reason) {
  for (DirectoryEntry& entry : before_) context_.directory.settle(std::move(entry));
  done_(reason);
}

void OwnerTransfer::move() {
  unmoved_count_ = after_.size() + 1;
  for (std::size_t i = 0; i < after_.size(); ++i) {
    const DirectoryEntry& entry = after_[i];
    context_.directory.settle(entry);
    if (before_[i].owner != entry.owner) {
      entry.shard->post([self = shared_from_this(), i] {
        const DirectoryEntry& there = self->after_[i];
        there.shard->transfer(there.number, self->owner_, std::move(self->places_[i]));
        self->on_moved();
      });
      context_.moved(before_[i], entry);
    } else {
      on_moved();
    }
  }
  on_moved();
}

// The transfer is in force whether or not the checkpoint could be written.
void OwnerTransfer::on_moved() {
  if (--unmoved_count_ > 0) return;
  context_.host.checkpoint_now(
      [self = shared_from_this()](const base::Result<void>&) { self->done_(self->after_); });
}

}  // namespace weir::broker
