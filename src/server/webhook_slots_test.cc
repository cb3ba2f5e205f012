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
    WebhookParty party{.owner = text.substr(0, slash), .host = text.substr(slash + 1)};
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
  std::vector<std::string> release(const std::string& party) {
    const auto found = std::ranges::find(held_, party, &Held::first);
    held_.erase(found);
    io_.restart();
    io_.poll();
    return std::exchange(served_, {});
  }

  using Held = std::pair<std::string, WebhookSlots::Permit>;
  asio::io_context io_;
  WebhookSlots slots_{io_.get_executor(), {.count = 6, .per_owner = 4, .per_host = 2}};
  std::vector<std::string> served_;
  std::vector<std::string> told_;
  std::list<Held> held_;
};

TEST_F(WebhookSlotsTest, AnOwnerHasNoMoreThanItsShare) {
  EXPECT_THAT(ask({"a/1", "a/2", "a/3", "a/4", "a/5"}), ElementsAre("a/1", "a/2", "a/3"))
      << "one is kept for hosts that are known to be quick";
  EXPECT_THAT(ask({"b/1"}), ElementsAre("b/1"));
  EXPECT_THAT(release("a/1"), ElementsAre("a/4"));
}

TEST_F(WebhookSlotsTest, AHostHasNoMoreThanItsShareOfItsOwners) {
  EXPECT_THAT(ask({"a/1", "a/1", "a/1", "a/2"}), ElementsAre("a/1", "a/1", "a/2"));
  EXPECT_THAT(ask({"b/1"}), ElementsAre("b/1")) << "of another owner";
  EXPECT_THAT(release("a/1"), ElementsAre("a/1"));
}

TEST_F(WebhookSlotsTest, AnOwnerAlwaysHasOne) {
  EXPECT_THAT(ask({"a/1", "a/2", "a/3", "b/1", "b/2", "c/1", "c/2", "d/1"}),
              ElementsAre("a/1", "a/2", "a/3", "b/1", "b/2", "c/1", "d/1"));
}

TEST_F(WebhookSlotsTest, TheOwnerThatHasFewestIsNext) {
  EXPECT_THAT(ask({"a/1", "a/2", "a/3", "b/1", "c/1"}),
              ElementsAre("a/1", "a/2", "a/3", "b/1", "c/1"));
  EXPECT_THAT(ask({"a/4", "c/2", "b/2"}), ElementsAre());
  EXPECT_THAT(release("c/1"), ElementsAre("c/2")) << "it has none";
  EXPECT_THAT(release("b/1"), ElementsAre("b/2"));
}

TEST_F(WebhookSlotsTest, AQuickHostHasRoomBesideHostsThatNeverAnswer) {
  EXPECT_THAT(ask({"a/quick"}), ElementsAre("a/quick"));
  EXPECT_THAT(release("a/quick"), ElementsAre());
  EXPECT_THAT(ask({"a/1", "a/2", "a/3", "a/4", "a/5", "a/6"}), ElementsAre("a/1", "a/2", "a/3"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(ask({"a/quick"}), ElementsAre("a/quick"));
    EXPECT_THAT(release("a/quick"), ElementsAre());
  }
}

TEST_F(WebhookSlotsTest, AHostThatHasUsedNothingYetIsNext) {
  EXPECT_THAT(ask({"a/1", "a/2", "a/3"}), ElementsAre("a/1", "a/2", "a/3"));
  EXPECT_THAT(ask({"a/1", "a/new"}), ElementsAre());
  EXPECT_THAT(release("a/1"), ElementsAre("a/new", "a/1")) << "the last to come is the first";
}

TEST_F(WebhookSlotsTest, AnonymousHostsAreOwnersOfTheirOwn) {
  EXPECT_THAT(ask({"/1", "/1", "/1", "/2"}), ElementsAre("/1", "/1", "/2"));
  EXPECT_THAT(ask({"/3", "/3", "/4"}), ElementsAre("/3", "/3")) << "they are not promised a slot";
  EXPECT_THAT(release("/2"), ElementsAre("/4"));
}

TEST_F(WebhookSlotsTest, TellsWhyItWaits) {
  ask({"a/1", "a/1", "a/1"});
  io_.restart();
  while (told_.empty()) io_.run_one();
  EXPECT_THAT(told_, ElementsAre("2 requests to its host are under way, the limit"));
  EXPECT_THAT(release("a/1"), ElementsAre("a/1"));
}

}  // namespace
}  // namespace weir::server
