// SPDX-License-Identifier: Apache-2.0
#include "server/stream_inbox.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>
#include <utility>

namespace weir::server {

StreamInbox::StreamInbox(asio::any_io_executor executor, std::shared_ptr<Signal> signal)
    : notify_([executor = std::move(executor), signal = std::move(signal)] {
        asio::post(executor, [signal] { signal->set(); });
      }) {}

template <typename Change>
void StreamInbox::change(Change&& change) {
  const std::lock_guard lock(mutex_);
  if (!notify_) return;
  change(contents_);
  if (!std::exchange(notified_, true)) notify_();
}

StreamInbox::Contents StreamInbox::take() {
  const std::lock_guard lock(mutex_);
  notified_ = false;
  return std::exchange(contents_, Contents{});
}

void StreamInbox::detach() {
  const std::lock_guard lock(mutex_);
  notify_ = nullptr;
  contents_ = {};
}

void StreamInbox::on_begin(const broker::SessionStart& start) {
  change([&](Contents& contents) { contents.began = start; });
}

void StreamInbox::on_dispatch(std::vector<broker::Dispatch> dispatches) {
  change([&](Contents& contents) {
    if (contents.dispatches.empty()) {
      contents.dispatches = std::move(dispatches);
    } else {
      std::ranges::move(dispatches, std::back_inserter(contents.dispatches));
    }
  });
}

void StreamInbox::on_acknowledged(std::uint64_t number) {
  change([&](Contents& contents) { contents.acknowledged = number; });
}

void StreamInbox::on_settled(std::vector<std::uint64_t> numbers) {
  change([&](Contents& contents) {
    std::ranges::copy(numbers, std::back_inserter(contents.settled));
  });
}

void StreamInbox::on_end(const base::Error& reason) {
  change([&](Contents& contents) { contents.end = reason; });
}

}  // namespace weir::server
