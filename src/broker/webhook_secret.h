// SPDX-License-Identifier: Apache-2.0
// Secrets that requests to a sink are signed with, as Standard Webhooks writes them: "whsec_" and
// the base64 of the key.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weir::broker {

inline constexpr std::string_view kWebhookSecretPrefix = "whsec_";
inline constexpr std::size_t kWebhookKeyBytesMin = 24;
inline constexpr std::size_t kWebhookKeyBytesMax = 64;

// The key of a secret; nullopt if the text is no secret.
std::optional<std::string> webhook_key(std::string_view secret);

// A new secret, by chance that cannot be guessed.
std::string make_webhook_secret();

}  // namespace weir::broker
