// SPDX-License-Identifier: Apache-2.0
#include "broker/clerk.h"

#include <algorithm>
#include <utility>

namespace weir::broker {

Clerk::Clerk(store::Registry& registry, const store::EventLog& log)
    : registry_(registry), log_(log), thread_([this] { run(); }) {}

Clerk::~Clerk() { stop(); }

void Clerk::write(std::vector<store::RegistryChange> changes, Done done) {
  queue_.push({std::move(changes), std::move(done)});
}

void Clerk::stop() {
  if (!thread_.joinable()) return;
  queue_.push({{}, {}, true});
  thread_.join();
}

void Clerk::run() {
  for (bool last = false; !last;) {
    std::vector<Request> requests = queue_.pop_all();
    last = std::ranges::any_of(requests, &Request::last);
    write_all(requests);
  }
}

void Clerk::write_all(std::vector<Request>& requests) {
  std::vector<store::RegistryChange> changes;
  for (const Request& request : requests) {
    changes.insert(changes.end(), request.changes.begin(), request.changes.end());
  }
  const base::Result<void> together = apply(std::move(changes));
  for (const Request& request : requests) {
    const bool alone = !together && requests.size() > 1;
    const base::Result<void> written = alone ? apply(request.changes) : together;
    if (request.done) request.done(written);
  }
}

base::Result<void> Clerk::apply(std::vector<store::RegistryChange> changes) {
  if (changes.empty()) return {};
  changes.emplace_back(store::LogMark{log_.next_sequence() - 1});
  base::Result<void> applied = registry_.apply(changes);
  if (!applied) {
    const std::scoped_lock lock(failure_mutex_);
    failure_ = applied.error().to_string();
    ++failure_count_;
  }
  return applied;
}

std::string Clerk::failure() const {
  const std::scoped_lock lock(failure_mutex_);
  return failure_;
}

}  // namespace weir::broker
