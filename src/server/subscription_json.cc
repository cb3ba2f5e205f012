// SPDX-License-Identifier: Apache-2.0
#include "server/subscription_json.h"

#include "event/json_writer.h"
#include "event/timestamp.h"

namespace weir::server {
namespace {

std::string time_text(base::Instant instant) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t seconds = instant.nanoseconds / kSecond;
  std::int64_t rest = instant.nanoseconds % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  return event::to_string({.seconds = seconds, .nanoseconds = static_cast<std::int32_t>(rest)});
}

void append_window(const match::DistinctStats& window, std::string& out) {
  event::JsonObject object(out);
  object.member("keys", window.key_count);
  object.member("keys_max", window.key_count_max);
  object.member("bytes", window.memory_bytes);
  if (window.memory_bytes_max) object.member("bytes_max", *window.memory_bytes_max);
  object.member("hits", window.hits);
  object.member("refuted_hits", window.refuted_hits);
  object.member("overflow", window.overflow);
  object.close();
}

}  // namespace

void append_subscription(const broker::SubscriptionInfo& info, std::string& out) {
  event::JsonObject object(out);
  object.member("id", info.id);
  if (info.definition) object.raw_members(info.definition->members());
  object.member("owner", info.owner);
  object.member("created", time_text(info.created));
  object.name("status");
  event::JsonObject status(out);
  status.member("pending", info.pending);
  status.member("delivered", info.delivered);
  status.member("acknowledged", info.acknowledged);
  status.member("dropped", info.dropped);
  status.member("conflated", info.conflated);
  status.member("redelivered", info.redelivered);
  status.member("dead_letters", info.dead_letters);
  status.member("connected", info.connected);
  if (info.window) {
    status.name("window");
    append_window(*info.window, out);
  }
  status.member("trouble", info.trouble);
  status.close();
  object.close();
}

void append_dead_letter(const store::DeadLetterRow& letter, std::string& out) {
  event::JsonObject object(out);
  object.member("number", letter.delivery);
  object.member("at", time_text(letter.at));
  object.member("reason", letter.reason);
  object.raw("events", letter.events);
  object.close();
}

}  // namespace weir::server
