// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace weir::server {
namespace {

using testing::ElementsAre;

class WebhookSlotsTest : public testing::Test {
 protected:
  Task<void> take(std::string owner) {
    WebhookSlots::Permit permit = co_await slots_.acquire(owner);
    served_.push_back(owner);
    held_.emplace_back(std::move(owner), std::move(permit));
  }

  // Who has been given a slot since it was asked last, when all of these ask in turn.
  std::vector<std::string> ask(const std::vector<std::string>& owners) {
    for (const std::string& owner : owners) {
      asio::co_spawn(io_, take(owner), asio::detached);
      io_.restart();
      io_.poll();
    }
    return std::exchange(served_, {});
  }
  std::vector<std::string> release(const std::string& owner) {
    const auto found = std::ranges::find(held_, owner, &Held::first);
    held_.erase(found);
    io_.restart();
    io_.poll();
    return std::exchange(served_, {});
  }

  using Held = std::pair<std::string, WebhookSlots::Permit>;
  asio::io_context io_;
  WebhookSlots slots_{io_.get_executor(), {.count = 4, .per_owner = 3}};
  std::vector<std::string> served_;
  std::list<Held> held_;
};

TEST_F(WebhookSlotsTest, AnOwnerHasNoMoreThanItsShare) {
  EXPECT_THAT(ask({"a", "a", "a", "a", "a"}), ElementsAre("a", "a", "a"));
  EXPECT_THAT(ask({"b"}), ElementsAre("b"));
  EXPECT_THAT(release("a"), ElementsAre("a"));
}

TEST_F(WebhookSlotsTest, AnOwnerAlwaysHasOne) {
  EXPECT_THAT(ask({"a", "a", "a", "b", "b", "c", "d"}), ElementsAre("a", "a", "a", "b", "c", "d"));
}

TEST_F(WebhookSlotsTest, WhoHasFewestIsNext) {
  EXPECT_THAT(ask({"a", "a", "b", "c"}), ElementsAre("a", "a", "b", "c"));
  EXPECT_THAT(ask({"a", "c", "b"}), ElementsAre());
  EXPECT_THAT(release("c"), ElementsAre("c")) << "it has none";
  EXPECT_THAT(release("b"), ElementsAre("b"));
  EXPECT_THAT(ask({"b", "c"}), ElementsAre());
  EXPECT_THAT(release("a"), ElementsAre("a")) << "all have one, it came first";
  EXPECT_THAT(release("a"), ElementsAre("b"));
}

}  // namespace
}  // namespace weir::server
