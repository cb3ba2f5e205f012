// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "protocol/message_testing.h"

namespace weir::protocol::probe {
namespace {

TEST(ProbeMessagesTest, AreReadAsTheyWereWritten) {
  const std::vector<Key> keys{{1}, {~0ULL}};
  expect_same(Put{.key = {7}, .text = "text"});
  expect_same(Get{.key = {7}});
  expect_same(Cast{.number = 9, .destinations = keys, .text = "text"});
  expect_same(Cast{.number = 9, .destinations = KeyArc{.after = {3}, .last = {2}}, .text = ""});
  expect_same(Add{.amount = std::numeric_limits<std::int64_t>::min()});
  expect_same(Stored{.key = {7}});
  expect_same(Got{.key = {7}, .text = "text"});
  expect_same(Got{.key = {7}, .text = {}});
  expect_same(Failed{.key = {7}, .is_put = true});
  expect_same(Arrived{.number = 9, .origin = {4}, .keys = keys, .hops = 3});
  expect_same(Sum{.sum = -5, .member_count = 3, .version = 8});
  expect_same(Store{.key = {7}, .number = 9, .text = "text"});
  expect_same(Acknowledge{.key = {7}, .number = 9});
  expect_same(Fetch{.key = {7}, .number = 9});
  expect_same(Answer{.key = {7}, .number = 9, .text = {}});
  expect_same(Answer{.key = {7}, .number = 9, .text = ""});
}

TEST(ProbeMessagesTest, HaveLimits) {
  EXPECT_TRUE(read<Put>(encode(Put{.key = {}, .text = std::string(kTextBytesMax, 'x')})));
  EXPECT_FALSE(read<Put>(encode(Put{.key = {}, .text = std::string(kTextBytesMax + 1, 'x')})));
  Cast cast{.number = 0, .destinations = std::vector<Key>(kCastKeysMax), .text = {}};
  EXPECT_TRUE(read<Cast>(encode(cast)));
  cast.destinations = std::vector<Key>(kCastKeysMax + 1);
  EXPECT_FALSE(read<Cast>(encode(cast)));
}

TEST(ProbeMessagesTest, ItemsAreReadAsTheyWereWritten) {
  const Item item{.version = {.number = 5, .origin = {6}}, .text = "text"};
  EXPECT_EQ(decode_item(encode_item(item)), item);
  EXPECT_FALSE(decode_item(encode_item(item) + "x"));
  EXPECT_FALSE(decode_item(""));
}

TEST(ProbeMessagesTest, KindsHaveNames) {
  EXPECT_EQ(kind_name(kind_of(Kind::kPut)), "probe.put");
  EXPECT_EQ(kind_name(kind_of(Kind::kSum)), "probe.sum");
  EXPECT_EQ(kind_name(kind_of(Kind::kAnswer)), "probe.answer");
}

}  // namespace
}  // namespace weir::protocol::probe
