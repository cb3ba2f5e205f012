// SPDX-License-Identifier: Apache-2.0
// WebhookPolicy: what to do after a sink has answered, or has not, as a pure state machine for one
// sink and one delivery at a time (docs/webhooks.md).
//
//   2xx                      delivered
//   410                      stop for good
//   413, 415                 bury at once: the same bytes will not be taken later either
//   408, 425, 429, 5xx, no answer
//                            try again, up to attempt_count_max times or age_max, then bury
//   other 3xx and 4xx        try again, up to refusal_count_max times, then bury
//
// The n-th wait is uniform in [0, delay_base * 2^(n-1)], at most delay_max ("full jitter", Brooker
// 2015), but not shorter than the sink's Retry-After, of which at most retry_after_max is heeded.
// Requests are spaced by the rate that the sink allowed. No clock and no chance of its own: `now`
// is a reading of a clock that is never set.
//
//   const WebhookAction action = policy.on_result({.status = 503}, now, prng);
//   if (action.kind == WebhookAction::Kind::kRetry) wait_until(action.at);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/prng.h"

namespace weir::broker {

struct WebhookPolicyOptions {
  base::Duration delay_base = base::Duration::seconds(1);
  base::Duration delay_max = base::Duration::seconds(300);
  base::Duration retry_after_max = base::Duration::seconds(900);
  std::uint32_t attempt_count_max = 12;
  std::uint32_t refusal_count_max = 3;                     // attempts in a row
  base::Duration age_max = base::Duration::seconds(3600);  // since the first attempt
};

// How a request ended.
struct HttpOutcome {
  std::optional<int> status = {};  // nothing: no answer came
  std::string error = {};          // why no answer came
  std::string retry_after = {};    // the header's value; empty: none
  base::Instant wall = {};         // the wall clock when the answer came, for a Retry-After date
};

// How an OPTIONS request for permission ended.
struct HandshakeOutcome {
  HttpOutcome http = {};
  std::optional<std::string> allowed_origin = {};  // WebHook-Allowed-Origin
  std::optional<std::string> allowed_rate = {};    // WebHook-Allowed-Rate
};

struct WebhookAction {
  enum class Kind : std::uint8_t {
    kDone,   // delivered, or permission is granted
    kRetry,  // at `at`
    kBury,   // to the dead letters
    kStop,   // nothing more to this sink
  };

  Kind kind = Kind::kDone;
  base::Instant at = {};
  std::string reason = {};  // of all but kDone

  bool operator==(const WebhookAction&) const = default;
};

class WebhookPolicy {
 public:
  explicit WebhookPolicy(WebhookPolicyOptions options = {}) : options_(options) {}

  // Permission is asked for as often as it takes; the sink's answer may set the rate.
  WebhookAction on_handshake(const HandshakeOutcome& outcome, std::string_view origin,
                             base::Instant now, base::Prng& prng);

  // When the next request may be sent at the rate that the sink allowed; now or later.
  base::Instant send_at(base::Instant now) const;
  void on_send(base::Instant now);

  // After kDone, kBury and kStop the next outcome is the next delivery's.
  WebhookAction on_result(const HttpOutcome& outcome, base::Instant now, base::Prng& prng);

  // The current delivery was dropped meanwhile: the next outcome is the next delivery's.
  void forget_delivery() { finish(WebhookAction::Kind::kDone, {}); }

  // When to consume the subscription again after another connection took it over.
  base::Instant attach_at(base::Instant now) const { return now + options_.delay_max; }

  // Attempts at the current delivery that have failed.
  std::uint32_t failure_count() const { return failure_count_; }

 private:
  WebhookAction retry(const HttpOutcome& outcome, std::string reason, base::Instant now,
                      base::Prng& prng);
  WebhookAction finish(WebhookAction::Kind kind, std::string reason);
  bool set_rate(std::string_view requests_per_minute);

  WebhookPolicyOptions options_;
  base::Duration spacing_ = {};
  std::optional<base::Instant> sent_;
  std::optional<base::Instant> first_sent_;  // of the current delivery
  std::uint32_t failure_count_ = 0;
  std::uint32_t refusal_count_ = 0;
};

// A Retry-After as a wait from now, by the wall clock: seconds, or a date as in "Sun, 06 Nov 1994
// 08:49:37 GMT". Nothing if it is neither; a date that is past is no wait.
std::optional<base::Duration> parse_retry_after(std::string_view value, base::Instant now);

}  // namespace weir::broker
