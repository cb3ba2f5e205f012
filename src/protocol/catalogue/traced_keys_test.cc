// SPDX-License-Identifier: Apache-2.0
#include "protocol/catalogue/traced_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/chord/messages.h"
#include "protocol/probe/messages.h"
#include "protocol/slots/messages.h"
#include "protocol/tree/messages.h"

namespace weir::protocol::catalogue {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(TracedKeysTest, TellsTheKeyAndTheHopsOfAMessage) {
  EXPECT_THAT(traced_keys(probe::encode(probe::Put{.key = {5}, .text = "x"})).keys,
              ElementsAre(Key{5}));
  const TracedKeys find = traced_keys(chord::encode(chord::Find{
      .number = 1, .asker = {2}, .key = {7}, .hops = 3, .is_last = false, .is_hint = false}));
  EXPECT_THAT(find.keys, ElementsAre(Key{7}));
  EXPECT_EQ(find.hops, 3U);
}

TEST(TracedKeysTest, TellsWhatAnEnvelopeCarries) {
  const std::string fetch = probe::encode(probe::Fetch{.key = {9}, .number = 1});
  const TracedKeys route = traced_keys(chord::encode(chord::RouteEnvelope{
      .origin = {1}, .key = {8}, .hops = 2, .is_last = false, .carried = fetch}));
  EXPECT_THAT(route.keys, ElementsAre(Key{8}, Key{9}));
  EXPECT_EQ(route.hops, 2U);
  const TracedKeys items = traced_keys(slots::encode(slots::Items{
      .number = 1, .items = {{.key = {3}, .bytes = "a"}, {.key = {4}, .bytes = "b"}}}));
  EXPECT_THAT(items.keys, ElementsAre(Key{3}, Key{4}));
  const TracedKeys envelope =
      traced_keys(slots::encode(slots::Envelope{.origin = {1},
                                                .incarnation = 1,
                                                .number = 2,
                                                .hops = 1,
                                                .destination = std::vector<Key>{{6}},
                                                .message = fetch}));
  EXPECT_THAT(envelope.keys, Contains(Key{6}));
  EXPECT_EQ(envelope.hops, 1U);
}

TEST(TracedKeysTest, AnArcConcernsItsKeys) {
  const TracedKeys cast = traced_keys(probe::encode(
      probe::Cast{.number = 1, .destinations = KeyArc{.after = {10}, .last = {20}}, .text = ""}));
  const Ring ring;
  EXPECT_TRUE(cast.concern(ring, {11}));
  EXPECT_TRUE(cast.concern(ring, {20}));
  EXPECT_FALSE(cast.concern(ring, {10}));
}

TEST(TracedKeysTest, AMulticastIsTracedByItsOwnDestinationsOnly) {
  const std::string cast = probe::encode(
      probe::Cast{.number = 1, .destinations = std::vector<Key>{{3}, {4}}, .text = ""});
  const TracedKeys multicast =
      traced_keys(chord::encode(chord::MulticastEnvelope{.origin = {1},
                                                         .hops = 2,
                                                         .range = {.after = {1}, .last = {3}},
                                                         .destinations = std::vector<Key>{{3}},
                                                         .carried = cast}));
  EXPECT_THAT(multicast.keys, ElementsAre(Key{3}));
  EXPECT_THAT(multicast.arcs, IsEmpty());
  EXPECT_EQ(multicast.hops, 2U);
}

TEST(TracedKeysTest, ATreeHasNoTracedKeys) {
  const TracedKeys leave = traced_keys(tree::encode(tree::Leave{.tree = {1}, .session = 2}));
  EXPECT_THAT(leave.keys, IsEmpty());
  EXPECT_FALSE(leave.hops);
}

TEST(TracedKeysTest, SaysNothingOfWhatItCannotRead) {
  EXPECT_THAT(traced_keys("").keys, IsEmpty());
  EXPECT_THAT(traced_keys("nonsense").keys, IsEmpty());
  const std::string lookup = chord::encode(chord::Lookup{.key = {1}});
  for (std::size_t i = 0; i < lookup.size(); ++i) {
    EXPECT_THAT(traced_keys(std::string_view(lookup).substr(0, i)).keys, IsEmpty());
  }
}

}  // namespace
}  // namespace weir::protocol::catalogue
