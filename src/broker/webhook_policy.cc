// SPDX-License-Identifier: Apache-2.0
#include "broker/webhook_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/instant.h"
#include "base/prng.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;
using Kind = WebhookAction::Kind;

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

enum class Verdict : std::uint8_t { kDelivered, kGone, kUnusable, kRefused, kTransient };

Verdict verdict_of(const HttpOutcome& outcome) {
  if (!outcome.status) return Verdict::kTransient;
  switch (const int status = *outcome.status; status) {
    case 410:
      return Verdict::kGone;
    case 413:
    case 415:
      return Verdict::kUnusable;
    case 408:
    case 425:
    case 429:
      return Verdict::kTransient;
    default:
      if (status >= 200 && status < 300) return Verdict::kDelivered;
      return status >= 300 && status < 500 ? Verdict::kRefused : Verdict::kTransient;
  }
}

std::string_view hint_of(int status) {
  if (status >= 300 && status < 400) return " (redirects are not followed)";
  if (status == 410) return " (gone)";
  if (status == 413) return " (too large)";
  if (status == 415) return " (not understood)";
  return "";
}

std::string text_of(const HttpOutcome& outcome) {
  if (!outcome.status) return outcome.error.empty() ? "no answer" : outcome.error;
  return fmt::format("answered {}{}", *outcome.status, hint_of(*outcome.status));
}

// A whole number in decimal digits. One that is too large is the largest.
std::optional<std::int64_t> parse_number(std::string_view text) {
  const bool is_number =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return std::nullopt;
  std::int64_t number = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() ? number : std::numeric_limits<std::int64_t>::max();
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::optional<int> month_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto* const found = std::ranges::find(kMonths, name);
  if (found == kMonths.end()) return std::nullopt;
  return static_cast<int>(found - kMonths.begin()) + 1;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that RFC 9110 lets senders make.
std::optional<Instant> parse_http_date(std::string_view text) {
  constexpr std::string_view kShape = "www, dd mmm yyyy hh:nn:ss GMT";
  if (text.size() != kShape.size() || text.substr(25) != " GMT") return std::nullopt;
  for (const std::size_t at : {3U, 4U, 7U, 11U, 16U, 19U, 22U}) {
    if (text[at] != kShape[at]) return std::nullopt;
  }
  const auto day = parse_number(text.substr(5, 2));
  const auto month = month_of(text.substr(8, 3));
  const auto year = parse_number(text.substr(12, 4));
  const auto hour = parse_number(text.substr(17, 2));
  const auto minute = parse_number(text.substr(20, 2));
  const auto second = parse_number(text.substr(23, 2));
  if (!day || !month || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return Instant{} + Duration::seconds(((days * 24 + *hour) * 60 + *minute) * 60 + *second);
}

// Uniform in [0, base * 2^(failure_count - 1)], at most max.
Duration backoff(const WebhookPolicyOptions& options, std::uint32_t failure_count,
                 base::Prng& prng) {
  std::int64_t ceiling = std::min(options.delay_base, options.delay_max).nanoseconds;
  for (std::uint32_t i = 1; i < failure_count && ceiling < options.delay_max.nanoseconds; ++i) {
    ceiling =
        ceiling > options.delay_max.nanoseconds / 2 ? options.delay_max.nanoseconds : ceiling * 2;
  }
  return Duration{static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(ceiling) + 1))};
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view value, Instant now) {
  value = trim(value);
  if (const auto seconds = parse_number(value)) return Duration::seconds(*seconds);
  const auto date = parse_http_date(value);
  if (!date) return std::nullopt;
  return std::max(*date - now, Duration{});
}

WebhookAction WebhookPolicy::on_handshake(const HandshakeOutcome& outcome, std::string_view origin,
                                          Instant now, base::Prng& prng) {
  ++failure_count_;
  const Verdict verdict = verdict_of(outcome.http);
  if (verdict == Verdict::kGone) return finish(Kind::kStop, text_of(outcome.http));
  if (verdict != Verdict::kDelivered) {
    return retry(outcome.http, "permission to send: " + text_of(outcome.http), now, prng);
  }
  if (!outcome.allowed_origin) {
    return retry(outcome.http, "permission to send: the answer has no WebHook-Allowed-Origin", now,
                 prng);
  }
  if (const auto allowed = trim(*outcome.allowed_origin); allowed != "*" && allowed != origin) {
    return retry(outcome.http,
                 fmt::format("permission to send: WebHook-Allowed-Origin is not '{}'", origin), now,
                 prng);
  }
  if (!set_rate(outcome.allowed_rate.value_or("*"))) {
    return retry(outcome.http,
                 "permission to send: WebHook-Allowed-Rate is neither '*' nor a number above 0",
                 now, prng);
  }
  return finish(Kind::kDone, {});
}

Instant WebhookPolicy::send_at(Instant now) const {
  if (!sent_) return now;
  // A clock that was set back makes nobody wait for longer than the spacing.
  return std::max(now, std::min(*sent_, now) + spacing_);
}

void WebhookPolicy::on_send(Instant now) {
  sent_ = now;
  if (!first_sent_) first_sent_ = now;
}

WebhookAction WebhookPolicy::on_result(const HttpOutcome& outcome, Instant now, base::Prng& prng) {
  const Verdict verdict = verdict_of(outcome);
  if (verdict == Verdict::kDelivered) return finish(Kind::kDone, {});
  if (verdict == Verdict::kGone) return finish(Kind::kStop, text_of(outcome));
  if (verdict == Verdict::kUnusable) return finish(Kind::kBury, text_of(outcome));

  ++failure_count_;
  refusal_count_ = verdict == Verdict::kRefused ? refusal_count_ + 1 : 0;
  const Instant first = first_sent_.value_or(now);
  WebhookAction action = retry(outcome, text_of(outcome), now, prng);
  const bool is_last = failure_count_ >= options_.attempt_count_max ||
                       refusal_count_ >= options_.refusal_count_max ||
                       action.at - first > options_.age_max;
  if (!is_last) return action;
  return finish(Kind::kBury,
                fmt::format("{} attempts in {} s, the last: {}", failure_count_,
                            (now - first).nanoseconds / kNanosecondsPerSecond, action.reason));
}

WebhookAction WebhookPolicy::retry(const HttpOutcome& outcome, std::string reason, Instant now,
                                   base::Prng& prng) {
  Duration wait = backoff(options_, failure_count_, prng);
  if (const auto asked = parse_retry_after(outcome.retry_after, outcome.wall)) {
    wait = std::max(wait, std::min(*asked, options_.retry_after_max));
  }
  return {.kind = Kind::kRetry, .at = now + wait, .reason = std::move(reason)};
}

WebhookAction WebhookPolicy::finish(Kind kind, std::string reason) {
  failure_count_ = 0;
  refusal_count_ = 0;
  first_sent_.reset();
  return {.kind = kind, .at = {}, .reason = std::move(reason)};
}

bool WebhookPolicy::set_rate(std::string_view requests_per_minute) {
  const std::string_view text = trim(requests_per_minute);
  if (text == "*") {
    spacing_ = {};
    return true;
  }
  const auto rate = parse_number(text);
  if (!rate || *rate == 0) return false;
  spacing_ = Duration{60 * kNanosecondsPerSecond / *rate};
  return true;
}

}  // namespace weir::broker
