// SPDX-License-Identifier: Apache-2.0
// Any answer of a sink, a status and lines `name: value`: what follows from it is bounded. Waits
// are not longer than the policy's, and whatever it says is no reason to send less than one request
// a minute, or to send to an origin that it does not allow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/prng.h"
#include "server/webhook_request.h"

namespace {

using namespace weir::server;
using weir::base::Duration;
using weir::base::Instant;
using weir::broker::WebhookAction;
using weir::broker::WebhookPolicy;
using weir::broker::WebhookPolicyOptions;

constexpr Instant kNow = {.nanoseconds = 1'800'000'000'000'000'000};

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

HttpAnswer answer_of(std::string_view text) {
  HttpAnswer answer;
  for (const char c : take_line(text)) answer.status = (answer.status * 10 + (c & 0xF)) % 1000;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t colon = std::min(line.find(':'), line.size());
    answer.fields.push_back({std::string(line.substr(0, colon)),
                             std::string(line.substr(std::min(colon + 2, line.size())))});
  }
  return answer;
}

void check_wait(const WebhookAction& action) {
  if (action.kind != WebhookAction::Kind::kRetry) return;
  const WebhookPolicyOptions options;
  const Duration longest = std::max(options.delay_max, options.retry_after_max);
  WEIR_CHECK(action.at >= kNow && action.at <= kNow + longest);
  WEIR_CHECK(!action.reason.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const HttpAnswer answer = answer_of(std::string(data, data + size));
  weir::base::Prng prng(1);
  WebhookPolicy asking;
  const WebhookAction permission =
      asking.on_handshake(permission_outcome(answer, kNow), "weir.example", kNow, prng);
  check_wait(permission);
  if (permission.kind == WebhookAction::Kind::kDone) {
    const std::string* const origin = answer.find("WebHook-Allowed-Origin");
    WEIR_CHECK(origin != nullptr && answer.status / 100 == 2);
    asking.on_send(kNow);
    WEIR_CHECK(asking.send_at(kNow) <= kNow + Duration::seconds(60));
  }
  WebhookPolicy policy;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const WebhookAction action = policy.on_result(delivery_outcome(answer, kNow), kNow, prng);
    check_wait(action);
    WEIR_CHECK((action.kind == WebhookAction::Kind::kDone) == (answer.status / 100 == 2));
  }
  return 0;
}
