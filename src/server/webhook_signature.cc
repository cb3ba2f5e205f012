// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/check.h"
#include "broker/webhook_secret.h"
#include "event/base64.h"

namespace weir::server {
namespace {

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data,
                                text.size(), bytes.data(), &size);
  WEIR_CHECK(made != nullptr);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace

std::string webhook_signature(std::span<const std::string_view> secrets,
                              const SignedContent& content) {
  const std::string text = fmt::format("{}.{}.{}", content.id, content.timestamp_s, content.body);
  std::string signatures;
  for (const std::string_view secret : secrets) {
    const auto key = broker::webhook_key(secret);
    WEIR_CHECK(key.has_value());
    signatures += signatures.empty() ? "v1," : " v1,";
    event::append_base64(hmac_sha256(*key, text), signatures);
  }
  return signatures;
}

}  // namespace weir::server
