// SPDX-License-Identifier: Apache-2.0
// Waits in a coroutine for something that answers by a callback from another thread.
//
//   auto start = [&](std::function<void(Answer)> done) { broker.ask(question, std::move(done)); };
//   const Answer answer = co_await await_callback<Answer>(std::move(start));
//
// The callback must come, once; the coroutine goes on in its own io thread.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "server/net.h"

namespace weir::server {

template <typename T, typename Start>
Task<T> await_callback(Start start) {
  auto initiate = [&start](auto handler) {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    auto executor = asio::get_associated_executor(*shared);
    start(std::function<void(T)>([shared, executor](T value) {
      auto resume = [shared, value = std::move(value)]() mutable {
        auto once = std::move(*shared);
        std::move(once)(std::move(value));
      };
      asio::post(executor, std::move(resume));
    }));
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(T)>(
      initiate, asio::use_awaitable);
}

}  // namespace weir::server
