// SPDX-License-Identifier: Apache-2.0
#include "server/decode_threads.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace weir::server {

struct DecodeThreads::Threads {
  explicit Threads(std::size_t count) : pool(count) {}
  ~Threads() { pool.join(); }

  asio::thread_pool pool;
};

DecodeThreads::DecodeThreads(std::size_t thread_count)
    : threads_(std::make_unique<Threads>(thread_count)) {}

DecodeThreads::~DecodeThreads() = default;

void DecodeThreads::post(std::function<void()> work) {
  asio::post(threads_->pool, std::move(work));
}

}  // namespace weir::server
