// SPDX-License-Identifier: Apache-2.0
#include "broker/secret_hasher.h"

#include <sodium.h>

#include <array>
#include <cerrno>

#include "base/check.h"

namespace weir::broker {
namespace {

static_assert(crypto_pwhash_OPSLIMIT_INTERACTIVE == 2U);
static_assert(crypto_pwhash_MEMLIMIT_INTERACTIVE == 65'536U * 1'024U);

base::Error no_memory() {
  return {base::ErrorId::kBrokerBusy, "not enough memory to verify a token; try again later", {}};
}

class Argon2idHasher final : public SecretHasher {
 public:
  Argon2idHasher() { WEIR_CHECK(sodium_init() >= 0); }

  base::Result<std::string> hash(std::string_view secret) const override {
    std::array<char, crypto_pwhash_STRBYTES> text{};
    const int code =
        crypto_pwhash_str(text.data(), secret.data(), secret.size(),
                          crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE);
    if (code != 0) return no_memory();
    return std::string(text.data());
  }

  base::Result<bool> verify(const std::string& hash, std::string_view secret) const override {
    errno = 0;
    if (crypto_pwhash_str_verify(hash.c_str(), secret.data(), secret.size()) == 0) return true;
    if (errno == ENOMEM) return no_memory();
    return false;
  }

  // Salt and hash are all zeros.
  std::string nobodys_hash() const override {
    return "$argon2id$v=19$m=65536,t=2,p=1$" + std::string(22, 'A') + "$" + std::string(43, 'A');
  }
};

}  // namespace

const SecretHasher& argon2id_hasher() {
  static const Argon2idHasher kHasher;
  return kHasher;
}

}  // namespace weir::broker
