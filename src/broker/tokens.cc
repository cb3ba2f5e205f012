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

PrincipalPtr principal_of(const store::TokenRow& row, Grants grants) {
  return std::make_shared<const Principal>(
      Principal{.name = row.name, .grants = std::move(grants), .expires = row.expires});
}

Result<PrincipalPtr> unless_expired(const PrincipalPtr& principal, Instant now) {
  if (principal->has_expired(now)) return unauthenticated();
  return principal;
}

Result<void> check_request(std::string_view name, std::optional<Instant> expires, Instant now) {
  if (!is_token_name(name)) {
    return malformed(
        fmt::format("expected a name of 1 to {} letters, digits and . _ -", kTokenNameBytesMax));
  }
  if (expires && *expires <= now) return malformed("expected a time to expire that is to come");
  return {};
}

Result<void> check_not_taken(store::Registry& registry, std::string_view name) {
  const auto rows = registry.tokens();
  if (!rows) return rows.error();
  if (std::ranges::find(*rows, name, &store::TokenRow::name) == rows->end()) return {};
  return malformed(
      fmt::format("there is, or was, already a token '{}': expected another name", name));
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
  NewToken token{.text = make_token_text(), .row = {}};
  const TokenParts parts = split_token(token.text).value();
  auto hash = hasher_.hash(parts.secret);
  if (!hash) return hash.error();
  token.row = {.name = std::string(name),
               .lookup = std::string(parts.lookup),
               .hash = std::move(*hash),
               .grants = grants.to_json(),
               .created = now,
               .expires = expires};

  const std::lock_guard registry_lock(registry_mutex_);
  const auto free = check_not_taken(registry, name);
  if (!free) return free.error();
  const auto added = registry.add_token(token.row);
  if (!added) return added.error();
  const PrincipalPtr principal = principal_of(token.row, grants);
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(token.row.lookup, Entry{.row = token.row, .principal = principal});
  by_name_.insert_or_assign(token.row.name, principal);
  return token;
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

std::optional<Result<PrincipalPtr>> Tokens::recall(std::string_view token, Instant now) {
  const auto parts = split_token(token);
  if (!parts) return unauthenticated();
  return recall(*parts, digest_of(token), now);
}

std::optional<Result<PrincipalPtr>> Tokens::recall(const TokenParts& parts, const Digest& digest,
                                                   Instant now) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(parts.lookup);
  if (entry != entries_.end() && entry->second.verified &&
      sodium_memcmp(entry->second.verified->data(), digest.data(), digest.size()) == 0) {
    return unless_expired(entry->second.principal, now);
  }
  if (failures_.contains(digest)) return unauthenticated();
  return std::nullopt;
}

Result<PrincipalPtr> Tokens::verify(const TokenParts& parts, const Digest& digest, Instant now) {
  std::string hash = hasher_.nobodys_hash();
  std::uint64_t reload_count = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(parts.lookup);
    if (entry != entries_.end()) hash = entry->second.row.hash;
    reload_count = reload_count_;
  }
  const auto right = hasher_.verify(hash, parts.secret);
  if (!right) return right.error();

  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(parts.lookup);
  if (*right && entry != entries_.end() && entry->second.row.hash == hash) {
    entry->second.verified = digest;
    return unless_expired(entry->second.principal, now);
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

Result<TokenChanges> Tokens::reload(store::Registry& registry) {
  const std::lock_guard registry_lock(registry_mutex_);
  auto rows = registry.tokens();
  if (!rows) return rows.error();
  TokenChanges changes;
  Entries entries;
  for (store::TokenRow& row : *rows) {
    if (row.revoked) continue;
    auto grants = Grants::parse_json(row.grants);
    if (grants) {
      PrincipalPtr principal = principal_of(row, std::move(*grants));
      std::string lookup = row.lookup;
      entries.emplace(std::move(lookup),
                      Entry{.row = std::move(row), .principal = std::move(principal)});
    } else {
      changes.unreadable.push_back(malformed(
          fmt::format("the grants of token '{}': {}", row.name, grants.error().to_string())));
    }
  }
  const std::lock_guard lock(mutex_);
  changes.gone = replace(std::move(entries));
  return changes;
}

std::vector<std::string> Tokens::replace(Entries entries) {
  std::map<std::string, PrincipalPtr, std::less<>> by_name;
  for (auto& [lookup, entry] : entries) {
    const auto old = entries_.find(lookup);
    if (old != entries_.end() && old->second.row == entry.row) entry = std::move(old->second);
    by_name.emplace(entry.row.name, entry.principal);
  }
  std::vector<std::string> gone;
  for (const auto& [name, principal] : by_name_) {
    if (!by_name.contains(name)) gone.push_back(name);
  }
  entries_ = std::move(entries);
  by_name_ = std::move(by_name);
  failures_.clear();
  failures_by_age_.clear();
  ++reload_count_;
  return gone;
}

PrincipalPtr Tokens::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace weir::broker
