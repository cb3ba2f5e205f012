// SPDX-License-Identifier: Apache-2.0
#include "server/broker_watch.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace weir::server {
namespace {

using enum Trouble::News;

// The registry is written at least with every checkpoint: so much silence means that it can be.
constexpr base::Duration kRegistrySilence = base::Duration::seconds(60);

}  // namespace

void BrokerWatch::look(base::Instant now) {
  const broker::BrokerStats stats = broker_.stats();
  look_at_events(stats, now);
  look_at_registry(stats, now);
  losses_.look(broker_.take_losses(), now);
  look_at_clock(stats);
  look_at_tokens();
}

// A failure that is over by now is seen by the count.
void BrokerWatch::look_at_events(const broker::BrokerStats& stats, base::Instant now) {
  const auto trouble = broker_.trouble();
  const std::uint64_t before = std::exchange(commit_failures_, stats.commit_failures);
  const Trouble::News news = events_.see(trouble || stats.commit_failures > before, now);
  if (news == kBegan) {
    log_.write(LogLevel::kError, "events cannot be stored, publishers are told to wait",
               {{"reason", trouble ? trouble->to_string() : std::string("a write failed")},
                {"failures", stats.commit_failures}});
  } else if (news == kEnded) {
    log_.write(LogLevel::kInfo, "events are stored again", {{"failures", stats.commit_failures}});
  }
}

void BrokerWatch::look_at_registry(const broker::BrokerStats& stats, base::Instant now) {
  const std::uint64_t before = std::exchange(registry_failures_, stats.registry_failures);
  if (stats.registry_failures > before) registry_failed_ = now;
  const bool is_there = registry_failed_ && now < *registry_failed_ + kRegistrySilence;
  const Trouble::News news = registry_.see(is_there, now);
  if (news == kNone) return;
  if (news == kBegan) {
    log_.write(LogLevel::kError, "subscriptions and acknowledgements cannot be stored",
               {{"reason", stats.registry_failure}, {"failures", stats.registry_failures}});
  } else {
    log_.write(LogLevel::kInfo, "subscriptions and acknowledgements are stored again",
               {{"failures", stats.registry_failures}});
  }
}

void BrokerWatch::look_at_clock(const broker::BrokerStats& stats) {
  const std::uint64_t forward =
      stats.clock_steps_forward - std::exchange(clock_steps_forward_, stats.clock_steps_forward);
  const std::uint64_t back =
      stats.clock_steps_back - std::exchange(clock_steps_back_, stats.clock_steps_back);
  if (forward + back == 0) return;
  constexpr double kSecond = 1e9;
  const auto seconds = [](base::Duration duration) {
    return fmt::format("{:.3f}", static_cast<double>(duration.nanoseconds) / kSecond);
  };
  const bool is_back = stats.clock_last_step < base::Duration{};
  log_.write(LogLevel::kWarning,
             is_back ? "the wall clock was set back: durations are not affected"
                     : "the wall clock was set forward: durations are not affected",
             {{"step_seconds", seconds(stats.clock_last_step)},
              {"forward", forward},
              {"back", back},
              {"broker_ahead_seconds", seconds(stats.clock_offset)}});
}

void BrokerWatch::look_at_tokens() {
  std::set<std::string> unreadable;
  for (const base::Error& error : broker_.unreadable_tokens()) {
    const auto [reason, is_new] = unreadable.insert(error.to_string());
    if (!is_new || unreadable_tokens_.contains(*reason)) continue;
    log_.write(LogLevel::kError, "a token cannot be used", {{"reason", *reason}});
  }
  unreadable_tokens_ = std::move(unreadable);
}

}  // namespace weir::server
