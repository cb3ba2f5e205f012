// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/message_testing.h"

namespace weir::protocol::probe {
namespace {

TEST(ProbeMessagesTest, AreReadAsTheyWereWritten) {
  const std::vector<Key> keys{{1}, {~0ULL}};
  const auto examples = std::make_tuple(
      Put{.key = {7}, .text = "text"}, Get{.key = {7}},
      Cast{.number = 9, .destinations = keys, .text = "text"},
      Cast{.number = 9, .destinations = KeyArc{.after = {3}, .last = {2}}, .text = ""},
      Add{.amount = std::numeric_limits<std::int64_t>::min()}, Stored{.key = {7}},
      Got{.key = {7}, .text = "text"}, Got{.key = {7}, .text = {}},
      Failed{.key = {7}, .is_put = true},
      Arrived{.number = 9, .origin = {4}, .keys = keys, .hops = 3},
      Sum{.sum = -5, .member_count = 3, .version = 8},
      Store{.key = {7}, .number = 9, .text = "text"}, Acknowledge{.key = {7}, .number = 9},
      Fetch{.key = {7}, .number = 9}, Answer{.key = {7}, .number = 9, .text = {}},
      Answer{.key = {7}, .number = 9, .text = ""});
  expect_all_same<Messages>(examples);
}

TEST(ProbeMessagesTest, HaveLimits) {
  EXPECT_TRUE(read<Put>(encode(Put{.key = {}, .text = std::string(kTextBytesMax, 'x')})));
  EXPECT_FALSE(read<Put>(encode(Put{.key = {}, .text = std::string(kTextBytesMax + 1, 'x')})));
  std::vector<Key> keys(kDestinationKeysMax);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i].value = i;
  Cast cast{.number = 0, .destinations = keys, .text = {}};
  EXPECT_FALSE(is_refused(cast));
  keys.push_back({keys.size()});
  cast.destinations = keys;
  EXPECT_TRUE(is_refused(cast));
  cast.destinations = std::vector<Key>{{2}, {1}};
  EXPECT_TRUE(is_refused(cast));
  cast.destinations = std::vector<Key>{};
  EXPECT_TRUE(is_refused(cast));
}

TEST(ProbeMessagesTest, ItemsAreReadAsTheyWereWritten) {
  const Item item{.version = {.number = 5, .origin = {6}}, .text = "text"};
  EXPECT_EQ(read_fields<Item>(encode_fields(item)), item);
  EXPECT_FALSE(read_fields<Item>(encode_fields(item) + "x"));
  EXPECT_FALSE(read_fields<Item>(""));
}

}  // namespace
}  // namespace weir::protocol::probe
