// SPDX-License-Identifier: Apache-2.0
// Signatures of webhooks, as the Standard Webhooks specification has them:
//
//   webhook-signature: v1,<base64 of HMAC-SHA256(key, "<webhook-id>.<webhook-timestamp>.<body>")>
//
// Several secrets give several signatures, separated by spaces; a receiver takes any of them. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::server {

struct SignedContent {
  std::string_view id;
  std::int64_t timestamp_s = 0;  // since 1970
  std::string_view body;
};

// The header's value. Requires secrets that broker::webhook_key() takes.
std::string webhook_signature(std::span<const std::string_view> secrets,
                              const SignedContent& content);

}  // namespace weir::server
