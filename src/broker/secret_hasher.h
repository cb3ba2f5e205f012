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
  // False if the secret is certainly wrong; takes a microsecond. True says little.
  virtual bool could_be(std::string_view hash, std::string_view secret) const = 0;
};

// Argon2id with libsodium's interactive limits: 60 ms and 64 MiB each. Behind libsodium's text a
// hash has a check of 16 bits, by which all but one in 65 536 wrong secrets are refused without
// that cost:
//
//   $argon2id$v=19$m=65536,t=2,p=1$<salt>$<hash>;check=1a2b
//
// The check is the beginning of a BLAKE2b of the text before it, which is salted, and the secret.
// It tells 16 of the secret's 256 bits to whoever can read the registry. Hashes without a check,
// which earlier versions wrote, are as good; every wrong secret costs a verification there.
const SecretHasher& argon2id_hasher();

}  // namespace weir::broker
