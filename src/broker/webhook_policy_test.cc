// SPDX-License-Identifier: Apache-2.0
#include "broker/webhook_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;
using base::Prng;
using Kind = WebhookAction::Kind;

constexpr Instant at_second(std::int64_t second) { return Instant{} + Duration::seconds(second); }

// What becomes of a delivery that is always answered so: how many attempts, and how it ends.
struct Course {
  int attempt_count = 0;
  Kind end = Kind::kRetry;
  std::string reason;
};

Course course_of(const HttpOutcome& outcome, std::uint64_t seed = 1) {
  WebhookPolicy policy;
  Prng prng(seed);
  Course course;
  Instant now = at_second(1000);
  while (course.attempt_count < 1000) {
    policy.on_send(now);
    ++course.attempt_count;
    const WebhookAction action = policy.on_result(outcome, now, prng);
    course.end = action.kind;
    course.reason = action.reason;
    if (action.kind != Kind::kRetry) break;
    EXPECT_GE(action.at, now);
    now = action.at;
  }
  return course;
}

TEST(WebhookPolicyTest, EveryStatusHasItsCourse) {
  struct Case {
    std::optional<int> status;
    int attempt_count;
    Kind end;
  };
  const std::vector<Case> cases = {
      {200, 1, Kind::kDone},  {201, 1, Kind::kDone},  {202, 1, Kind::kDone},
      {204, 1, Kind::kDone},  {299, 1, Kind::kDone},  {300, 3, Kind::kBury},
      {301, 3, Kind::kBury},  {302, 3, Kind::kBury},  {307, 3, Kind::kBury},
      {308, 3, Kind::kBury},  {400, 3, Kind::kBury},  {401, 3, Kind::kBury},
      {403, 3, Kind::kBury},  {404, 3, Kind::kBury},  {405, 3, Kind::kBury},
      {408, 12, Kind::kBury}, {410, 1, Kind::kStop},  {413, 1, Kind::kBury},
      {415, 1, Kind::kBury},  {422, 3, Kind::kBury},  {425, 12, Kind::kBury},
      {429, 12, Kind::kBury}, {500, 12, Kind::kBury}, {501, 12, Kind::kBury},
      {502, 12, Kind::kBury}, {503, 12, Kind::kBury}, {504, 12, Kind::kBury},
      {599, 12, Kind::kBury}, {600, 12, Kind::kBury}, {std::nullopt, 12, Kind::kBury},
  };
  for (const Case& c : cases) {
    const Course course = course_of({.status = c.status});
    EXPECT_EQ(course.attempt_count, c.attempt_count) << c.status.value_or(0);
    EXPECT_EQ(course.end, c.end) << c.status.value_or(0);
  }
}

TEST(WebhookPolicyTest, TellsWhyItBuries) {
  EXPECT_EQ(course_of({.status = 415}).reason, "answered 415 (not understood)");
  EXPECT_EQ(course_of({.status = 410}).reason, "answered 410 (gone)");
  const std::string redirect = course_of({.status = 302}).reason;
  EXPECT_TRUE(redirect.starts_with("3 attempts in ")) << redirect;
  EXPECT_TRUE(redirect.ends_with(" s, the last: answered 302 (redirects are not followed)"))
      << redirect;
  const std::string silent = course_of({.error = "connection refused"}).reason;
  EXPECT_TRUE(silent.starts_with("12 attempts in ")) << silent;
  EXPECT_TRUE(silent.ends_with(" s, the last: connection refused")) << silent;
}

