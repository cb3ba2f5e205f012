// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_signature.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace weir::server {
namespace {

// The example of the specification's own libraries.
TEST(WebhookSignatureTest, SignsAsThePublishedExample) {
  const std::array<std::string_view, 1> secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"};
  EXPECT_EQ(webhook_signature(secrets, {.id = "msg_p5jXN8AQM9LWM0D4loKWxJek",
                                        .timestamp_s = 1614265330,
                                        .body = R"({"test": 2432232314})"}),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignatureTest, HasASignatureOfEachSecret) {
  constexpr std::string_view kOne = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  constexpr std::string_view kTwo = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  const SignedContent content{.id = "a", .timestamp_s = 1, .body = "b"};
  const auto one = webhook_signature(std::array{kOne}, content);
  const auto two = webhook_signature(std::array{kTwo}, content);
  EXPECT_NE(one, two);
  EXPECT_EQ(webhook_signature(std::array{kOne, kTwo}, content), one + " " + two);
}

}  // namespace
}  // namespace weir::server
