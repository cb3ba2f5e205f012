// SPDX-License-Identifier: Apache-2.0
#include "server/loss_watch.h"

#include <fmt/format.h>

#include <string_view>

namespace weir::server {
namespace {

using broker::LossKind;

constexpr base::Duration kQuiet = base::Duration::seconds(10);

struct Wording {
  std::string_view began;
  std::string_view ended;
};

constexpr Wording wording(LossKind kind) {
  switch (kind) {
    case LossKind::kExpired:
      return {"deliveries are lost: retention removes their events before they are acknowledged",
              "retention no longer removes events before they are acknowledged"};
    case LossKind::kWithheld:
      return {"deliveries are withheld: grants no longer cover their events",
              "deliveries are no longer withheld"};
    case LossKind::kSkipped:
      return {"a replay skips events that retention has removed",
              "a replay skips no events any more"};
    case LossKind::kOverBudget:
      return {
          "events are not judged: they cost more than broker.work_per_event for the owner's "
          "filters",
          "events are judged again: none is too costly for the owner's filters"};
    case LossKind::kDropped:
    case LossKind::kExpiresSoon:
      break;
  }
  return {"deliveries are lost: the outbox or the list of dead letters is full",
          "the outbox and the list of dead letters have room again"};
}

std::string shown(const std::string& subscription) {
  return subscription.empty() ? "(streams and others)" : subscription;
}

}  // namespace

void LossWatch::look(const std::vector<broker::Loss>& losses, base::Instant now) {
  for (const broker::Loss& loss : losses) {
    if (loss.kind == LossKind::kExpiresSoon) {
      log_.write(LogLevel::kWarning,
                 fmt::format("retention is about to overtake subscription {}", loss.subscription),
                 {{"subscription", loss.subscription}, {"pending", loss.count}});
      continue;
    }
    const auto [episode, is_new] = episodes_.try_emplace({loss.subscription, loss.kind});
    if (is_new) tell_began(loss);
    episode->second.count += loss.count;
    episode->second.last = now;
  }
  tell_ended(now);
}

void LossWatch::tell_began(const broker::Loss& loss) {
  log_.write(LogLevel::kWarning, wording(loss.kind).began,
             {{"subscription", shown(loss.subscription)}, {"count", loss.count}});
}

void LossWatch::tell_ended(base::Instant now) {
  for (auto episode = episodes_.begin(); episode != episodes_.end();) {
    const auto& [subscription, kind] = episode->first;
    if (now < episode->second.last + kQuiet) {
      ++episode;
      continue;
    }
    log_.write(LogLevel::kInfo, wording(kind).ended,
               {{"subscription", shown(subscription)}, {"count", episode->second.count}});
    episode = episodes_.erase(episode);
  }
}

}  // namespace weir::server
