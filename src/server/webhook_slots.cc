// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <tuple>

namespace weir::server {
namespace {

constexpr std::chrono::seconds kQuick{1};    // an answer within it
constexpr std::chrono::seconds kDelay{1};    // that is told
constexpr double kHalvingSeconds = 60;       // for what a host has used
constexpr std::size_t kHostCountMax = 4096;  // remembered while they are idle

// What hosts that are not known to be quick may have of so many slots.
std::size_t slow_part(std::size_t count) { return std::max<std::size_t>(1, count - count / 4); }

}  // namespace

struct WebhookSlots::Waiter {
  Waiter(const asio::any_io_executor& executor, std::uint64_t the_ticket)
      : timer(executor), ticket(the_ticket) {}

  asio::steady_timer timer;
  std::uint64_t ticket;  // who came first has the lower one
  bool has_slot = false;
  bool is_quick = false;
};

struct WebhookSlots::Host {
  std::size_t held_count = 0;
  bool is_quick = false;  // the last request was answered quickly
  double used_seconds = 0;
  Clock::time_point used_at;
  std::deque<std::shared_ptr<Waiter>> waiters = {};

  bool is_idle() const { return held_count == 0 && waiters.empty(); }
  double used_lately(Clock::time_point now) const {
    const double age = std::chrono::duration<double>(now - used_at).count();
    return used_seconds * std::exp2(-age / kHalvingSeconds);
  }
};

struct WebhookSlots::Owner {
  bool is_anonymous = false;
  std::size_t held_count = 0;
  std::size_t slow_count = 0;
  std::map<std::string, Host> hosts = {};
};

WebhookSlots::WebhookSlots(asio::any_io_executor executor, Limits limits)
    : executor_(std::move(executor)), limits_(limits) {}

WebhookSlots::~WebhookSlots() = default;

// No name of a token has a blank.
WebhookSlots::Owners::iterator WebhookSlots::owner_of(const WebhookParty& party) {
  const bool is_anonymous = party.owner.empty();
  const auto key = is_anonymous ? fmt::format("anonymous {}", party.host) : party.owner;
  return owners_.try_emplace(key, Owner{.is_anonymous = is_anonymous}).first;
}

bool WebhookSlots::may_take(const Owner& owner, const Host& host) const {
  if (owner.held_count == 0 && !owner.is_anonymous) return true;
  return why_not(owner, host).empty();
}

// Empty if nothing is in the way.
std::string WebhookSlots::why_not(const Owner& owner, const Host& host) const {
  const bool is_slow = !host.is_quick;
  if (host.held_count >= limits_.per_host) {
    return fmt::format("{} requests to its host are under way, the limit", host.held_count);
  }
  if (owner.held_count >= limits_.per_owner ||
      (is_slow && owner.slow_count >= slow_part(limits_.per_owner))) {
    return fmt::format("{} requests of its owner are under way{}", owner.held_count,
                       is_slow ? ", the limit but for quick hosts" : ", the limit");
  }
  if (held_count_ >= limits_.count || (is_slow && slow_count_ >= slow_part(limits_.count))) {
    return fmt::format("{} requests to all sinks are under way{}", held_count_,
                       is_slow ? ", the limit but for quick hosts" : ", the limit");
  }
  return {};
}

void WebhookSlots::take(Owner& owner, Host& host) {
  ++host.held_count;
  ++owner.held_count;
  ++held_count_;
  if (host.is_quick) return;
  ++owner.slow_count;
  ++slow_count_;
}

Task<WebhookSlots::Permit> WebhookSlots::acquire(WebhookParty party,
                                                 std::function<void(std::string)> on_delay) {
  if (host_count_ >= kHostCountMax) forget_idle();
  Owner& owner = owner_of(party)->second;
  const auto [found, is_new] = owner.hosts.try_emplace(party.host);
  if (is_new) ++host_count_;
  Host& host = found->second;
  if (host.waiters.empty() && may_take(owner, host)) {
    const bool is_quick = host.is_quick;
    take(owner, host);
    co_return Permit(this, std::move(party), is_quick);
  }
  // Neither is forgotten while somebody waits there.
  const auto waiter = std::make_shared<Waiter>(executor_, ++ticket_);
  host.waiters.push_back(waiter);
  waiter->timer.expires_after(kDelay);
  NetError error;
  co_await waiter->timer.async_wait(to(error));
  if (!error && !waiter->has_slot) {
    on_delay(why_not(owner, host));
    waiter->timer.expires_at(Clock::time_point::max());
    co_await waiter->timer.async_wait(to(error));
  }
  if (waiter->has_slot) co_return Permit(this, std::move(party), waiter->is_quick);
  std::erase(host.waiters, waiter);
  co_return Permit();
}

void WebhookSlots::release(const WebhookParty& party, bool is_quick, Clock::time_point since) {
  Owner& owner = owner_of(party)->second;
  Host& host = owner.hosts.at(party.host);
  const Clock::time_point now = Clock::now();
  host.used_seconds = host.used_lately(now) + std::chrono::duration<double>(now - since).count();
  host.used_at = now;
  host.is_quick = now - since < kQuick;
  --host.held_count;
  --owner.held_count;
  --held_count_;
  if (!is_quick) {
    --owner.slow_count;
    --slow_count_;
  }
  give_out();
}

void WebhookSlots::give_out() {
  const Clock::time_point now = Clock::now();
  for (;;) {
    Owner* next_owner = nullptr;
    Host* next = nullptr;
    using Rank = std::tuple<std::size_t, double, std::uint64_t>;
    Rank best;
    for (auto& [name, owner] : owners_) {
      for (auto& [host_name, host] : owner.hosts) {
        if (host.waiters.empty() || !may_take(owner, host)) continue;
        const Rank rank(owner.held_count, host.used_lately(now), host.waiters.front()->ticket);
        if (next != nullptr && rank >= best) continue;
        best = rank;
        next_owner = &owner;
        next = &host;
      }
    }
    if (next == nullptr) return;
    Waiter& waiter = *next->waiters.front();
    waiter.has_slot = true;
    waiter.is_quick = next->is_quick;
    take(*next_owner, *next);
    waiter.timer.cancel();
    next->waiters.pop_front();
  }
}

void WebhookSlots::forget_idle() {
  host_count_ = 0;
  for (auto owner = owners_.begin(); owner != owners_.end();) {
    auto& hosts = owner->second.hosts;
    std::erase_if(hosts, [](const auto& host) { return host.second.is_idle(); });
    host_count_ += hosts.size();
    owner = hosts.empty() ? owners_.erase(owner) : std::next(owner);
  }
}

}  // namespace weir::server
