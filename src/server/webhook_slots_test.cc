// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace weir::server {
namespace {

using testing::ElementsAre;

// Parties are "owner/host".
class WebhookSlotsTest : public testing::Test {
 protected:
  Task<void> take(std::string text) {
    const std::size_t slash = text.find('/');
    broker::WebhookParty party{.owner = text.substr(0, slash), .host = text.substr(slash + 1)};
    std::function<void(std::string)> tell = [this](std::string reason) {
      told_.push_back(std::move(reason));
    };
    WebhookSlots::Permit permit = co_await slots_.acquire(std::move(party), std::move(tell));
    served_.push_back(text);
    held_.emplace_back(std::move(text), std::move(permit));
  }

  // Who has been given a slot since it was asked last, when all of these ask in turn.
  std::vector<std::string> ask(const std::vector<std::string>& parties) {
    for (const std::string& party : parties) {
      asio::co_spawn(io_, take(party), asio::detached);
      io_.restart();
      io_.poll();
    }
    return std::exchange(served_, {});
  }
  std::vector<std::string> answer(const std::string& party) {
    const auto found = std::ranges::find(held_, party, &Held::first);
    found->second.set_answered();
    held_.erase(found);
    io_.restart();
    io_.poll();
    return std::exchange(served_, {});
  }
  Clock::time_point until(const std::string& party) {
    return std::ranges::find(held_, party, &Held::first)->second.until();
  }

  using Held = std::pair<std::string, WebhookSlots::Permit>;
  asio::io_context io_;
  WebhookSlots slots_{
      io_.get_executor(),
      {.count = 6, .per_owner = 4, .per_host = 2, .quick_time = base::Duration::seconds(3600)}};
  std::vector<std::string> served_;
  std::vector<std::string> told_;
  std::list<Held> held_;
};

TEST_F(WebhookSlotsTest, WaitsForASlot) {
  EXPECT_THAT(ask({"a/1", "a/2", "a/3", "a/4", "a/5"}), ElementsAre("a/1", "a/2"));
  EXPECT_THAT(ask({"b/1"}), ElementsAre("b/1"));
  EXPECT_THAT(answer("a/1"), ElementsAre("a/3"));
}

TEST_F(WebhookSlotsTest, ATurnOfANewHostHasAnEnd) {
  const Clock::time_point begin = Clock::now();
  EXPECT_THAT(ask({"a/1"}), ElementsAre("a/1"));
  EXPECT_GE(until("a/1"), begin + std::chrono::hours(1));
  EXPECT_LE(until("a/1"), Clock::now() + std::chrono::hours(1));
  held_.clear();  // without an answer
  EXPECT_THAT(ask({"a/1"}), ElementsAre("a/1"));
  EXPECT_EQ(until("a/1"), Clock::time_point::max()) << "it is slow";
}

TEST_F(WebhookSlotsTest, TellsWhyItWaits) {
  ask({"a/1", "a/1"});
  io_.restart();
  while (told_.empty()) io_.run_one();
  EXPECT_THAT(told_,
              ElementsAre("1 requests to its host are under way, the limit until it has answered "
                          "once"));
  EXPECT_THAT(answer("a/1"), ElementsAre("a/1"));
}

}  // namespace
}  // namespace weir::server
