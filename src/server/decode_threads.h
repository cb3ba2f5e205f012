// SPDX-License-Identifier: Apache-2.0
// DecodeThreads: takes long bodies and filters apart off the io threads, and makes long answers, so
// that one connection does not hold up the others of its io thread. Short bodies are decoded at
// once.
//
//   std::function<base::Result<Events>()> decode = [&] { return decode_batch(body); };
//   auto events = co_await services.decode_threads.run(body.size(), std::move(decode));
//
// An event of 8 MiB takes up to 0.2 s, and so does the normal form of a short filter. How many
// bodies wait is bounded by the BodyBudget.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "server/await_callback.h"
#include "server/net.h"

namespace weir::server {

class DecodeThreads {
 public:
  static constexpr std::size_t kShortBytesMax = std::size_t{64} << 10U;

  explicit DecodeThreads(std::size_t thread_count);
  ~DecodeThreads();

  // The call may refer to what the coroutine holds.
  template <typename T>
  Task<T> run(std::size_t body_bytes, std::function<T()> decode) {
    if (body_bytes <= kShortBytesMax) co_return decode();
    T decoded = co_await run(std::move(decode));
    co_return decoded;
  }
  // Never in the io thread.
  template <typename T>
  Task<T> run(std::function<T()> decode) {
    auto start = [this, &decode](std::function<void(T)> done) {
      post([&decode, done = std::move(done)] { done(decode()); });
    };
    T decoded = co_await await_callback<T>(std::move(start));
    co_return decoded;
  }

 private:
  struct Threads;

  void post(std::function<void()> work);

  std::unique_ptr<Threads> threads_;
};

}  // namespace weir::server
