// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/messages.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "protocol/message_testing.h"

namespace weir::protocol::chord {
namespace {

const Peer kA{.node = {300}, .id = {7}};
const Peer kB{.node = {2}, .id = {0xFFFF'FFFF'FFFF'FFFF}};

// One example of each message, with a value in each field.
const auto kAll = std::make_tuple(
    Lookup{.key = {9}}, Leave{}, Found{.key = {9}, .home = kA, .hops = 3}, Left{},
    Find{.number = 1, .asker = {5}, .key = {9}, .hops = 200, .is_last = true, .is_hint = true},
    Home{.number = 1, .key = {9}, .id = {10}, .predecessor = {8}, .hops = 4},
    Ask{.number = 1, .id = {10}, .is_predecessor = true, .predecessor = Key{8}},
    Tell{.number = 1, .id = {10}, .is_moving = true, .predecessor = kA, .successors = {kB, kA}},
    Introduce{.peer = kB, .hops = 1}, Goodbye{.id = {10}, .predecessor = {}, .successors = {kB}},
    Items{.number = 1, .items = {{.key = {9}, .bytes = "text"}, {.key = {1}, .bytes = ""}}},
    Kept{.number = 1},
    RouteEnvelope{.origin = {5}, .key = {9}, .hops = 2, .is_last = true, .carried = "carried"},
    MulticastEnvelope{.origin = {5},
                      .hops = 2,
                      .range = {.after = {1}, .last = {9}},
                      .destinations = std::vector<Key>{{2}, {5}},
                      .carried = "carried"},
    MulticastEnvelope{.origin = {5},
                      .hops = 2,
                      .range = {.after = {1}, .last = {9}},
                      .destinations = KeyArc{.after = {3}, .last = {3}},
                      .carried = ""});

TEST(ChordMessagesTest, ReadsBackWhatItWroteAndNothingShorterOrLonger) {
  expect_all_same<Messages>(kAll);
}

TEST(ChordMessagesTest, RefusesWhatNoEncoderWrites) {
  EXPECT_TRUE(is_refused(Find{.number = 1, .asker = kUser, .key = {9}}));
  EXPECT_TRUE(is_refused(Found{.key = {9}, .home = kA, .hops = 70'000}));
  EXPECT_TRUE(is_refused(Introduce{.peer = {.node = kUser, .id = {1}}}));
  EXPECT_TRUE(is_refused(Tell{.number = 1, .id = {1}, .successors = std::vector<Peer>(33, kA)}));
  EXPECT_TRUE(is_refused(Items{.number = 1, .items = {}}));
  EXPECT_TRUE(is_refused(Items{.number = 1, .items = std::vector<KeyItem>(kItemsMax + 1)}));
  MulticastEnvelope multicast{.origin = {5}, .range = {}, .destinations = std::vector<Key>{}};
  EXPECT_TRUE(is_refused(multicast));
  multicast.destinations = std::vector<Key>{{5}, {5}};
  EXPECT_TRUE(is_refused(multicast));
  std::string ask = encode(Ask{.number = 1, .id = {1}});
  ask.back() = 2;
  EXPECT_FALSE(read<Ask>(ask).has_value());
}

}  // namespace
}  // namespace weir::protocol::chord
