// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "event/event.h"
#include "server/binary_event.h"
#include "server/webhook_signature.h"

namespace weir::server {
namespace {

using broker::Dispatch;
using broker::SinkMode;

constexpr std::string_view kStructuredType = "application/cloudevents+json; charset=utf-8";
constexpr std::string_view kBatchType = "application/cloudevents-batch+json; charset=utf-8";
constexpr std::size_t kEventDepthMax = 1024;  // of what the broker took already
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::optional<std::string> value_of(const HttpAnswer& answer, std::string_view name) {
  const std::string* const value = answer.find(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
}

void put_batch(std::span<const Dispatch> deliveries, HttpCall& call) {
  call.fields.push_back({"Content-Type", std::string(kBatchType)});
  call.body = "[";
  for (const Dispatch& delivery : deliveries) {
    for (const broker::EventText& event : delivery.events) {
      if (call.body.size() > 1) call.body += ',';
      call.body += event.json;
    }
  }
  call.body += ']';
}

// An event that cannot be sent in binary mode goes out structured.
void put_event(std::string_view json, SinkMode mode, HttpCall& call) {
  if (mode == SinkMode::kBinary) {
    const auto event = event::decode_event(json, {.json = {.depth_max = kEventDepthMax}});
    if (event && put_binary_event(**event, call)) return;
  }
  call.fields.push_back({"Content-Type", std::string(kStructuredType)});
  call.body = json;
}

void put_numbers(const WebhookTarget& target, std::span<const Dispatch> deliveries,
                 HttpCall& call) {
  call.fields.push_back({"Weir-Subscription", target.subscription});
  call.fields.push_back({"Weir-Delivery", std::to_string(deliveries.back().number)});
  if (target.mode == SinkMode::kBatch) {
    call.fields.push_back({"Weir-Delivery-Count", std::to_string(deliveries.size())});
  }
  if (std::ranges::any_of(deliveries, &Dispatch::redelivered)) {
    call.fields.push_back({"Weir-Redelivered", "true"});
  }
}

// The same for the same deliveries, of no other subscription, and without a full stop, which
// separates it from what else is signed.
std::string message_id(const WebhookTarget& target, std::span<const Dispatch> deliveries) {
  std::string id = fmt::format("msg_{:016x}_{:x}_{}", base::hash_bytes(target.subscription),
                               static_cast<std::uint64_t>(target.created.nanoseconds),
                               deliveries.front().number);
  if (deliveries.size() > 1) id += fmt::format("_{}", deliveries.back().number);
  return id;
}

void put_authorization(const WebhookTarget& target, HttpCall& call) {
  if (!target.secrets || target.secrets->authorization.empty()) return;
  call.fields.push_back({"Authorization", target.secrets->authorization});
}

void put_signature(const WebhookTarget& target, std::span<const Dispatch> deliveries,
                   base::Instant now, HttpCall& call) {
  if (!target.secrets) return;
  const std::vector<std::string_view> secrets = target.secrets->signing(now);
  if (secrets.empty()) return;
  const std::string id = message_id(target, deliveries);
  const std::int64_t timestamp_s = now.nanoseconds / kNanosecondsPerSecond;
  call.fields.push_back({"webhook-id", id});
  call.fields.push_back({"webhook-timestamp", std::to_string(timestamp_s)});
  call.fields.push_back(
      {"webhook-signature",
       webhook_signature(secrets, {.id = id, .timestamp_s = timestamp_s, .body = call.body})});
}

}  // namespace

HttpCall permission_call(const WebhookTarget& target, std::string_view origin,
                         std::optional<std::uint32_t> requests_per_minute) {
  HttpCall call;
  call.method = "OPTIONS";
  call.target = target.url.target;
  call.fields.push_back({"WebHook-Request-Origin", std::string(origin)});
  if (requests_per_minute) {
    call.fields.push_back({"WebHook-Request-Rate", std::to_string(*requests_per_minute)});
  }
  put_authorization(target, call);
  return call;
}

broker::HandshakeOutcome permission_outcome(const base::Result<HttpAnswer>& answer,
                                            base::Instant wall) {
  broker::HandshakeOutcome outcome;
  outcome.http = delivery_outcome(answer, wall);
  if (!answer) return outcome;
  outcome.allowed_origin = value_of(*answer, "WebHook-Allowed-Origin");
  outcome.allowed_rate = value_of(*answer, "WebHook-Allowed-Rate");
  return outcome;
}

HttpCall delivery_call(const WebhookTarget& target, std::span<const Dispatch> deliveries,
                       base::Instant now) {
  HttpCall call;
  call.method = "POST";
  call.target = target.url.target;
  const bool is_one_event = deliveries.size() == 1 && !deliveries.front().is_group;
  if (is_one_event && target.mode != SinkMode::kBatch) {
    put_event(deliveries.front().events.front().json, target.mode, call);
  } else {
    put_batch(deliveries, call);
  }
  put_numbers(target, deliveries, call);
  put_authorization(target, call);
  put_signature(target, deliveries, now, call);
  return call;
}

broker::HttpOutcome delivery_outcome(const base::Result<HttpAnswer>& answer, base::Instant wall) {
  broker::HttpOutcome outcome;
  outcome.wall = wall;
  if (!answer) {
    outcome.error = answer.error().message;
    return outcome;
  }
  outcome.status = answer->status;
  outcome.retry_after = value_of(*answer, "Retry-After").value_or("");
  return outcome;
}

}  // namespace weir::server
