// SPDX-License-Identifier: Apache-2.0
#include "server/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>

namespace weir::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;

// A lookup that does not end before it is told to.
class SlowNames {
 public:
  Resolver::LookUp look_up() const {
    return [state = state_](const std::string&) -> Resolver::Addresses {
      state->began.set_value();
      state->may_end.wait();
      return {*parse_ip("192.0.2.1")};
    };
  }
  void wait_until_asked() { state_->began.get_future().wait(); }
  void answer() { may_end_.set_value(); }

 private:
  struct State {
    std::promise<void> began;
    std::shared_future<void> may_end;
  };
  std::promise<void> may_end_;
  std::shared_ptr<State> state_ =
      std::make_shared<State>(State{.began = {}, .may_end = may_end_.get_future().share()});
};

std::optional<Resolver::Addresses> resolve(asio::io_context& io, Resolver& resolver,
                                           const std::string& host, Clock::duration timeout,
                                           Resolver::Hold hold = {}) {
  auto found = asio::co_spawn(io, resolver.resolve(host, Clock::now() + timeout, std::move(hold)),
                              asio::use_future);
  while (found.wait_for(seconds(0)) != std::future_status::ready) {
    io.restart();
    io.run_one_for(milliseconds(10));
  }
  return found.get();
}

TEST(ResolverTest, FindsTheAddressesOfAName) {
  asio::io_context io;
  Resolver resolver(io.get_executor());
  const auto found = resolve(io, resolver, "localhost", seconds(30));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(*found, Contains(*parse_ip("127.0.0.1")));
  const auto none = resolve(io, resolver, "no-such-name.invalid", seconds(30));
  EXPECT_TRUE(!none || none->empty()) << "or there is nobody who could say so";
}

TEST(ResolverTest, KeepsWhatIsHeldUntilALookupHasEnded) {
  asio::io_context io;
  SlowNames names;
  Resolver resolver(io.get_executor(), names.look_up());
  auto hold = std::make_shared<int>(1);
  EXPECT_EQ(resolve(io, resolver, "slow", milliseconds(1), hold), std::nullopt);
  EXPECT_EQ(hold.use_count(), 2);
  names.answer();
  while (hold.use_count() > 1) {
    io.restart();
    io.run_one_for(milliseconds(10));
  }
}

TEST(ResolverTest, DoesNotWaitForALookupWhenItEnds) {
  SlowNames names;
  auto hold = std::make_shared<int>(1);
  {
    asio::io_context io;
    Resolver resolver(io.get_executor(), names.look_up());
    EXPECT_EQ(resolve(io, resolver, "slow", milliseconds(1), hold), std::nullopt);
    names.wait_until_asked();
  }
  EXPECT_EQ(hold.use_count(), 1);
  names.answer();
}

}  // namespace
}  // namespace weir::server
