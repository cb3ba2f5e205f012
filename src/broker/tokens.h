// SPDX-License-Identifier: Apache-2.0
// Tokens: makes tokens and tells who presents one. The registry has the rows; this has a copy of
// those that are not revoked, as of the last reload(). A change that is written to the registry,
// also by create(), rotate() and revoke(), is known here from the next reload() on.
//
// A token is a name with one secret. To rotate it gives it a new one; the secret before stays valid
// for an overlap. Grants, expiry and subscriptions belong to the name.
//
// The registry keeps an Argon2id hash of a secret, which takes 60 ms and 64 MiB to verify. A flood
// of bad tokens must not pay for that, nor make good ones wait. So these are decided at once, by
// recall():
//   - a token whose public part is not known is refused,
//   - a token that was verified before is remembered by a keyed hash of its text; any other text
//     with its public part is wrong,
//   - a secret that the hash's check rules out is refused (SecretHasher::could_be()),
//   - the last few that were found bad are remembered.
// Only the rest is verified: good tokens for the first time, and one in 65 536 wrong secrets. A few
// verifications run at a time, some wait, and more are refused with kBrokerBusy.
//
// Whatever is wrong with a token, the error is the same. Whether a public part is known can be told
// by time, not more: it is public. No secret is in any error, nor kept.
//
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/grants.h"
#include "broker/secret_hasher.h"
#include "broker/token_text.h"
#include "broker/verification_gate.h"
#include "store/registry.h"

namespace weir::broker {

constexpr base::Duration kOverlapDefault = base::Duration::seconds(std::int64_t{24} * 3600);
constexpr base::Duration kOverlapMax = base::Duration::seconds(std::int64_t{366} * 24 * 3600);
constexpr std::size_t kFormerSecretCountMax = 16;  // of one token, valid at a time

struct NewToken {
  std::string text;  // shown once, to whom it is for
  store::TokenRow row;
};

// What reload() found different.
struct TokenChanges {
  std::vector<std::string> gone;        // names of tokens that were good for something before
  std::vector<std::string> ended;       // lookups of secrets that are not, of other names
  std::vector<base::Error> unreadable;  // rows whose grants are no grants: nobody can use them
};

struct TokensOptions {
  VerificationGate::Limits verification = {};
  std::size_t failure_count_max = 1'024;  // bad tokens remembered
};

class Tokens {
 public:
  // The hasher must outlive it. No token is known before reload().
  explicit Tokens(const TokensOptions& options = {},
                  const SecretHasher& hasher = argon2id_hasher());
  ~Tokens();
  Tokens(const Tokens&) = delete;
  Tokens& operator=(const Tokens&) = delete;

  // Adds a token to the registry. kBrokerToken if the name is malformed or the time to expire has
  // passed, kBrokerTokenExists if the name is taken, by a revoked token too.
  base::Result<NewToken> create(store::Registry& registry, std::string_view name,
                                const Grants& grants, std::optional<base::Instant> expires,
                                base::Instant now);
  // Gives a token another secret; the one before is valid for the overlap. kBrokerNoSuchToken if
  // there is none of that name or it is revoked, kBrokerToken if the overlap is not between 0 and
  // kOverlapMax or too many former secrets are valid.
  base::Result<NewToken> rotate(store::Registry& registry, std::string_view name,
                                base::Duration overlap, base::Instant now);
  // kBrokerNoSuchToken if there is none of that name. Revoking twice is fine.
  base::Result<void> revoke(store::Registry& registry, std::string_view name);

  // Who presents this token; kBrokerUnauthenticated unless it is known, right, and not expired.
  // May take a verification's time, and that of others before it.
  base::Result<PrincipalPtr> authenticate(std::string_view token, base::Instant now);
  // The same if it can be told without a verification, at once; nothing otherwise.
  std::optional<base::Result<PrincipalPtr>> recall(std::string_view token, base::Instant now) const;

  // Reads the registry's rows again. What is known of bad tokens is forgotten.
  base::Result<TokenChanges> reload(store::Registry& registry, base::Instant now);
  // Forgets former secrets whose overlap is over, and gives their lookups.
  std::vector<std::string> end_overlaps(base::Instant now);
  // The owner of subscriptions of that name. Null if there is no such token, or it is revoked.
  // Whether it has expired, the caller sees. The same pointer as long as the token stays as it is.
  PrincipalPtr find(std::string_view name) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Entry {
    std::string hash;
    PrincipalPtr principal;
    std::optional<base::Instant> until = {};  // of a former secret
    std::optional<Digest> verified = {};      // of the text that the hash was verified for
  };
  using Entries = std::map<std::string, Entry, std::less<>>;        // by lookup
  using Owners = std::map<std::string, PrincipalPtr, std::less<>>;  // by name

  static base::Result<PrincipalPtr> good_at(const Entry& entry, base::Instant now);
  static void add_secrets(const store::TokenRow& row, const Principal& owner, base::Instant now,
                          Entries& entries);
  Digest digest_of(std::string_view token) const;
  std::optional<base::Result<PrincipalPtr>> recall(const TokenParts& parts, const Digest& digest,
                                                   base::Instant now) const;
  base::Result<PrincipalPtr> verify(const TokenParts& parts, const Digest& digest,
                                    base::Instant now);
  // These require mutex_.
  void remember_failure(const Digest& digest);
  void replace(Entries entries, Owners owners, TokenChanges& changes);
  void find_next_end();

  const TokensOptions options_;
  const SecretHasher& hasher_;
  Digest key_;  // of this process
  VerificationGate gate_;

  std::mutex registry_mutex_;  // held from reading rows to having them here
  mutable std::mutex mutex_;   // for what follows
  Entries entries_;
  Owners owners_;
  std::optional<base::Instant> next_end_;  // of an overlap
  std::set<Digest> failures_;
  std::deque<Digest> failures_by_age_;
  std::uint64_t reload_count_ = 0;
};

}  // namespace weir::broker
