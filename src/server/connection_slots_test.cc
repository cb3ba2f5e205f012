// SPDX-License-Identifier: Apache-2.0
#include "server/connection_slots.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace weir::server {
namespace {

class ConnectionSlotsTest : public testing::Test {
 protected:
  ConnectionSlots::Slot take(const char* address) {
    return slots_.take(asio::ip::make_address(address));
  }
  // Writes down who loses its place.
  std::shared_ptr<ConnectionSlots::Reserved> reserve(const std::string& address) {
    auto reserved = slots_.reserve(asio::ip::make_address(address));
    reserved->on_taken([this, address] { lost_.push_back(address); });
    return reserved;
  }

  ServerOptions options_;
  Metrics metrics_;
  ConnectionSlots slots_{options_, metrics_};
  std::vector<std::string> lost_;
};

TEST_F(ConnectionSlotsTest, LimitConnectionsOfOneAddressByDefault) {
  std::vector<ConnectionSlots::Slot> held;
  for (std::size_t i = 0; i < options_.connections_per_address_max; ++i) {
    held.push_back(take("127.0.0.1"));
    ASSERT_NE(held.back(), nullptr);
  }
  EXPECT_EQ(take("127.0.0.1"), nullptr);
  EXPECT_EQ(take("::ffff:127.0.0.1"), nullptr) << "the same, written otherwise";
  EXPECT_NE(take("127.0.0.2"), nullptr);
  held.pop_back();
  EXPECT_NE(take("127.0.0.1"), nullptr);
}

TEST_F(ConnectionSlotsTest, CountANetworkOf64BitsAsOneAddress) {
  options_.connections_per_address_max = 2;
  const auto first = take("2001:db8::1");
  const auto second = take("2001:db8::ffff:0:1");
  EXPECT_EQ(take("2001:db8:0:0:1::"), nullptr);
  EXPECT_NE(take("2001:db8:0:1::1"), nullptr);
}

TEST_F(ConnectionSlotsTest, TheOldestOfACrowdLosesItsReservedPlace) {
  const auto health = reserve("192.0.2.1");
  std::vector<std::shared_ptr<ConnectionSlots::Reserved>> crowd;
  for (std::size_t i = 1; i < ConnectionSlots::kReservedCount; ++i) {
    crowd.push_back(reserve("192.0.2.2"));
  }
  EXPECT_TRUE(lost_.empty());
  for (int i = 0; i < 10; ++i) crowd.push_back(reserve("192.0.2.2"));
  EXPECT_EQ(lost_, std::vector<std::string>(10, "192.0.2.2"));
  crowd.clear();
  const auto next = reserve("192.0.2.3");
  EXPECT_EQ(lost_.size(), 10U) << "places that were left are free";
}

TEST_F(ConnectionSlotsTest, TellsAtOnceOfAPlaceThatWasLostBefore) {
  const auto early = slots_.reserve(asio::ip::make_address("192.0.2.2"));
  std::vector<std::shared_ptr<ConnectionSlots::Reserved>> crowd;
  for (std::size_t i = 0; i < ConnectionSlots::kReservedCount; ++i) {
    crowd.push_back(reserve("192.0.2.2"));
  }
  bool is_told = false;
  early->on_taken([&] { is_told = true; });
  EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace weir::server
