// SPDX-License-Identifier: Apache-2.0
#include "protocol/message_about.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/chord/messages.h"
#include "protocol/probe/messages.h"
#include "protocol/slots/messages.h"

namespace weir::protocol {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(MessageAboutTest, TellsTheKeyAndTheHopsOfAMessage) {
  EXPECT_THAT(about(probe::encode(probe::Put{.key = {5}, .text = "x"})).keys, ElementsAre(Key{5}));
  const MessageAbout find = about(chord::encode(chord::Find{
      .number = 1, .asker = {2}, .key = {7}, .hops = 3, .is_last = false, .is_hint = false}));
  EXPECT_THAT(find.keys, ElementsAre(Key{7}));
  EXPECT_EQ(find.hops, 3U);
}

TEST(MessageAboutTest, TellsWhatAnEnvelopeCarries) {
  const std::string fetch = probe::encode(probe::Fetch{.key = {9}, .number = 1});
  const MessageAbout route = about(chord::encode(chord::RouteEnvelope{
      .origin = {1}, .key = {8}, .hops = 2, .is_last = false, .carried = fetch}));
  EXPECT_THAT(route.keys, ElementsAre(Key{8}, Key{9}));
  EXPECT_EQ(route.hops, 2U);
  const MessageAbout items = about(slots::encode(slots::Items{
      .number = 1, .items = {{.key = {3}, .bytes = "a"}, {.key = {4}, .bytes = "b"}}}));
  EXPECT_THAT(items.keys, ElementsAre(Key{3}, Key{4}));
  const MessageAbout envelope =
      about(slots::encode(slots::Envelope{.origin = {1},
                                          .incarnation = 1,
                                          .number = 2,
                                          .hops = 1,
                                          .destination = std::vector<Key>{{6}},
                                          .message = fetch}));
  EXPECT_THAT(envelope.keys, Contains(Key{6}));
  EXPECT_EQ(envelope.hops, 1U);
}

TEST(MessageAboutTest, AnArcConcernsItsKeys) {
  const MessageAbout cast = about(probe::encode(
      probe::Cast{.number = 1, .destinations = KeyArc{.after = {10}, .last = {20}}, .text = ""}));
  const Ring ring;
  EXPECT_TRUE(cast.concerns(ring, {11}));
  EXPECT_TRUE(cast.concerns(ring, {20}));
  EXPECT_FALSE(cast.concerns(ring, {10}));
}

TEST(MessageAboutTest, SaysNothingOfWhatItCannotRead) {
  EXPECT_THAT(about("").keys, IsEmpty());
  EXPECT_THAT(about("nonsense").keys, IsEmpty());
  const std::string lookup = chord::encode(chord::Lookup{.key = {1}});
  for (std::size_t i = 0; i < lookup.size(); ++i) {
    EXPECT_THAT(about(std::string_view(lookup).substr(0, i)).keys, IsEmpty());
  }
}

}  // namespace
}  // namespace weir::protocol
