// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/messages.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "protocol/message_testing.h"
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
  EXPECT_EQ(open_message(bytes).kind, kind_of<Heartbeat>());
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

TEST(SlotMessagesTest, AreReadAsTheyWereWritten) {
  ArcSlots part{.arc = arc_of(3), .slots = {}};
  part.slots.set(3);
  SlotSet own;
  own.set(1).set(1023);
  expect_all_same<Messages>(std::make_tuple(
      Heartbeat{.name = "a", .incarnation = 1, .beat = 2, .state = MemberState::kLeft, .view = 3},
      envelope_to(std::vector<Key>{{1}, {5}}), envelope_to(part),
      Items{.number = 1, .items = {{.key = {1}, .bytes = "a"}, {.key = {1}, .bytes = ""}}},
      Taken{.number = 300}, Leave{}, Left{.unmoved_count = 2}, Show{},
      View{.state = MemberState::kActive,
           .is_settled = true,
           .own_slots = own,
           .members = {{.id = {300}, .name = "a", .state = MemberState::kActive}}}));
}

TEST(SlotMessagesTest, RefusesWhatNoEncoderWrites) {
  Envelope envelope = envelope_to(std::vector<Key>{{1}});
  envelope.origin = kUser;
  EXPECT_TRUE(is_refused(envelope));
  EXPECT_TRUE(is_refused(Items{.number = 1, .items = {}}));
  EXPECT_TRUE(is_refused(Items{.number = 1, .items = std::vector<KeyItem>(kChunkItemsMax + 1)}));
  EXPECT_TRUE(is_refused(
      Items{.number = 1, .items = {{.key = {2}, .bytes = ""}, {.key = {1}, .bytes = ""}}}));
  const View::Entry entry{.id = {1}, .name = "a"};
  View view{.own_slots = {}, .members = std::vector<View::Entry>(kMembersMax, entry)};
  EXPECT_FALSE(is_refused(view));
  view.members.push_back(entry);
  EXPECT_TRUE(is_refused(view));
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
