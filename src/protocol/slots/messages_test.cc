// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/messages.h"

#include <gtest/gtest.h>

#include "protocol/slots/options.h"

namespace weir::protocol::slots {
namespace {

Envelope envelope_to(std::variant<std::vector<Key>, ArcSlots> destination) {
  return {.origin = {7},
          .incarnation = 8,
          .number = 300,
          .hops = 2,
          .destination = std::move(destination),
          .message = "inside"};
}

std::optional<Envelope> reopened(const Envelope& envelope) {
  return read<Envelope>(encode(envelope));
}

TEST(SlotMessagesTest, AHeartbeatComesBackAsItWas) {
  const Heartbeat heartbeat{
      .name = "north", .incarnation = 5, .beat = 1000, .state = MemberState::kLeaving, .view = 99};
  const std::string bytes = encode(heartbeat);
  EXPECT_EQ(kind_name(open_message(bytes).kind), "slots.heartbeat");
  const auto again = read<Heartbeat>(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(encode(*again), bytes);
  EXPECT_EQ(again->name, "north");
  EXPECT_EQ(again->state, MemberState::kLeaving);
}

TEST(SlotMessagesTest, NamesAndStatesOutOfRangeAreRefused) {
  const auto decodes = [](const Heartbeat& heartbeat) {
    return read<Heartbeat>(encode(heartbeat)).has_value();
  };
  EXPECT_TRUE(decodes({.name = std::string(kNameBytesMax, 'n')}));
  EXPECT_FALSE(decodes({.name = std::string(kNameBytesMax + 1, 'n')}));
  EXPECT_FALSE(decodes({.name = ""}));
  EXPECT_FALSE(decodes({.name = "n", .state = static_cast<MemberState>(4)}));
}

TEST(SlotMessagesTest, AnEnvelopeNamesItsKeysInOrder) {
  const auto read = reopened(envelope_to(std::vector<Key>{{1}, {5}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<std::vector<Key>>(read->destination), (std::vector<Key>{{1}, {5}}));
  EXPECT_EQ(read->message, "inside");
  EXPECT_FALSE(reopened(envelope_to(std::vector<Key>{{5}, {1}})));
  EXPECT_FALSE(reopened(envelope_to(std::vector<Key>{{5}, {5}})));
  EXPECT_FALSE(reopened(envelope_to(std::vector<Key>{})));
}

TEST(SlotMessagesTest, AnEnvelopeNamesSlotsOfItsArcOnly) {
  ArcSlots part{.arc = arc_of(3), .slots = {}};
  EXPECT_FALSE(reopened(envelope_to(part)));
  part.slots.set(3);
  const auto read = reopened(envelope_to(part));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<ArcSlots>(read->destination).slots, part.slots);
  part.slots.set(4);
  EXPECT_FALSE(reopened(envelope_to(part)));
}

TEST(SlotMessagesTest, NoBytesMayBeMissingOrLeft) {
  const std::string whole =
      encode(Items{.number = 1, .items = {{.key = {1}, .bytes = "a"}, {.key = {2}, .bytes = ""}}});
  const auto decodes = [](const std::string& bytes) { return read<Items>(bytes).has_value(); };
  EXPECT_TRUE(decodes(whole));
  EXPECT_FALSE(decodes(whole + "x"));
  for (std::size_t size = 3; size < whole.size(); ++size) {
    EXPECT_FALSE(decodes(whole.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace weir::protocol::slots
