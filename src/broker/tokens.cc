// SPDX-License-Identifier: Apache-2.0
#include "broker/tokens.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"

namespace weir::broker {
namespace {

using base::Error;
using base::ErrorId;
using base::Instant;
using base::Result;

Error unauthenticated() {
  return {ErrorId::kBrokerUnauthenticated, "no valid token was presented", {}};
}

Error busy() {
  return {ErrorId::kBrokerBusy, "too many tokens wait to be verified; try again later", {}};
}

Error malformed(std::string message) { return {ErrorId::kBrokerToken, std::move(message), {}}; }

Error no_such(std::string_view name) {
  return {ErrorId::kBrokerNoSuchToken, fmt::format("there is no token '{}'", name), {}};
}

// A new token's text, and what the registry keeps of it.
struct Secret {
  std::string text;
  std::string lookup;
  std::string hash;
};

Result<Secret> make_secret(const SecretHasher& hasher) {
  Secret secret{.text = make_token_text(), .lookup = {}, .hash = {}};
  const TokenParts parts = split_token(secret.text).value();
  auto hash = hasher.hash(parts.secret);
  if (!hash) return hash.error();
  secret.lookup = parts.lookup;
  secret.hash = std::move(*hash);
  return secret;
}

Result<std::optional<store::TokenRow>> find_row(store::Registry& registry, std::string_view name) {
  auto rows = registry.tokens();
  if (!rows) return rows.error();
  const auto found = std::ranges::find(*rows, name, &store::TokenRow::name);
  if (found == rows->end()) return std::nullopt;
  return std::move(*found);
}

Result<void> check_request(std::string_view name, std::optional<Instant> expires, Instant now) {
  if (!is_token_name(name)) {
    return malformed(
        fmt::format("expected a name of 1 to {} letters, digits and . _ -", kTokenNameBytesMax));
  }
  if (expires && *expires <= now) return malformed("expected a time to expire that is to come");
  return {};
}

Result<void> check_overlap(base::Duration overlap) {
  if (overlap.nanoseconds >= 0 && overlap.nanoseconds <= kOverlapMax.nanoseconds) return {};
  return malformed("expected an overlap from 0s to 366d");
}

// Whether one more secret may be valid besides those that are.
Result<void> check_room(const store::TokenRow& row, Instant now) {
  const auto valid = std::ranges::count_if(
      row.former, [now](const store::FormerSecret& secret) { return secret.until > now; });
  if (static_cast<std::size_t>(valid) < kFormerSecretCountMax) return {};
  return malformed(
      fmt::format("{} former secrets of token '{}' are still valid, the limit: expected an overlap "
                  "of 0s",
                  valid, row.name));
}

}  // namespace

Tokens::Tokens(const TokensOptions& options, const SecretHasher& hasher)
    : options_(options), hasher_(hasher), key_{}, gate_(options.verification) {
  WEIR_CHECK(sodium_init() >= 0);
  randombytes_buf(key_.data(), key_.size());
}

Tokens::~Tokens() { sodium_memzero(key_.data(), key_.size()); }

Tokens::Digest Tokens::digest_of(std::string_view token) const {
  Digest digest{};
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(token.data()), token.size(),
                     key_.data(), key_.size());
  return digest;
}

Result<NewToken> Tokens::create(store::Registry& registry, std::string_view name,
                                const Grants& grants, std::optional<Instant> expires, Instant now) {
  const auto checked = check_request(name, expires, now);
  if (!checked) return checked.error();
  auto secret = make_secret(hasher_);
  if (!secret) return secret.error();
  NewToken token{.text = std::move(secret->text),
                 .row = {.name = std::string(name),
                         .lookup = std::move(secret->lookup),
                         .hash = std::move(secret->hash),
                         .grants = grants.to_json(),
                         .created = now,
                         .expires = expires}};
  const std::lock_guard registry_lock(registry_mutex_);
  const auto taken = find_row(registry, name);
  if (!taken) return taken.error();
  if (*taken) {
    return Error{ErrorId::kBrokerTokenExists,
                 fmt::format("there is, or was, already a token '{}': expected another name", name),
                 {}};
  }
  const auto added = registry.add_token(token.row);
  if (!added) return added.error();
  return token;
}

