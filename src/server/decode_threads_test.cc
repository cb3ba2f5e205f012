// SPDX-License-Identifier: Apache-2.0
#include "server/decode_threads.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <thread>

namespace weir::server {
namespace {

using Id = std::thread::id;

// Returns the thread that decodes a body of so many bytes; nullopt: a filter.
Id thread_of(std::optional<std::size_t> body_bytes) {
  DecodeThreads threads(1);
  asio::io_context context;
  Id id;
  auto work = [&]() -> Task<void> {
    std::function<Id()> decode = [] { return std::this_thread::get_id(); };
    if (body_bytes) {
      id = co_await threads.run(*body_bytes, std::move(decode));
    } else {
      id = co_await threads.run(std::move(decode));
    }
  };
  asio::co_spawn(context, work(), asio::detached);
  context.run();
  return id;
}

TEST(DecodeThreadsTest, DecodesShortBodiesInTheIoThread) {
  EXPECT_EQ(thread_of(DecodeThreads::kShortBytesMax), std::this_thread::get_id());
}

TEST(DecodeThreadsTest, DecodesLongBodiesInAnotherThread) {
  EXPECT_NE(thread_of(DecodeThreads::kShortBytesMax + 1), std::this_thread::get_id());
}

TEST(DecodeThreadsTest, TakesFiltersApartInAnotherThread) {
  EXPECT_NE(thread_of(std::nullopt), std::this_thread::get_id());
}

}  // namespace
}  // namespace weir::server
