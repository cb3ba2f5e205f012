// SPDX-License-Identifier: Apache-2.0
// SinkSecrets: what requests to a subscription's sink are authorized and signed with. Kept apart
// from the subscription's document, in a table of its own, and shown to nobody.
//
// A signing secret that is replaced signs on, beside the new one, for kSecretOverlap, so that a
// receiver has that long to change its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/sink_config.h"

namespace weir::broker {

inline constexpr base::Duration kSecretOverlap =
    base::Duration::seconds(std::int64_t{24} * 60 * 60);

struct SinkSecrets {
  std::string authorization = {};  // the header's value; empty: none
  std::string secret = {};         // "whsec_..."; empty: requests are not signed
  std::string previous = {};       // the secret before; empty: none
  base::Instant previous_until = {};

  // Secrets that sign at this instant, the current one first.
  std::vector<std::string_view> signing(base::Instant now) const;
  bool empty() const { return authorization.empty() && secret.empty(); }

  bool operator==(const SinkSecrets&) const = default;
};
// Wiped from memory when the last of its holders goes.
using SinkSecretsPtr = std::shared_ptr<const SinkSecrets>;
SinkSecretsPtr keep_secrets(SinkSecrets secrets);

// The JSON in the registry.
std::string to_json(const SinkSecrets& secrets);
// kStoreCorrupt if it is not what to_json() writes.
base::Result<SinkSecrets> parse_sink_secrets(std::string_view json);

struct GrantedSecrets {
  SinkSecretsPtr secrets;        // null: there are none
  std::string made_secret = {};  // the signing secret if the broker made it; else empty
};

// Where a sink's secrets are sent to now, and were sent to before.
struct SinkChange {
  std::string_view sink;
  std::string_view sink_before = {};            // empty: there was none
  const SinkSecrets* secrets_before = nullptr;  // null: there were none
};

// Makes what the document asks for. kBrokerDefinition if it keeps a secret that is not stored, or
// one that would go to another host than it was given for.
base::Result<GrantedSecrets> grant_secrets(const SinkConfig& config, const SinkChange& change,
                                           base::Instant now);

}  // namespace weir::broker
