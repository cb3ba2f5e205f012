// SPDX-License-Identifier: Apache-2.0
// The local broker's transfers of subscriptions between owners.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "broker/local_broker.h"

namespace weir::broker {
namespace {

base::Error no_such_token(std::string_view name) {
  return {base::ErrorId::kBrokerNoSuchToken,
          fmt::format("there is no token '{}' that is valid", name), std::nullopt};
}

}  // namespace

// A token that is good for something now.
base::Result<PrincipalPtr> LocalBroker::new_owner(const Principal& admin,
                                                  std::string_view name) const {
  using enum base::ErrorId;
  if (stopping_) return base::Error{kBrokerStopping, "the broker is stopping", std::nullopt};
  if (!admin.grants.admin) {
    return base::Error{kBrokerForbidden, "this is for an admin", std::nullopt};
  }
  PrincipalPtr owner = tokens_->tokens().find(name);
  if (!owner || owner->has_expired(options_.wall_now())) return no_such_token(name);
  return owner;
}

OwnerTransfer::Context LocalBroker::transfer_context() {
  return {.directory = directory_,
          .quota = *quota_,
          .clerk = *clerk_,
          .host = *sequencer_,
          .moved = [this](const DirectoryEntry& before, const DirectoryEntry& after) {
            tell_sink(before, false);
            tell_sink(after, true);
          }};
}

void LocalBroker::transfer(const PrincipalPtr& principal, std::string_view id,
                           std::string_view owner, SubscriptionDone done) {
  const auto to = new_owner(*principal, owner);
  if (!to) return done(to.error());
  const auto entry = directory_.begin_change(*principal, id);
  if (!entry) return done(entry.error());
  auto answer = [done = std::move(done)](const base::Result<OwnerTransfer::Entries>& entries) {
    if (!entries) return done(entries.error());
    done(entries->front().info());
  };
  std::make_shared<OwnerTransfer>(transfer_context(), OwnerTransfer::Entries{*entry}, *to,
                                  std::move(answer))
      ->begin(*principal);
}

void LocalBroker::transfer_all(const PrincipalPtr& principal, std::string_view from,
                               std::string_view owner, TransferDone done) {
  const auto to = new_owner(*principal, owner);
  if (!to) return done(to.error());
  auto entries = directory_.begin_change_of(from);
  if (!entries) return done(entries.error());
  if (entries->empty()) {
    if (!tokens_->tokens().find(from)) return done(no_such_token(from));
    return done(std::size_t{0});
  }
  auto answer = [done = std::move(done)](const base::Result<OwnerTransfer::Entries>& moved) {
    if (!moved) return done(moved.error());
    done(moved->size());
  };
  std::make_shared<OwnerTransfer>(transfer_context(), *std::move(entries), *to, std::move(answer))
      ->begin(*principal);
}

}  // namespace weir::broker
