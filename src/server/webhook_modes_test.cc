// SPDX-License-Identifier: Apache-2.0
// How the sender posts: modes, batches, authorization, signatures, and whom it need not ask.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_testing.h"
#include "server/webhook_broker_testing.h"
#include "server/webhook_receiver_testing.h"
#include "server/webhook_sender.h"

namespace weir::server {
namespace {

using base::describe;
using base::Duration;
using ::testing::StartsWith;
using Numbers = std::vector<std::uint64_t>;
using Peer = WebhookReceiver::Peer;

constexpr std::string_view kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view kOldSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

std::string event_text(std::string_view id, std::string_view more = "") {
  return fmt::format(R"({{"specversion":"1.0","id":"{}","source":"/s","type":"t"{}}})", id, more);
}

// As a receiver works it out, by OpenSSL's base64.
std::string signature_of(std::string_view secret, std::string_view text) {
  const std::string base64(secret.substr(6));
  std::array<unsigned char, 64> key{};
  const int key_bytes =
      EVP_DecodeBlock(key.data(), reinterpret_cast<const unsigned char*>(base64.data()),
                      static_cast<int>(base64.size()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned mac_bytes = 0;
  HMAC(EVP_sha256(), key.data(), key_bytes, reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), mac.data(), &mac_bytes);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> out{};
  const int out_bytes = EVP_EncodeBlock(out.data(), mac.data(), static_cast<int>(mac_bytes));
  return "v1," + std::string(reinterpret_cast<const char*>(out.data()),
                             static_cast<std::size_t>(out_bytes));
}

WebhookReceiver::Handler answering(std::function<std::string(const ReceivedRequest&)> answer) {
  return [answer = std::move(answer)](const ReceivedRequest& request, Peer& peer) {
    if (request.method == "OPTIONS") {
      return peer.send(http_answer("200 OK", "WebHook-Allowed-Origin: *\r\n"));
    }
    peer.send(answer(request));
  };
}

std::string taken(const ReceivedRequest& /*request*/) { return http_answer("204 No Content"); }

class WebhookModesTest : public ::testing::Test {
 protected:
  WebhookModesTest() {
    options_.origin = "weir.example";
    options_.allowed_networks = {*parse_cidr("127.0.0.0/8")};
    options_.policy.delay_base = Duration::milliseconds(1);
    options_.policy.delay_max = Duration::milliseconds(4);
    options_.policy.attempt_count_max = 4;
  }
  void TearDown() override {
    if (sender_) sender_->stop();
  }

  void begin(const WebhookReceiver& receiver, std::string_view config,
             broker::SinkSecrets secrets = {}) {
    auto sender = WebhookSender::create(broker_, options_);
    ASSERT_EQ(describe(sender), "ok");
    sender_ = *std::move(sender);
    auto info = WebhookBroker::subscription("s", receiver.url());
    info.definition =
        broker::Definition::parse(
            fmt::format(R"({{"sink":"{}","config":{{"sink":{}}}}})", receiver.url(), config))
            .value();
    info.created = {.nanoseconds = 255};
    info.sink_secrets = std::make_shared<const broker::SinkSecrets>(std::move(secrets));
    sender_->on_sink(info);
  }
  bool acknowledges(std::uint64_t number) {
    return broker_.wait_until("s", [&](const SinkRecord& record) {
      return !record.acknowledged.empty() && record.acknowledged.back() == number;
    });
  }

  static std::vector<ReceivedRequest> posts(WebhookReceiver& receiver) {
    std::vector<ReceivedRequest> posted;
    for (ReceivedRequest& request : receiver.requests()) {
      if (request.method == "POST") posted.push_back(std::move(request));
    }
    return posted;
  }

  WebhookOptions options_;
  WebhookBroker broker_;
  std::shared_ptr<WebhookSender> sender_;
};

TEST_F(WebhookModesTest, AuthorizesItselfAlsoWhenItAsksForPermission) {
  WebhookReceiver receiver(answering(taken));
  broker_.add("s", {event_text("1")});
  begin(receiver, "{}", {.authorization = "Bearer abc"});
  ASSERT_TRUE(acknowledges(1));
  const auto requests = receiver.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].field("authorization"), "Bearer abc");
  EXPECT_EQ(requests[1].field("authorization"), "Bearer abc");
  EXPECT_EQ(requests[1].field("webhook-signature"), "");
}

TEST_F(WebhookModesTest, SignsEveryAttemptWithTheSecretAndTheOneBefore) {
  std::atomic<int> count = 0;
  WebhookReceiver receiver(answering([&](const ReceivedRequest& request) {
    return ++count == 1 ? http_answer("503 Busy") : taken(request);
  }));
  broker_.add("s", {event_text("1")});
  begin(receiver, "{}",
        {.secret = std::string(kSecret),
         .previous = std::string(kOldSecret),
         .previous_until = broker::system_now() + Duration::seconds(600)});
  ASSERT_TRUE(acknowledges(1));
  const auto posted = posts(receiver);
  ASSERT_EQ(posted.size(), 2U);
  EXPECT_EQ(posted[0].field("webhook-id"), posted[1].field("webhook-id"));
  EXPECT_THAT(posted[0].field("webhook-id"), ::testing::MatchesRegex("msg_[0-9a-f]{16}_ff_1"));
  for (const ReceivedRequest& post : posted) {
    const std::string text = fmt::format("{}.{}.{}", post.field("webhook-id"),
                                         post.field("webhook-timestamp"), post.body);
    EXPECT_EQ(post.field("webhook-signature"),
              signature_of(kSecret, text) + " " + signature_of(kOldSecret, text));
    const std::int64_t now_s = broker::system_now().nanoseconds / 1'000'000'000;
    EXPECT_LE(std::abs(std::stoll(post.field("webhook-timestamp")) - now_s), 60);
  }
}

TEST_F(WebhookModesTest, PostsBinaryEvents) {
  WebhookReceiver receiver(answering(taken));
  broker_.add("s", {event_text("1", R"(,"datacontenttype":"text/plain","data":"hi")")});
  broker_.add("s", {event_text("2"), event_text("3")});
  begin(receiver, R"({"mode":"binary"})", {.secret = std::string(kSecret)});
  ASSERT_TRUE(acknowledges(2));
  const auto posted = posts(receiver);
  ASSERT_EQ(posted.size(), 2U);
  EXPECT_EQ(posted[0].field("content-type"), "text/plain");
  EXPECT_EQ(posted[0].field("ce-id"), "1");
  EXPECT_EQ(posted[0].field("weir-delivery"), "1");
  EXPECT_EQ(posted[0].body, "hi");
  EXPECT_THAT(posted[0].field("webhook-signature"), StartsWith("v1,"));
  EXPECT_THAT(posted[1].field("content-type"), StartsWith("application/cloudevents-batch+json"))
      << "a group";
}

TEST_F(WebhookModesTest, PostsBatchesAndGroupsApart) {
  WebhookReceiver receiver(answering(taken));
  for (int i = 1; i <= 5; ++i) broker_.add("s", {event_text(std::to_string(i))});
  broker_.add("s", {event_text("6"), event_text("7")});
  broker_.add("s", {event_text("8")});
  begin(receiver, R"({"mode":"batch","batch_count":3,"batch_wait":"100ms"})",
        {.secret = std::string(kSecret)});
  ASSERT_TRUE(acknowledges(7));
  const auto posted = posts(receiver);
  ASSERT_EQ(posted.size(), 4U);
  for (const ReceivedRequest& post : posted) {
    EXPECT_THAT(post.field("content-type"), StartsWith("application/cloudevents-batch+json"));
  }
  EXPECT_EQ(posted[0].body,
            "[" + event_text("1") + "," + event_text("2") + "," + event_text("3") + "]");
  EXPECT_EQ(posted[0].field("weir-delivery"), "3");
  EXPECT_EQ(posted[0].field("weir-delivery-count"), "3");
  EXPECT_THAT(posted[0].field("webhook-id"), ::testing::EndsWith("_1_3"));
  EXPECT_EQ(posted[1].body, "[" + event_text("4") + "," + event_text("5") + "]");
  EXPECT_EQ(posted[2].body, "[" + event_text("6") + "," + event_text("7") + "]") << "a group";
  EXPECT_EQ(posted[2].field("weir-delivery-count"), "1");
  EXPECT_EQ(posted[3].body, "[" + event_text("8") + "]");
  EXPECT_EQ(broker_.record("s").acknowledged, (Numbers{3, 5, 6, 7}));
}

TEST_F(WebhookModesTest, BoundsTheBytesOfABatch) {
  WebhookReceiver receiver(answering(taken));
  for (int i = 1; i <= 4; ++i) broker_.add("s", {event_text(std::to_string(i))});
  options_.batch_bytes_max = 2 * event_text("1").size();
  begin(receiver, R"({"mode":"batch"})");
  ASSERT_TRUE(acknowledges(4));
  for (const ReceivedRequest& post : posts(receiver)) {
    EXPECT_LE(post.body.size(), options_.batch_bytes_max + 3);
  }
}

// One event that the sink refuses does not bury those that travel with it, and order stays.
TEST_F(WebhookModesTest, SendsARefusedBatchOneByOne) {
  WebhookReceiver receiver(answering([](const ReceivedRequest& request) {
    const bool is_bad = request.body.find("\"bad\"") != std::string::npos;
    return is_bad ? http_answer("415 No") : taken(request);
  }));
  for (const std::string_view id : {"1", "bad", "3", "4"}) broker_.add("s", {event_text(id)});
  begin(receiver, R"({"mode":"batch","batch_count":4,"batch_wait":"1s"})");
  ASSERT_TRUE(acknowledges(4));
  const SinkRecord record = broker_.record("s");
  ASSERT_EQ(record.buried.size(), 1U);
  EXPECT_EQ(record.buried[0].first, 2U);
  EXPECT_EQ(record.acknowledged, (Numbers{1, 3, 4}));
  const auto posted = posts(receiver);
  ASSERT_EQ(posted.size(), 5U);
  EXPECT_EQ(posted[1].body, "[" + event_text("1") + "]");
  EXPECT_EQ(posted[1].field("weir-redelivered"), "true");
  EXPECT_EQ(posted[4].body, "[" + event_text("4") + "]");
}

TEST_F(WebhookModesTest, DoesNotAskATrustedHost) {
  WebhookReceiver receiver([](const ReceivedRequest& request, Peer& peer) {
    peer.send(request.method == "POST" ? http_answer("204 No Content")
                                       : http_answer("405 Method Not Allowed"));
  });
  options_.trusted_hosts = {fmt::format("127.0.0.1:{}", receiver.port())};
  broker_.add("s", {event_text("1")});
  begin(receiver, "{}");
  ASSERT_TRUE(acknowledges(1));
  EXPECT_EQ(receiver.requests().size(), 1U);
}

}  // namespace
}  // namespace weir::server