Result<NewToken> Tokens::rotate(store::Registry& registry, std::string_view name,
                                base::Duration overlap, Instant now) {
  if (const auto checked = check_overlap(overlap); !checked) return checked.error();
  auto secret = make_secret(hasher_);
  if (!secret) return secret.error();
  const std::lock_guard registry_lock(registry_mutex_);
  const auto row = find_row(registry, name);
  if (!row) return row.error();
  if (!*row || (*row)->revoked) return no_such(name);
  if (overlap.nanoseconds > 0) {
    if (const auto checked = check_room(**row, now); !checked) return checked.error();
  }
  const auto rotated = registry.rotate_token({.name = std::string(name),
                                              .lookup = std::move(secret->lookup),
                                              .hash = std::move(secret->hash),
                                              .now = now,
                                              .former_until = now + overlap});
  if (!rotated) return rotated.error();
  if (!*rotated) return no_such(name);
  auto written = find_row(registry, name);
  if (!written) return written.error();
  if (!*written) return no_such(name);
  return NewToken{.text = std::move(secret->text), .row = **std::move(written)};
}

Result<void> Tokens::revoke(store::Registry& registry, std::string_view name) {
  const std::lock_guard registry_lock(registry_mutex_);
  const auto revoked = registry.revoke_token(name);
  if (!revoked) return revoked.error();
  if (!*revoked) return no_such(name);
  return {};
}

Result<PrincipalPtr> Tokens::authenticate(std::string_view token, Instant now) {
  const auto parts = split_token(token);
  if (!parts) return unauthenticated();
  const Digest digest = digest_of(token);
  if (auto known = recall(*parts, digest, now)) return *std::move(known);
  const VerificationGate::Pass pass = gate_.enter();
  if (!pass) return busy();
  // Another thread may have had the same token before.
  if (auto known = recall(*parts, digest, now)) return *std::move(known);
  return verify(*parts, digest, now);
}

std::optional<Result<PrincipalPtr>> Tokens::recall(std::string_view token, Instant now) const {
  const auto parts = split_token(token);
  if (!parts) return unauthenticated();
  return recall(*parts, digest_of(token), now);
}

std::optional<Result<PrincipalPtr>> Tokens::recall(const TokenParts& parts, const Digest& digest,
                                                   Instant now) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(parts.lookup);
  if (found == entries_.end()) return unauthenticated();
  const Entry& entry = found->second;
  if (entry.verified) {
    // A public part has one secret.
    const bool same = sodium_memcmp(entry.verified->data(), digest.data(), digest.size()) == 0;
    return same ? good_at(entry, now) : unauthenticated();
  }
  if (!hasher_.could_be(entry.hash, parts.secret)) return unauthenticated();
  if (failures_.contains(digest)) return unauthenticated();
  return std::nullopt;
}

Result<PrincipalPtr> Tokens::verify(const TokenParts& parts, const Digest& digest, Instant now) {
  std::string hash;
  std::uint64_t reload_count = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(parts.lookup);
    if (entry == entries_.end()) return unauthenticated();
    hash = entry->second.hash;
    reload_count = reload_count_;
  }
  const auto right = hasher_.verify(hash, parts.secret);
  if (!right) return right.error();

  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(parts.lookup);
  if (*right && entry != entries_.end() && entry->second.hash == hash) {
    entry->second.verified = digest;
    return good_at(entry->second, now);
  }
  // A token that has come with a reload meanwhile may be good by now.
  if (reload_count == reload_count_) remember_failure(digest);
  return unauthenticated();
}

