// SPDX-License-Identifier: Apache-2.0
#include "server/subscription_json.h"

#include "broker/letter_text.h"
#include "event/json_writer.h"
#include "event/timestamp.h"

namespace weir::server {
namespace {

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

void append_counts(const broker::DeliveryCounts& counts, event::JsonObject& status) {
  status.member("deliveries", counts.deliveries);
  status.member("pending", counts.pending);
  status.member("acknowledged", counts.settled.acknowledged);
  status.member("dropped", counts.settled.dropped);
  status.member("expired", counts.settled.expired);
  status.member("conflated", counts.settled.conflated);
  status.member("dead_letters", counts.settled.dead_letters);
  status.member("withheld", counts.settled.withheld);
  status.member("settled_through", counts.settled_through);
}

}  // namespace

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

void append_subscription(const broker::SubscriptionInfo& info, std::string& out,
                         Warnings warnings) {
  event::JsonObject object(out);
  object.member("id", info.id);
  if (info.definition) object.raw_members(info.definition->members());
  if (!info.made_secret.empty()) object.member("sink_secret", info.made_secret);
  object.member("owner", info.owner);
  object.member("created", time_text(info.created));
  object.name("status");
  event::JsonObject status(out);
  append_counts(info.counts, status);
  status.member("dead_letters_kept", info.letters_kept);
  status.member("delivered", info.delivered);
  status.member("redelivered", info.redelivered);
  status.member("connected", info.connected);
  if (info.replay) {
    status.name("replay");
    event::JsonObject replay(out);
    replay.member("next", info.replay->next_sequence);
    replay.member("last", info.replay->last_sequence);
    replay.member("skipped", info.replay->skipped);
    replay.close();
  }
  if (info.definition && info.definition->shared()) {
    status.member("consumers", info.consumers);
    status.member("in_flight", info.in_flight);
  }
  if (info.window) {
    status.name("window");
    append_window(*info.window, out);
  }
  if (info.over_budget > 0) status.member("over_budget", info.over_budget);
  status.member("trouble", info.trouble);
  status.close();
  if (!warnings.empty()) {
    object.name("warnings");
    append_warnings(warnings, out);
  }
  object.close();
}

void append_dead_letter(const store::DeadLetterRow& letter, std::string& out) {
  event::JsonObject object(out);
  object.member("number", letter.delivery);
  object.member("at", time_text(letter.at));
  object.member("reason", letter.reason);
  object.raw("events", broker::letter_events(letter.events));
  object.close();
}

}  // namespace weir::server
