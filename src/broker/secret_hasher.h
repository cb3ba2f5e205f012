// SPDX-License-Identifier: Apache-2.0
// SecretHasher: turns the secret of a token into what may be stored, and tells whether a secret is
// the one that a hash was made of.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::broker {

class SecretHasher {
 public:
  virtual ~SecretHasher() = default;

  // Fails with kBrokerBusy if there is not enough memory; so does verify().
  virtual base::Result<std::string> hash(std::string_view secret) const = 0;
  virtual base::Result<bool> verify(const std::string& hash, std::string_view secret) const = 0;
  // The hash of no known secret. To verify against it costs what it costs against any other.
  virtual std::string nobodys_hash() const = 0;
};

// Argon2id with libsodium's interactive limits: 60 ms and 64 MiB each.
const SecretHasher& argon2id_hasher();

}  // namespace weir::broker