TEST(WebhookPolicyTest, WaitsAreJitteredBelowACeilingThatDoubles) {
  std::vector<Duration> longest(11);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    WebhookPolicy policy;
    Prng prng(seed);
    for (std::size_t i = 0; i < longest.size(); ++i) {
      const WebhookAction action = policy.on_result({.status = 500}, Instant{}, prng);
      ASSERT_EQ(action.kind, Kind::kRetry);
      longest[i] = std::max(longest[i], action.at - Instant{});
    }
  }
  for (std::size_t i = 0; i < longest.size(); ++i) {
    const Duration ceiling = Duration::seconds(std::min(300, 1 << i));
    EXPECT_LE(longest[i], ceiling) << i;
    EXPECT_GT(longest[i].nanoseconds, ceiling.nanoseconds / 10 * 9) << i;
  }
}

TEST(WebhookPolicyTest, HeedsRetryAfterWithinABound) {
  struct Case {
    std::string_view retry_after;
    std::int64_t wait_seconds;  // at least
  };
  const std::vector<Case> cases = {
      {"120", 120},
      {" 120 ", 120},
      {"0", 0},
      {"100000", 900},
      {"99999999999999999999999", 900},
      {"Thu, 01 Jan 1970 00:18:40 GMT", 120},  // second 1120
      {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
      {"Fri, 31 Dec 9999 23:59:59 GMT", 900},
      {"soon", 0},
      {"-5", 0},
      {"1.5", 0},
      {"", 0},
  };
  for (const Case& c : cases) {
    for (const int status : {429, 503, 404}) {
      WebhookPolicy policy;
      Prng prng(7);
      const WebhookAction action = policy.on_result(
          {.status = status, .retry_after = std::string(c.retry_after), .wall = at_second(1000)},
          at_second(50), prng);
      EXPECT_EQ(action.kind, Kind::kRetry);
      EXPECT_GE(action.at, at_second(50 + c.wait_seconds)) << c.retry_after;
      EXPECT_LE(action.at, at_second(51 + c.wait_seconds)) << c.retry_after;
    }
  }
}

TEST(WebhookPolicyTest, ReadsHttpDates) {
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", Instant{}),
            Duration::seconds(784111777));
  for (const std::string_view text :
       {"Sun, 06 Nov 1994 08:49:37 UTC", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT+1"}) {
    EXPECT_EQ(parse_retry_after(text, Instant{}), std::nullopt) << text;
  }
}

TEST(WebhookPolicyTest, BuriesWhatIsTooOld) {
  WebhookPolicy policy;
  Prng prng(1);
  policy.on_send(at_second(0));
  HttpOutcome busy{.status = 503, .retry_after = "800"};
  EXPECT_EQ(policy.on_result(busy, at_second(10), prng).kind, Kind::kRetry);
  policy.on_send(at_second(2799));
  EXPECT_EQ(policy.on_result(busy, at_second(2799), prng).kind, Kind::kRetry);
  policy.on_send(at_second(2900));
  const WebhookAction action = policy.on_result(busy, at_second(2900), prng);
  EXPECT_EQ(action.kind, Kind::kBury);
  EXPECT_EQ(action.reason, "3 attempts in 2900 s, the last: answered 503");
}

TEST(WebhookPolicyTest, EveryDeliveryBeginsAnew) {
  WebhookPolicy policy;
  Prng prng(1);
  for (int delivery = 0; delivery < 5; ++delivery) {
    for (int i = 0; i < 11; ++i) {
      EXPECT_EQ(policy.on_result({.status = 500}, at_second(delivery), prng).kind, Kind::kRetry);
    }
    EXPECT_EQ(policy.failure_count(), 11U);
    EXPECT_EQ(policy.on_result({.status = 204}, at_second(delivery), prng), WebhookAction{});
    EXPECT_EQ(policy.failure_count(), 0U);
  }
}

TEST(WebhookPolicyTest, OnlyRefusalsInARowAreForGood) {
  WebhookPolicy policy;
  Prng prng(1);
  for (const int status : {403, 403, 500, 403, 403}) {
    EXPECT_EQ(policy.on_result({.status = status}, at_second(1), prng).kind, Kind::kRetry);
  }
  EXPECT_EQ(policy.on_result({.status = 403}, at_second(1), prng).kind, Kind::kBury);
}

struct Grant {
  std::optional<int> status;
  std::optional<std::string> origin;
  std::optional<std::string> rate;
};

WebhookAction ask(WebhookPolicy& policy, const Grant& grant) {
  Prng prng(3);
  HandshakeOutcome outcome;
  outcome.http.status = grant.status;
  outcome.allowed_origin = grant.origin;
  outcome.allowed_rate = grant.rate;
  return policy.on_handshake(outcome, "weir.example", at_second(5), prng);
}

TEST(WebhookPolicyTest, PermissionNeedsTheOrigin) {
  struct Case {
    Grant grant;
    Kind kind;
    std::string_view reason;
  };
  const std::vector<Case> cases = {
      {{200, "weir.example", {}}, Kind::kDone, ""},
      {{204, "*", "*"}, Kind::kDone, ""},
      {{200, " weir.example ", "120"}, Kind::kDone, ""},
      {{200, {}, {}}, Kind::kRetry, "permission to send: the answer has no WebHook-Allowed-Origin"},
      {{200, "other.example", "*"},
       Kind::kRetry,
       "permission to send: WebHook-Allowed-Origin is not 'weir.example'"},
      {{200, "*", "0"},
       Kind::kRetry,
       "permission to send: WebHook-Allowed-Rate is neither '*' nor a number above 0"},
      {{200, "*", "fast"},
       Kind::kRetry,
       "permission to send: WebHook-Allowed-Rate is neither '*' nor a number above 0"},
      {{405, "*", {}}, Kind::kRetry, "permission to send: answered 405"},
      {{301, "*", {}},
       Kind::kRetry,
       "permission to send: answered 301 (redirects are not followed)"},
      {{{}, {}, {}}, Kind::kRetry, "permission to send: no answer"},
      {{410, "*", {}}, Kind::kStop, "answered 410 (gone)"},
  };
  for (const Case& c : cases) {
    WebhookPolicy policy;
    const WebhookAction action = ask(policy, c.grant);
    EXPECT_EQ(action.kind, c.kind) << c.reason;
    EXPECT_EQ(action.reason, c.reason);
  }
}

TEST(WebhookPolicyTest, AsksForPermissionWithoutEnd) {
  WebhookPolicy policy;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(ask(policy, {403, {}, {}}).kind, Kind::kRetry);
  EXPECT_EQ(ask(policy, {200, "*", {}}).kind, Kind::kDone);
  EXPECT_EQ(policy.failure_count(), 0U);
}

TEST(WebhookPolicyTest, SpacesRequestsByTheAllowedRate) {
  WebhookPolicy policy;
  EXPECT_EQ(policy.send_at(at_second(9)), at_second(9));
  ASSERT_EQ(ask(policy, {200, "*", "120"}).kind, Kind::kDone);
  policy.on_send(at_second(10));
  EXPECT_EQ(policy.send_at(at_second(10)), at_second(10) + Duration::milliseconds(500));
  EXPECT_EQ(policy.send_at(at_second(11)), at_second(11));
  EXPECT_EQ(policy.send_at(at_second(3)), at_second(3) + Duration::milliseconds(500));
  ASSERT_EQ(ask(policy, {200, "*", "*"}).kind, Kind::kDone);
  EXPECT_EQ(policy.send_at(at_second(10)), at_second(10));
}

TEST(WebhookPolicyTest, ADeliveryThatIsDroppedLeavesNothingToTheNext) {
  WebhookPolicy policy({.attempt_count_max = 2});
  base::Prng prng(1);
  EXPECT_EQ(policy.on_result({.status = 500}, {}, prng).kind, WebhookAction::Kind::kRetry);
  policy.forget_delivery();
  EXPECT_EQ(policy.failure_count(), 0U);
  EXPECT_EQ(policy.on_result({.status = 500}, {}, prng).kind, WebhookAction::Kind::kRetry);
}

}  // namespace
}  // namespace weir::broker
