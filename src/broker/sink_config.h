// SPDX-License-Identifier: Apache-2.0
// SinkConfig: how events are posted to a subscription's sink, read from config.sink of its
// document.
//
//   {"mode": "batch", "batch_count": 50, "batch_wait": "200ms",
//    "authorization": "Bearer ...", "secret": "whsec_..." | "generate" | {"set": true}}
//
// The two secrets are wishes: sink_secrets.h says what becomes of them. They are shown and stored
// nowhere as part of the document; {"set": true} stands in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "event/json_document.h"

namespace weir::broker {

enum class SinkMode : std::uint8_t {
  kStructured,  // an event is the body of a request
  kBinary,      // attributes are ce- headers, the data is the body
  kBatch,       // several deliveries in one request
};

struct SinkOptions {
  SinkMode mode = SinkMode::kStructured;
  std::size_t batch_count = 100;   // deliveries in a request, at most
  base::Duration batch_wait = {};  // for a batch to become full, at most

  bool operator==(const SinkOptions&) const = default;
};

// What a document asks for one of the secrets.
struct SecretWish {
  enum class Kind : std::uint8_t {
    kNone,      // there is to be none
    kKeep,      // the stored one stays
    kText,      // the one in `text`
    kGenerate,  // the broker makes one
  };
  Kind kind = Kind::kNone;
  std::string text = {};
};

struct SinkConfig {
  SinkOptions options = {};
  SecretWish authorization = {};
  SecretWish secret = {};
};

struct SinkLimits {
  std::size_t batch_count_max = 1000;
  base::Duration batch_wait_max = base::Duration::seconds(60);
  std::size_t authorization_bytes_max = 4096;
};

// Positions of errors are those in the value's own text. No message holds a secret.
base::Result<SinkConfig> read_sink_config(const event::JsonRef& value, const SinkLimits& limits);

// A document's config as it is stored and shown: without the values of secrets.
void append_config_without_secrets(const event::JsonRef& config, std::string& out);

}  // namespace weir::broker
