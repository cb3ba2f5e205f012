// SPDX-License-Identifier: Apache-2.0
#include "protocol/catalogue/kind_name.h"

#include <gtest/gtest.h>

#include "protocol/catalogue/protocols.h"

namespace weir::protocol::catalogue {
namespace {

TEST(KindNameTest, EachMessageHasItsName) {
  EXPECT_EQ(kind_name(kind_of<probe::Put>()), "probe.put");
  EXPECT_EQ(kind_name(kind_of<probe::Sum>()), "probe.sum");
  EXPECT_EQ(kind_name(kind_of<probe::Answer>()), "probe.answer");
  EXPECT_EQ(kind_name(kind_of<chord::Lookup>()), "chord.lookup");
  EXPECT_EQ(kind_name(kind_of<chord::Introduce>()), "chord.introduce");
  EXPECT_EQ(kind_name(kind_of<chord::MulticastEnvelope>()), "chord.multicast");
  EXPECT_EQ(kind_name(kind_of<tree::Report>()), "tree.report");
  EXPECT_EQ(kind_name(kind_of<tree::Result>()), "tree.result");
  EXPECT_EQ(kind_name(kind_of<slots::Heartbeat>()), "slots.heartbeat");
  EXPECT_EQ(kind_name(kind_of<slots::View>()), "slots.view");
}

TEST(KindNameTest, ANumberWithoutAMessageIsItsName) {
  EXPECT_EQ(kind_name({.protocol = ProtocolId::kTree, .number = 31}), "tree.31");
  EXPECT_EQ(kind_name({.protocol = ProtocolId::kSlots, .number = 8}), "slots.8");
}

}  // namespace
}  // namespace weir::protocol::catalogue