void Tokens::remember_failure(const Digest& digest) {
  if (options_.failure_count_max == 0 || !failures_.insert(digest).second) return;
  failures_by_age_.push_back(digest);
  if (failures_by_age_.size() <= options_.failure_count_max) return;
  failures_.erase(failures_by_age_.front());
  failures_by_age_.pop_front();
}

Result<PrincipalPtr> Tokens::good_at(const Entry& entry, Instant now) {
  if (entry.principal->has_expired(now)) return unauthenticated();
  if (entry.until && *entry.until <= now) return unauthenticated();
  return entry.principal;
}

// The secrets of a token, each with a principal of its own, so that what was begun with a secret
// can end with it.
void Tokens::add_secrets(const store::TokenRow& row, const Principal& owner, Instant now,
                         Entries& entries) {
  const auto add = [&](const std::string& lookup, const std::string& hash,
                       std::optional<Instant> until) {
    Principal principal = owner;
    principal.lookup = lookup;
    entries.emplace(lookup, Entry{.hash = hash,
                                  .principal = std::make_shared<const Principal>(principal),
                                  .until = until});
  };
  add(row.lookup, row.hash, std::nullopt);
  for (const store::FormerSecret& former : row.former) {
    if (former.until > now) add(former.lookup, former.hash, former.until);
  }
}

Result<TokenChanges> Tokens::reload(store::Registry& registry, Instant now) {
  const std::lock_guard registry_lock(registry_mutex_);
  const auto rows = registry.tokens();
  if (!rows) return rows.error();
  TokenChanges changes;
  Entries entries;
  Owners owners;
  for (const store::TokenRow& row : *rows) {
    if (row.revoked) continue;
    auto grants = Grants::parse_json(row.grants);
    if (!grants) {
      changes.unreadable.push_back(malformed(
          fmt::format("the grants of token '{}': {}", row.name, grants.error().to_string())));
      continue;
    }
    const auto owner = std::make_shared<const Principal>(
        Principal{.name = row.name, .grants = std::move(*grants), .expires = row.expires});
    add_secrets(row, *owner, now, entries);
    owners.emplace(row.name, owner);
  }
  const std::lock_guard lock(mutex_);
  replace(std::move(entries), std::move(owners), changes);
  return changes;
}

// Keeps what is as it was, so that nothing is verified again and principals stay the same.
void Tokens::replace(Entries entries, Owners owners, TokenChanges& changes) {
  for (auto& [name, owner] : owners) {
    const auto old = owners_.find(name);
    if (old != owners_.end() && *old->second == *owner) owner = old->second;
  }
  for (auto& [lookup, entry] : entries) {
    const auto old = entries_.find(lookup);
    if (old == entries_.end() || old->second.hash != entry.hash) continue;
    if (*old->second.principal != *entry.principal) continue;
    entry.principal = old->second.principal;
    entry.verified = old->second.verified;
  }
  for (const auto& [name, owner] : owners_) {
    if (!owners.contains(name)) changes.gone.push_back(name);
  }
  for (const auto& [lookup, entry] : entries_) {
    if (entries.contains(lookup) || !owners.contains(entry.principal->name)) continue;
    changes.ended.push_back(lookup);
  }
  entries_ = std::move(entries);
  owners_ = std::move(owners);
  find_next_end();
  failures_.clear();
  failures_by_age_.clear();
  ++reload_count_;
}

void Tokens::find_next_end() {
  next_end_.reset();
  for (const auto& [lookup, entry] : entries_) {
    if (entry.until && (!next_end_ || *entry.until < *next_end_)) next_end_ = entry.until;
  }
}

std::vector<std::string> Tokens::end_overlaps(Instant now) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ended;
  if (!next_end_ || *next_end_ > now) return ended;
  std::erase_if(entries_, [&](const auto& entry) {
    if (!entry.second.until || *entry.second.until > now) return false;
    ended.push_back(entry.first);
    return true;
  });
  find_next_end();
  return ended;
}

PrincipalPtr Tokens::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = owners_.find(name);
  return found == owners_.end() ? nullptr : found->second;
}

}  // namespace weir::broker
