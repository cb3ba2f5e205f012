// SPDX-License-Identifier: Apache-2.0
#include "runtime/nats/frame.h"

#include <gtest/gtest.h>

namespace weir::runtime::nats {
namespace {

TEST(FrameTest, ComesBackAsItWas) {
  const std::string bytes = encode({.source = {7}, .number = 9, .message = "hello"});
  EXPECT_EQ(bytes.size(), kFrameHeaderBytes + 5);
  const auto frame = decode_frame(bytes, {8});
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->source, protocol::NodeId{7});
  EXPECT_EQ(frame->number, 9U);
  EXPECT_EQ(frame->message, "hello");
}

TEST(FrameTest, NobodySpeaksForTheUserOrForTheMemberItself) {
  const auto is_taken = [](protocol::NodeId source) {
    return decode_frame(encode({.source = source, .number = 1, .message = "x"}), {8}).has_value();
  };
  EXPECT_TRUE(is_taken({7}));
  EXPECT_FALSE(is_taken({8}));
  EXPECT_FALSE(is_taken(protocol::kUser));
}

TEST(FrameTest, ShortLongAndForeignBytesAreRefused) {
  const std::string bytes = encode({.source = {7}, .number = 1, .message = ""});
  EXPECT_TRUE(decode_frame(bytes, {8}));
  EXPECT_FALSE(decode_frame(bytes.substr(0, kFrameHeaderBytes - 1), {8}));
  EXPECT_FALSE(decode_frame("\2" + bytes.substr(1), {8}));
  EXPECT_FALSE(decode_frame(bytes + std::string(protocol::kMessageBytesMax + 1, 'x'), {8}));
}

}  // namespace
}  // namespace weir::runtime::nats
