// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_request.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::server {
namespace {

constexpr std::string_view kRedelivered = "Weir-Redelivered";

std::optional<std::string> value_of(const HttpAnswer& answer, std::string_view name) {
  const std::string* const value = answer.find(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
}

std::string batch_of(const broker::Dispatch& dispatch) {
  std::string body = "[";
  for (std::size_t i = 0; i < dispatch.events.size(); ++i) {
    if (i > 0) body += ',';
    body += dispatch.events[i].json;
  }
  return body + ']';
}

}  // namespace

HttpCall permission_call(const Url& url, std::string_view origin,
                         std::optional<std::uint32_t> requests_per_minute) {
  HttpCall call;
  call.method = "OPTIONS";
  call.target = url.target;
  call.fields.push_back({"WebHook-Request-Origin", std::string(origin)});
  if (requests_per_minute) {
    call.fields.push_back({"WebHook-Request-Rate", std::to_string(*requests_per_minute)});
  }
  return call;
}

broker::HandshakeOutcome permission_outcome(const base::Result<HttpAnswer>& answer) {
  broker::HandshakeOutcome outcome;
  outcome.http = delivery_outcome(answer);
  if (!answer) return outcome;
  outcome.allowed_origin = value_of(*answer, "WebHook-Allowed-Origin");
  outcome.allowed_rate = value_of(*answer, "WebHook-Allowed-Rate");
  return outcome;
}

HttpCall delivery_call(const Url& url, std::string_view subscription,
                       const broker::Dispatch& dispatch) {
  const bool is_group = dispatch.events.size() != 1;
  HttpCall call;
  call.method = "POST";
  call.target = url.target;
  call.fields.push_back({"Content-Type", is_group
                                             ? "application/cloudevents-batch+json; charset=utf-8"
                                             : "application/cloudevents+json; charset=utf-8"});
  call.fields.push_back({"Weir-Subscription", std::string(subscription)});
  call.fields.push_back({"Weir-Delivery", std::to_string(dispatch.number)});
  if (dispatch.redelivered) mark_redelivered(call);
  call.body = is_group ? batch_of(dispatch) : std::string(dispatch.events.front().json);
  return call;
}

void mark_redelivered(HttpCall& call) {
  if (call.fields.back().name == kRedelivered) return;
  call.fields.push_back({std::string(kRedelivered), "true"});
}

broker::HttpOutcome delivery_outcome(const base::Result<HttpAnswer>& answer) {
  broker::HttpOutcome outcome;
  if (!answer) {
    outcome.error = answer.error().message;
    return outcome;
  }
  outcome.status = answer->status;
  outcome.retry_after = value_of(*answer, "Retry-After").value_or("");
  return outcome;
}

}  // namespace weir::server
