// SPDX-License-Identifier: Apache-2.0
// TokenAdmin: what an admin does with the tokens of a broker that runs.
//
// Nobody gets by it more than they have: a token that is created or rotated must not allow anything
// that the admin's own grants do not, nor outlive the admin's own token. Any admin may revoke any
// token, its own too. A change is in force when the call returns.
//
// Threads: any. Every call waits for the disk; create() and rotate() also for a hash, some 60 ms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/grants.h"

namespace weir::broker {

// A token without anything by which it could be used.
struct TokenInfo {
  std::string name;
  std::optional<Grants> grants;  // nothing: they cannot be read, so nobody can use the token
  base::Instant created;
  std::optional<base::Instant> expires = {};
  bool revoked = false;
  std::vector<base::Instant> former_until = {};  // ends of former secrets that are still valid
};

struct IssuedToken {
  std::string text;  // shown once
  TokenInfo info;
};

struct TokenRequest {
  std::string name;
  Grants grants;
  std::optional<base::Instant> expires = {};
};

// Every call fails with kBrokerForbidden for a principal that is no admin.
class TokenAdmin {
 public:
  virtual ~TokenAdmin() = default;

  virtual base::Result<IssuedToken> create(const Principal& admin, const TokenRequest& request) = 0;
  virtual base::Result<IssuedToken> rotate(const Principal& admin, std::string_view name,
                                           base::Duration overlap) = 0;
  virtual base::Result<void> revoke(const Principal& admin, std::string_view name) = 0;
  virtual base::Result<TokenInfo> get(const Principal& admin, std::string_view name) = 0;
  // In the order of names, at most count_max after the given one; revoked ones too.
  virtual base::Result<std::vector<TokenInfo>> list(const Principal& admin,
                                                    std::string_view after_name,
                                                    std::size_t count_max) = 0;
};

}  // namespace weir::broker
