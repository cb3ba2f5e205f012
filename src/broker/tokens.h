// SPDX-License-Identifier: Apache-2.0
// Tokens: makes tokens and tells who presents one. The registry has the rows; this has a copy of
// those that are not revoked, as of the last reload().
//
// The registry keeps an Argon2id hash of a secret, which takes 60 ms and 64 MiB to verify. So a
// token that was found good is remembered by a keyed hash of its text, and one that was found bad
// is too, as one of the last few; that takes a microsecond. A few verifications run at a time, some
// wait, and more are refused with kBrokerBusy.
//
// Whatever is wrong with a token, the error is the same, and a token that is not known costs what a
// wrong secret costs. No secret is in any error, nor kept.
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

struct NewToken {
  std::string text;  // shown once, to whom it is for
  store::TokenRow row;
};

// What reload() found different.
struct TokenChanges {
  std::vector<std::string> gone;        // names of tokens that were good for something before
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

  // Adds a token to the registry. kBrokerToken if the name is malformed or taken (by a revoked
  // token too), or the time to expire has passed.
  base::Result<NewToken> create(store::Registry& registry, std::string_view name,
                                const Grants& grants, std::optional<base::Instant> expires,
                                base::Instant now);

  // Who presents this token; kBrokerUnauthenticated unless it is known, right, and not expired.
  // May take a verification's time, and that of others before it.
  base::Result<PrincipalPtr> authenticate(std::string_view token, base::Instant now);
  // The same if it can be told without a verification, at once; nothing otherwise.
  std::optional<base::Result<PrincipalPtr>> recall(std::string_view token, base::Instant now);

  // Reads the registry's rows again. What is known of bad tokens is forgotten.
  base::Result<TokenChanges> reload(store::Registry& registry);
  // Null if there is no such token, or it is revoked. Whether it has expired, the caller sees.
  PrincipalPtr find(std::string_view name) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Entry {
    store::TokenRow row;
    PrincipalPtr principal;
    std::optional<Digest> verified = {};  // of the text that the row's hash was verified for
  };
  using Entries = std::map<std::string, Entry, std::less<>>;  // by lookup

  Digest digest_of(std::string_view token) const;
  std::optional<base::Result<PrincipalPtr>> recall(const TokenParts& parts, const Digest& digest,
                                                   base::Instant now);
  base::Result<PrincipalPtr> verify(const TokenParts& parts, const Digest& digest,
                                    base::Instant now);
  // These require mutex_.
  void remember_failure(const Digest& digest);
  std::vector<std::string> replace(Entries entries);  // names that are gone

  const TokensOptions options_;
  const SecretHasher& hasher_;
  Digest key_;  // of this process
  VerificationGate gate_;

  std::mutex registry_mutex_;  // held from reading rows to having them here
  mutable std::mutex mutex_;   // for what follows
  Entries entries_;
  std::map<std::string, PrincipalPtr, std::less<>> by_name_;
  std::set<Digest> failures_;
  std::deque<Digest> failures_by_age_;
  std::uint64_t reload_count_ = 0;
};

}  // namespace weir::broker
