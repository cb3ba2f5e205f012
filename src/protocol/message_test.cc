// SPDX-License-Identifier: Apache-2.0
#include "protocol/message.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::protocol {
namespace {

constexpr MessageKind kKind{.protocol = ProtocolId::kTree, .number = 31};

TEST(MessageTest, OpensWhatWasBegun) {
  base::ByteWriter writer = begin_message(kKind);
  writer.u8(7);
  OpenMessage message = open_message(writer.bytes());
  EXPECT_FALSE(message.refused);
  EXPECT_EQ(message.kind, kKind);
  EXPECT_EQ(message.body.u8(), 7);
  EXPECT_TRUE(message.body.done());
}

TEST(MessageTest, SaysWhyAHeaderIsRefused) {
  const std::string good = begin_message(kKind).take();
  EXPECT_EQ(open_message(good.substr(0, 2)).refused, DropReason::kMalformed);
  EXPECT_EQ(open_message(good + std::string(kMessageBytesMax, 'x')).refused,
            DropReason::kMalformed);
  EXPECT_EQ(open_message("\1" + good.substr(1)).refused, DropReason::kVersion);
  EXPECT_EQ(open_message(std::string("\2\0\1", 3)).refused, DropReason::kUnknown);
  EXPECT_EQ(open_message("\2\5\1").refused, DropReason::kUnknown);
  EXPECT_EQ(open_message("\2\1\40").refused, DropReason::kUnknown);
}

}  // namespace
}  // namespace weir::protocol
