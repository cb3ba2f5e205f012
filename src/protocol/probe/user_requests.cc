// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/user_requests.h"

#include <algorithm>
#include <utility>

namespace weir::protocol::probe {

void UserRequests::begin(const Step& step, const Put& put) {
  begin(step, {.is_put = true, .key = put.key, .text = put.text, .retry_at = {}});
}

void UserRequests::begin(const Step& step, const Get& get) {
  begin(step, {.is_put = false, .key = get.key, .text = {}, .retry_at = {}});
}

// Numbers follow the clock, so a member that restarts without state does not use one again.
void UserRequests::begin(const Step& step, Request request) {
  if (requests_.size() >= options_.request_count_max) {
    return step.effects.drop(DropReason::kLimit);
  }
  const std::int64_t clock = std::max<std::int64_t>(step.now.nanoseconds, 0);
  last_number_ = std::max(last_number_ + 1, static_cast<std::uint64_t>(clock));
  const auto added = requests_.emplace(last_number_, std::move(request)).first;
  send(step, added->first, added->second);
  if (!next_retry_) next_retry_ = added->second.retry_at;
}

void UserRequests::send(const Step& step, std::uint64_t number, Request& request) {
  ++request.try_count;
  request.retry_at = step.now + options_.retry_interval;
  if (request.is_put) {
    step.effects.route(request.key,
                       Store{.key = request.key, .number = number, .text = request.text});
  } else {
    step.effects.route(request.key, Fetch{.key = request.key, .number = number});
  }
}

bool UserRequests::end(const Step& step, const Acknowledge& acknowledge) {
  return end(step, true, acknowledge.key, acknowledge.number);
}

bool UserRequests::end(const Step& step, const Answer& answer) {
  return end(step, false, answer.key, answer.number);
}

bool UserRequests::end(const Step& step, bool is_put, Key key, std::uint64_t number) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) {
    step.effects.drop(DropReason::kStale);
    return false;
  }
  if (found->second.is_put != is_put || found->second.key != key) {
    step.effects.drop(DropReason::kNonsense);
    return false;
  }
  requests_.erase(found);
  return true;
}

void UserRequests::retry_due(const Step& step) {
  next_retry_.reset();
  for (auto it = requests_.begin(); it != requests_.end();) {
    auto& [number, request] = *it;
    const bool is_due = request.retry_at <= step.now;
    if (is_due && request.try_count >= options_.try_count_max) {
      step.effects.deliver(Failed{.key = request.key, .is_put = request.is_put});
      it = requests_.erase(it);
      continue;
    }
    if (is_due) send(step, number, request);
    next_retry_ = std::min(next_retry_.value_or(request.retry_at), request.retry_at);
    ++it;
  }
}

}  // namespace weir::protocol::probe
