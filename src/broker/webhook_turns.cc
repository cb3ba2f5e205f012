// SPDX-License-Identifier: Apache-2.0
#include "broker/webhook_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/check.h"

namespace weir::broker {
namespace {

constexpr std::size_t kHostCountMin = 4096;      // hosts that are remembered while they are idle
constexpr std::uint32_t kHangCountMax = 6;       // 63 prompt answers until a host is quick again
constexpr std::uint32_t kPromptsToForgive = 64;  // in a row, then earlier hangs do not count

double seconds(base::Duration duration) { return static_cast<double>(duration.nanoseconds) / 1e9; }
double minutes(base::Instant at) { return static_cast<double>(at.nanoseconds) / 60e9; }

// At least one, so that a broker with few slots serves everybody.
std::size_t slow_part(std::size_t count) { return std::max<std::size_t>(1, count * 3 / 8); }
std::size_t new_part(std::size_t count) {
  const std::size_t not_quick = count - count / 4;
  return not_quick > slow_part(count) ? not_quick - slow_part(count) : 1;
}

}  // namespace

WebhookTurns::Ticket WebhookTurns::ask(const WebhookParty& party) {
  if (host_count_ >= tidy_at_) forget_idle();
  // No name of a token has a blank.
  const bool is_anonymous = party.owner.empty();
  const std::string key = is_anonymous ? "anonymous " + party.host : party.owner;
  Owner& owner = owners_.try_emplace(key).first->second;
  owner.is_anonymous = is_anonymous;
  const auto [found, is_new] = owner.hosts.try_emplace(party.host);
  if (is_new) ++host_count_;
  Host& host = found->second;
  host.owner = &owner;
  const Ticket ticket = ++last_ticket_;
  places_.emplace(ticket, Place{.host = &host});
  host.waiting.push_back(ticket);
  list(host);
  return ticket;
}

void WebhookTurns::withdraw(Ticket ticket) {
  const auto place = places_.find(ticket);
  WEIR_CHECK(place != places_.end() && !place->second.since);
  Host& host = *place->second.host;
  places_.erase(place);
  std::erase(host.waiting, ticket);
  list(host);
}

// A host that is not known to answer has one turn at a time.
std::size_t WebhookTurns::host_limit(const Host& host) const {
  return host.pace() == Pace::kNew || host.hang_count > 1 ? 1 : limits_.per_host;
}

// Puts the host where it belongs among the candidates of its owner.
void WebhookTurns::list(Host& host) {
  auto& candidates = host.owner->candidates;
  if (host.candidate) {
    candidates[static_cast<std::size_t>(host.candidate_pace)].erase(*host.candidate);
    host.candidate.reset();
  }
  if (host.waiting.empty() || host.held_count >= host_limit(host)) return;
  const double weight = std::log2(1.0 + static_cast<double>(host.debt));
  host.candidate = Candidate(host.effort + weight, host.waiting.front(), &host);
  host.candidate_pace = host.pace();
  candidates[static_cast<std::size_t>(host.candidate_pace)].insert(*host.candidate);
}

bool WebhookTurns::has_room(const Counts& counts, std::size_t limit, Pace pace) {
  if (counts.held_count >= limit) return false;
  if (pace == Pace::kNew) return counts.new_count < new_part(limit);
  return pace == Pace::kQuick || counts.slow_count < slow_part(limit);
}

bool WebhookTurns::may_have(const Owner& owner, Pace pace) const {
  if (owner.counts.held_count == 0 && !owner.is_anonymous) return true;
  return has_room(owner.counts, limits_.per_owner, pace) && has_room(all_, limits_.count, pace);
}

std::optional<WebhookTurns::Turn> WebhookTurns::next(base::Instant now) {
  using Rank = std::tuple<std::size_t, Candidate>;
  std::optional<Rank> best;
  for (const auto& [name, owner] : owners_) {
    for (std::size_t i = 0; i < kPaceCount; ++i) {
      const std::set<Candidate>& candidates = owner.candidates[i];
      if (candidates.empty() || !may_have(owner, static_cast<Pace>(i))) continue;
      const Rank rank(owner.counts.held_count, *candidates.begin());
      if (!best || rank < *best) best = rank;
    }
  }
  if (!best) return std::nullopt;
  const auto& [effort, ticket, host] = std::get<Candidate>(*best);
  begin(*host, ticket, now);
  return Turn{ticket, places_.at(ticket).pace};
}

void WebhookTurns::begin(Host& host, Ticket ticket, base::Instant now) {
  Place& place = places_.at(ticket);
  place.pace = host.pace();
  place.since = now;
  host.waiting.pop_front();
  ++host.held_count;
  for (Counts* const counts : {&all_, &host.owner->counts}) {
    ++counts->held_count;
    if (place.pace == Pace::kNew) ++counts->new_count;
    if (place.pace == Pace::kSlow) ++counts->slow_count;
  }
  list(host);
}

void WebhookTurns::end(Ticket ticket, bool is_answered, base::Instant now) {
  const auto found = places_.find(ticket);
  WEIR_CHECK(found != places_.end() && found->second.since);
  const Place place = found->second;
  places_.erase(found);
  Host& host = *place.host;
  --host.held_count;
  for (Counts* const counts : {&all_, &host.owner->counts}) {
    --counts->held_count;
    if (place.pace == Pace::kNew) --counts->new_count;
    if (place.pace == Pace::kSlow) --counts->slow_count;
  }
  const base::Duration used = now - *place.since;
  const double used_lately = std::exp2(host.effort - minutes(now)) + std::max(0.0, seconds(used));
  host.effort = std::log2(used_lately) + minutes(now);
  learn(host, is_answered && used < limits_.quick_time, is_answered);
  list(host);
}

void WebhookTurns::learn(Host& host, bool is_prompt, bool is_answered) {
  host.is_known = true;
  if (is_prompt) {
    if (host.debt > 0) --host.debt;
    if (++host.prompt_count >= kPromptsToForgive) host.hang_count = 0;
    return;
  }
  host.prompt_count = 0;
  // A host that answers late is slow, and no worse for it.
  if (is_answered) {
    host.debt = std::max(host.debt, 1U);
    return;
  }
  host.hang_count = std::min(host.hang_count + 1, kHangCountMax);
  host.debt = (1U << host.hang_count) - 1;
}

std::string WebhookTurns::why_waits(Ticket ticket) const {
  const Host& host = *places_.at(ticket).host;
  const Pace pace = host.pace();
  if (host.held_count >= host_limit(host)) {
    return fmt::format("{} requests to its host are under way, the limit{}", host.held_count,
                       pace == Pace::kNew    ? " until it has answered once"
                       : host.hang_count > 1 ? " since it has not answered lately"
                                             : "");
  }
  const std::string_view but = pace == Pace::kNew    ? " for hosts that are new"
                               : pace == Pace::kSlow ? " for hosts that did not answer promptly"
                                                     : "";
  if (!has_room(host.owner->counts, limits_.per_owner, pace)) {
    return fmt::format("{} requests of its owner are under way, the limit{}",
                       host.owner->counts.held_count, but);
  }
  return fmt::format("{} requests to all sinks are under way, the limit{}", all_.held_count, but);
}

void WebhookTurns::forget_idle() {
  host_count_ = 0;
  for (auto owner = owners_.begin(); owner != owners_.end();) {
    auto& hosts = owner->second.hosts;
    std::erase_if(hosts, [](const auto& host) {
      return host.second.held_count == 0 && host.second.waiting.empty();
    });
    host_count_ += hosts.size();
    owner = hosts.empty() ? owners_.erase(owner) : std::next(owner);
  }
  tidy_at_ = std::max(kHostCountMin, 2 * host_count_);
}

}  // namespace weir::broker
