// SPDX-License-Identifier: Apache-2.0
#include "broker/secret_hasher.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <cerrno>

#include "base/check.h"
#include "base/wiped.h"

namespace weir::broker {
namespace {

static_assert(crypto_pwhash_OPSLIMIT_INTERACTIVE == 2U);
static_assert(crypto_pwhash_MEMLIMIT_INTERACTIVE == 65'536U * 1'024U);

base::Error no_memory() {
  return {base::ErrorId::kBrokerBusy, "not enough memory to verify a token; try again later", {}};
}

constexpr std::string_view kCheckMark = ";check=";

struct HashParts {
  std::string_view argon2id;
  std::string_view check;  // empty: it has none
};

HashParts split(std::string_view hash) {
  const std::size_t mark = hash.find(kCheckMark);
  if (mark == std::string_view::npos) return {.argon2id = hash, .check = {}};
  return {.argon2id = hash.substr(0, mark), .check = hash.substr(mark + kCheckMark.size())};
}

std::string check_of(std::string_view argon2id, std::string_view secret) {
  std::string text;
  const base::Wiped wiped(text);
  text.reserve(argon2id.size() + secret.size());
  text.append(argon2id).append(secret);
  std::array<unsigned char, crypto_generichash_BYTES_MIN> digest{};
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0);
  return fmt::format("{:02x}{:02x}", digest[0], digest[1]);
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
    const std::string_view argon2id(text.data());
    return fmt::format("{}{}{}", argon2id, kCheckMark, check_of(argon2id, secret));
  }

  base::Result<bool> verify(const std::string& hash, std::string_view secret) const override {
    const std::string argon2id(split(hash).argon2id);
    errno = 0;
    if (crypto_pwhash_str_verify(argon2id.c_str(), secret.data(), secret.size()) == 0) return true;
    if (errno == ENOMEM) return no_memory();
    return false;
  }

  bool could_be(std::string_view hash, std::string_view secret) const override {
    const HashParts parts = split(hash);
    return parts.check.empty() || parts.check == check_of(parts.argon2id, secret);
  }
};

}  // namespace

const SecretHasher& argon2id_hasher() {
  static const Argon2idHasher kHasher;
  return kHasher;
}

}  // namespace weir::broker
