// SPDX-License-Identifier: Apache-2.0
#include "broker/sink_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "broker/webhook_secret.h"

namespace weir::broker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = SecretWish::Kind;

constexpr base::Instant kNow = {.nanoseconds = 1'800'000'000'000'000'000};
constexpr std::string_view kSink = "https://a.example:8443/hook";
const std::string kOld = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const std::string kNew = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

SinkConfig config(SecretWish authorization, SecretWish secret) {
  return {.options = {}, .authorization = std::move(authorization), .secret = std::move(secret)};
}

TEST(SinkSecretsTest, SurvivesTheRegistry) {
  const SinkSecrets secrets{
      .authorization = "Bearer \"x\"", .secret = kNew, .previous = kOld, .previous_until = kNow};
  EXPECT_EQ(parse_sink_secrets(to_json(secrets)).value(), secrets);
  EXPECT_EQ(parse_sink_secrets(to_json({})).value(), SinkSecrets{});
  EXPECT_EQ(parse_sink_secrets("[]").error().id, base::ErrorId::kStoreCorrupt);
}

TEST(SinkSecretsTest, MakesSecretsThatNobodyHas) {
  const auto one = grant_secrets(config({}, {Kind::kGenerate}), {.sink = kSink}, kNow).value();
  const auto other = grant_secrets(config({}, {Kind::kGenerate}), {.sink = kSink}, kNow).value();
  EXPECT_EQ(one.made_secret, one.secrets->secret);
  EXPECT_NE(one.made_secret, other.made_secret);
  EXPECT_EQ(webhook_key(one.made_secret)->size(), 32U);
}

TEST(SinkSecretsTest, RemovesWhatIsLeftOutAndKeepsWhatIsSet) {
  const SinkSecrets before{.authorization = "Bearer x", .secret = kOld};
  const SinkChange change{.sink = kSink, .sink_before = kSink, .secrets_before = &before};
  EXPECT_EQ(grant_secrets(config({}, {}), change, kNow).value().secrets, nullptr);
  const auto kept = grant_secrets(config({Kind::kKeep}, {Kind::kKeep}), change, kNow).value();
  EXPECT_EQ(*kept.secrets, before);
  EXPECT_EQ(kept.made_secret, "");
}

TEST(SinkSecretsTest, SignsWithTheSecretBeforeForADay) {
  const SinkSecrets before{.secret = kOld};
  const SinkChange change{.sink = kSink, .sink_before = kSink, .secrets_before = &before};
  const auto next = grant_secrets(config({}, {Kind::kText, kNew}), change, kNow).value().secrets;
  EXPECT_THAT(next->signing(kNow), ElementsAre(kNew, kOld));
  EXPECT_THAT(next->signing(kNow + kSecretOverlap), ElementsAre(kNew));
  // Another change within the overlap does not end it.
  const SinkChange later{.sink = kSink, .sink_before = kSink, .secrets_before = next.get()};
  const auto kept = grant_secrets(config({}, {Kind::kKeep}), later, kNow).value().secrets;
  EXPECT_THAT(kept->signing(kNow), ElementsAre(kNew, kOld));
}

// Who may change a subscription must not learn its secrets by moving its sink.
TEST(SinkSecretsTest, SendsAStoredSecretToNoOtherHost) {
  const SinkSecrets before{.authorization = "Bearer x", .secret = kOld};
  for (const std::string_view elsewhere :
       {"https://b.example:8443/hook", "http://a.example:8443/hook", "https://a.example/hook"}) {
    const SinkChange change{.sink = elsewhere, .sink_before = kSink, .secrets_before = &before};
    EXPECT_THAT(grant_secrets(config({Kind::kKeep}, {}), change, kNow).error().message,
                HasSubstr("on another host than before: give config.sink.authorization again"));
    const auto next = grant_secrets(config({}, {Kind::kText, kNew}), change, kNow).value().secrets;
    EXPECT_THAT(next->signing(kNow), ElementsAre(kNew));
  }
  const SinkChange inside{
      .sink = "https://a.example:8443/other?x", .sink_before = kSink, .secrets_before = &before};
  EXPECT_TRUE(grant_secrets(config({Kind::kKeep}, {}), inside, kNow));
}

TEST(SinkSecretsTest, CannotKeepWhatIsNotThere) {
  EXPECT_THAT(grant_secrets(config({}, {Kind::kKeep}), {.sink = kSink}, kNow).error().message,
              HasSubstr("config.sink.secret is {\"set\": true}, but none is stored"));
}

}  // namespace
}  // namespace weir::broker
