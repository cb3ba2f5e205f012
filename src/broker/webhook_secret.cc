// SPDX-License-Identifier: Apache-2.0
#include "broker/webhook_secret.h"

#include <sodium.h>

#include "base/check.h"
#include "event/base64.h"

namespace weir::broker {
namespace {

constexpr std::size_t kMadeKeyBytes = 32;

}  // namespace

std::optional<std::string> webhook_key(std::string_view secret) {
  if (!secret.starts_with(kWebhookSecretPrefix)) return std::nullopt;
  auto key = event::decode_base64(secret.substr(kWebhookSecretPrefix.size()));
  if (!key || key->size() < kWebhookKeyBytesMin || key->size() > kWebhookKeyBytesMax) {
    return std::nullopt;
  }
  return key;
}

std::string make_webhook_secret() {
  WEIR_CHECK(sodium_init() >= 0);
  std::string key(kMadeKeyBytes, '\0');
  randombytes_buf(key.data(), key.size());
  std::string secret(kWebhookSecretPrefix);
  event::append_base64(key, secret);
  return secret;
}

}  // namespace weir::broker
