// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_sender.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_testing.h"
#include "base/instant.h"
#include "server/address_guard.h"
#include "server/log_testing.h"
#include "server/webhook_broker_testing.h"
#include "server/webhook_receiver_testing.h"

namespace weir::server {
namespace {

using base::describe;
using base::Duration;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;
using Numbers = std::vector<std::uint64_t>;
using Peer = WebhookReceiver::Peer;

const std::string kGranted = http_answer("200 OK", "WebHook-Allowed-Origin: weir.example\r\n");

// Grants permission, and answers POST requests one after the other, the last for ever.
WebhookReceiver::Handler granting(std::vector<std::string> answers) {
  auto next = std::make_shared<std::atomic<std::size_t>>(0);
  return [next, answers = std::move(answers)](const ReceivedRequest& request, Peer& peer) {
    if (request.method == "OPTIONS") return peer.send(kGranted);
    peer.send(answers[std::min((*next)++, answers.size() - 1)]);
  };
}

WebhookOptions fast_options() {
  WebhookOptions options;
  options.origin = "weir.example";
  options.allowed_networks = {*parse_cidr("127.0.0.0/8")};
  options.policy.delay_base = Duration::milliseconds(1);
  options.policy.delay_max = Duration::milliseconds(4);
  options.policy.attempt_count_max = 4;
  options.timeouts.read = Duration::milliseconds(2000);
  return options;
}

// A sender with one subscription, s.
class WebhookSenderTest : public ::testing::Test {
 protected:
  void begin(std::string_view sink, const WebhookOptions& options = fast_options()) {
    auto sender = WebhookSender::create(broker_, options);
    ASSERT_EQ(describe(sender), "ok");
    sender_ = *std::move(sender);
    sender_->on_sink(WebhookBroker::subscription("s", sink));
  }
  void TearDown() override {
    if (sender_) sender_->stop();
  }

  bool acknowledges(const Numbers& numbers) {
    const bool is_so = broker_.wait_until("s", [&](const SinkRecord& record) {
      return record.acknowledged.size() >= numbers.size();
    });
    return is_so && broker_.record("s").acknowledged == numbers;
  }
  bool is_in_trouble(std::string_view beginning) {
    const bool is_so = broker_.wait_until("s", [&](const SinkRecord& record) {
      return std::ranges::any_of(record.troubles, [&](const std::string& trouble) {
        return trouble.starts_with(beginning);
      });
    });
    if (!is_so) {
      for (const std::string& trouble : broker_.record("s").troubles) {
        ADD_FAILURE() << "trouble: " << trouble;
      }
    }
    return is_so;
  }

  WebhookBroker broker_;
  std::shared_ptr<WebhookSender> sender_;
};

TEST_F(WebhookSenderTest, AsksForPermissionAndPostsEvents) {
  WebhookReceiver receiver(granting({http_answer("204 No Content")}));
  WebhookOptions options = fast_options();
  options.requests_per_minute = 60000;
  broker_.add("s", {R"({"id":"1"})"});
  broker_.add("s", {R"({"id":"2"})", R"({"id":"3"})"}, true);
  begin(receiver.url("/hook?k=v"), options);
  ASSERT_TRUE(acknowledges({1, 2}));
  const auto requests = receiver.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].method, "OPTIONS");
  EXPECT_EQ(requests[0].target, "/hook?k=v");
  EXPECT_EQ(requests[0].field("webhook-request-origin"), "weir.example");
  EXPECT_EQ(requests[0].field("webhook-request-rate"), "60000");
  EXPECT_EQ(requests[1].method, "POST");
  EXPECT_EQ(requests[1].target, "/hook?k=v");
  EXPECT_EQ(requests[1].field("content-type"), "application/cloudevents+json; charset=utf-8");
  EXPECT_EQ(requests[1].field("weir-subscription"), "s");
  EXPECT_EQ(requests[1].field("weir-delivery"), "1");
  EXPECT_EQ(requests[1].field("weir-redelivered"), "");
  EXPECT_EQ(requests[1].body, R"({"id":"1"})");
  EXPECT_EQ(requests[2].field("content-type"), "application/cloudevents-batch+json; charset=utf-8");
  EXPECT_EQ(requests[2].field("weir-delivery"), "2");
  EXPECT_EQ(requests[2].field("weir-redelivered"), "true");
  EXPECT_EQ(requests[2].body, R"([{"id":"2"},{"id":"3"}])");
  EXPECT_EQ(requests[2].connection, 0U) << "the connection is kept";
}

TEST_F(WebhookSenderTest, SendsNothingWithoutPermission) {
  struct Case {
    std::string answer;
    std::string_view trouble;
  };
  const std::vector<Case> cases = {
      {http_answer("403 Forbidden"), "permission to send: answered 403; next attempt in 0.0 s"},
      {http_answer("200 OK"), "permission to send: the answer has no WebHook-Allowed-Origin"},
      {http_answer("200 OK", "WebHook-Allowed-Origin: other.example\r\n"),
       "permission to send: WebHook-Allowed-Origin is not 'weir.example'"},
      {http_answer("301 Moved Permanently", "Location: /hook2\r\n"),
       "permission to send: answered 301 (redirects are not followed)"},
  };
  for (const Case& c : cases) {
    std::atomic<int> refused = 0;
    WebhookReceiver receiver([&](const ReceivedRequest& request, Peer& peer) {
      if (request.method == "POST") return peer.send(http_answer("204 No Content"));
      peer.send(++refused <= 3 ? c.answer : kGranted);
    });
    broker_.add("s", {"{}"});
    begin(receiver.url());
    EXPECT_TRUE(is_in_trouble(c.trouble));
    const auto requests = receiver.wait_for(5);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(requests[i].method, "OPTIONS");
    EXPECT_EQ(requests[4].method, "POST");
    EXPECT_TRUE(
        broker_.wait_until("s", [](const SinkRecord& r) { return r.troubles.back().empty(); }));
    sender_->stop();
  }
}

TEST_F(WebhookSenderTest, KeepsTheOrder) {
  constexpr std::uint64_t kCount = 100;
  WebhookReceiver receiver(
      granting({http_answer("500 Oops"), http_answer("200 OK"), http_answer("200 OK"),
                http_answer("503 Busy"), http_answer("202 Accepted")}));
  Numbers expected;
  for (std::uint64_t i = 1; i <= kCount; ++i) {
    broker_.add("s", {fmt::format("{}", i)});
    expected.push_back(i);
  }
  begin(receiver.url());
  EXPECT_TRUE(acknowledges(expected));
  std::uint64_t last = 1;
  for (const ReceivedRequest& request : receiver.requests()) {
    if (request.method != "POST") continue;
    EXPECT_TRUE(request.body == fmt::format("{}", last) ||
                request.body == fmt::format("{}", last + 1));
    last = std::stoull(request.body);
  }
  EXPECT_EQ(last, kCount);
}

TEST_F(WebhookSenderTest, TriesAgainAfterAFailure) {
  WebhookReceiver receiver(granting({http_answer("500 Oops"), http_answer("200 OK")}));
  broker_.add("s", {"{}"});
  begin(receiver.url());
  ASSERT_TRUE(acknowledges({1}));
  EXPECT_TRUE(is_in_trouble("delivery 1: answered 500; next attempt in 0.0 s"));
  const auto requests = receiver.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[1].field("weir-redelivered"), "");
  EXPECT_EQ(requests[2].field("weir-redelivered"), "true");
  EXPECT_EQ(requests[2].field("weir-delivery"), "1");
}

TEST_F(WebhookSenderTest, HeedsRetryAfter) {
  WebhookReceiver receiver(
      granting({http_answer("429 Slow Down", "Retry-After: 100\r\n"), http_answer("200 OK")}));
  WebhookOptions options = fast_options();
  options.policy.retry_after_max = Duration::milliseconds(120);
  broker_.add("s", {"{}"});
  const auto start = std::chrono::steady_clock::now();
  begin(receiver.url(), options);
  ASSERT_TRUE(acknowledges({1}));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(120));
}

// The broker keeps what is tried again much later, and hands it out again.
TEST_F(WebhookSenderTest, ASinkThatIsDownHoldsNoDeliveries) {
  const std::string later = http_answer("503 Busy", "Retry-After: 2\r\n");
  WebhookReceiver receiver(granting({later, http_answer("200 OK")}));
  for (int i = 0; i < 3; ++i) broker_.add("s", {"{}"});
  begin(receiver.url());
  ASSERT_TRUE(acknowledges({1, 2, 3}));
  EXPECT_EQ(broker_.record("s").attach_count, 2U);
  EXPECT_EQ(broker_.record("s").close_count, 1U);
  const auto requests = receiver.requests();
  ASSERT_EQ(requests.size(), 5U);
  EXPECT_EQ(requests[2].field("weir-delivery"), "1");
  EXPECT_EQ(requests[2].field("weir-redelivered"), "true");
}

TEST_F(WebhookSenderTest, AttemptsAreCountedAlsoIfItWaitsForLongInBetween) {
  const std::string later = http_answer("503 Busy", "Retry-After: 2\r\n");
  const std::string oops = http_answer("500 Oops");
  WebhookReceiver receiver(granting({later, oops, oops, oops, http_answer("200 OK")}));
  for (int i = 0; i < 2; ++i) broker_.add("s", {"{}"});
  begin(receiver.url());
  ASSERT_TRUE(acknowledges({2}));
  ASSERT_EQ(broker_.record("s").buried.size(), 1U);
  EXPECT_THAT(broker_.record("s").buried[0].second, StartsWith("4 attempts in "));
}

// It is given up after the short time of a new host, and then has the time that is set.
TEST_F(WebhookSenderTest, AHostThatAnswersLateIsServed) {
  auto count = std::make_shared<int>(0);
  WebhookReceiver receiver([count](const ReceivedRequest& request, Peer& peer) {
    if (request.method == "POST" && ++*count == 1) return;  // no answer
    peer.send(request.method == "OPTIONS" ? kGranted : http_answer("200 OK"));
  });
  WebhookOptions options = fast_options();
  options.quick_time = Duration::milliseconds(100);
  options.timeouts.read = Duration::seconds(100);
  options.policy.attempt_count_max = 1;
  broker_.add("s", {"{}"});
  begin(receiver.url(), options);
  ASSERT_TRUE(acknowledges({1})) << "that is no failed attempt";
  EXPECT_THAT(broker_.record("s").buried, testing::IsEmpty());
  EXPECT_EQ(receiver.requests().back().field("weir-redelivered"), "true");
}

TEST_F(WebhookSenderTest, HeedsTheAllowedRate) {
  WebhookReceiver receiver([](const ReceivedRequest& request, Peer& peer) {
    peer.send(
        request.method == "OPTIONS"
            ? http_answer("200 OK", "WebHook-Allowed-Origin: *\r\nWebHook-Allowed-Rate: 1200\r\n")
            : http_answer("200 OK"));
  });
  for (int i = 0; i < 3; ++i) broker_.add("s", {"{}"});
  const auto start = std::chrono::steady_clock::now();
  begin(receiver.url());
  ASSERT_TRUE(acknowledges({1, 2, 3}));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(150));
}

TEST_F(WebhookSenderTest, StopsForGoodWhenTheSinkIsGone) {
  WebhookReceiver receiver(granting({http_answer("200 OK"), http_answer("410 Gone")}));
  for (int i = 0; i < 3; ++i) broker_.add("s", {"{}"});
  begin(receiver.url());
  EXPECT_TRUE(is_in_trouble("answered 410 (gone): nothing more is sent there"));
  EXPECT_TRUE(broker_.wait_until("s", [](const SinkRecord& r) { return r.close_count == 1; }));
  EXPECT_EQ(broker_.record("s").acknowledged, Numbers{1});
  EXPECT_EQ(receiver.requests().size(), 3U);
}

TEST_F(WebhookSenderTest, BuriesWhatIsRefused) {
  WebhookReceiver receiver(
      granting({http_answer("415 What"), http_answer("302 Found"), http_answer("302 Found"),
                http_answer("302 Found"), http_answer("500 Oops"), http_answer("500 Oops"),
                http_answer("500 Oops"), http_answer("500 Oops"), http_answer("200 OK")}));
  for (int i = 0; i < 4; ++i) broker_.add("s", {"{}"});
  begin(receiver.url());
  ASSERT_TRUE(acknowledges({4}));
  const auto buried = broker_.record("s").buried;
  ASSERT_EQ(buried.size(), 3U);
  EXPECT_EQ(buried[0].second, "answered 415 (not understood)");
  EXPECT_EQ(buried[1].first, 2U);
  EXPECT_THAT(buried[1].second,
              AllOf(StartsWith("3 attempts in "),
                    EndsWith(" s, the last: answered 302 (redirects are not followed)")));
  EXPECT_THAT(buried[2].second,
              AllOf(StartsWith("4 attempts in "), EndsWith(" s, the last: answered 500")));
  EXPECT_TRUE(is_in_trouble("delivery 3 is a dead letter: 4 attempts"));
}

TEST_F(WebhookSenderTest, DoesNotWaitForAReceiverThatNeverAnswers) {
  WebhookReceiver receiver([](const ReceivedRequest& request, Peer& peer) {
    if (request.method == "OPTIONS") peer.send(kGranted);
  });
  WebhookOptions options = fast_options();
  options.timeouts.read = Duration::milliseconds(40);
  broker_.add("s", {"{}"});
  begin(receiver.url(), options);
  EXPECT_TRUE(broker_.wait_until("s", [](const SinkRecord& r) { return r.buried.size() == 1; }));
  EXPECT_THAT(broker_.record("s").buried.at(0).second,
              AllOf(StartsWith("4 attempts in "), EndsWith(" s, the last: no answer in time")));
}

TEST_F(WebhookSenderTest, ReachesNothingInsideByDefault) {
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  struct Case {
    std::string host;
    std::string_view trouble;
  };
  const std::vector<Case> cases = {
      {"127.0.0.1", "permission to send: the address 127.0.0.1 is loopback"},
      {"localhost", "permission to send: the address "},
      {"[::ffff:127.0.0.1]", "permission to send: the address ::ffff:127.0.0.1 is loopback"},
      {"[::1]", "permission to send: the address ::1 is loopback"},
      {"169.254.169.254", "permission to send: the address 169.254.169.254 is link-local"},
      {"0.0.0.0", "permission to send: the address 0.0.0.0 is unspecified"},
      {"2130706433", "the sink is not a URL: line 1, column 8: expected a name or four"},
      {"0177.0.0.1", "the sink is not a URL: line 1, column 8: expected a name or four"},
  };
  WebhookOptions options = fast_options();
  options.allowed_networks.clear();
  broker_.add("s", {"{}"});
  for (const Case& c : cases) {
    begin(fmt::format("http://{}:{}/hook", c.host, receiver.port()), options);
    EXPECT_TRUE(is_in_trouble(c.trouble)) << c.host;
    sender_->stop();
  }
  EXPECT_TRUE(receiver.requests().empty());
}

TEST_F(WebhookSenderTest, ChecksTheSinksCertificate) {
  const TestCertificate certificate;
  WebhookReceiver receiver(granting({http_answer("200 OK")}), &certificate);
  broker_.add("s", {"{}"});
  begin(receiver.url());
  EXPECT_TRUE(is_in_trouble(fmt::format(
      "permission to send: cannot reach 127.0.0.1:{}: TLS: the certificate is not accepted",
      receiver.port())));
  EXPECT_TRUE(receiver.requests().empty());
  sender_->stop();

  WebhookOptions options = fast_options();
  options.ca_file = certificate.certificate_file();
  begin(receiver.url(), options);
  EXPECT_TRUE(acknowledges({1}));
}

TEST_F(WebhookSenderTest, ClosesTheSessionOfARemovedSubscription) {
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  begin(receiver.url());
  ASSERT_TRUE(broker_.wait_until("s", [](const SinkRecord& r) { return r.attach_count == 1; }));
  sender_->on_sink_removed("s");
  sender_->on_sink_removed("other");
  EXPECT_TRUE(broker_.wait_until("s", [](const SinkRecord& r) { return r.close_count == 1; }));
}

TEST_F(WebhookSenderTest, BeginsAnewWhenTheDefinitionIsReplaced) {
  WebhookReceiver gone(granting({http_answer("410 Gone")}));
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  broker_.add("s", {"{}"});
  begin(gone.url());
  ASSERT_TRUE(is_in_trouble("answered 410"));
  sender_->on_sink(WebhookBroker::subscription("s", receiver.url("/new")));
  ASSERT_TRUE(acknowledges({1}));
  const auto requests = receiver.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].method, "OPTIONS");
  EXPECT_EQ(requests[1].field("weir-redelivered"), "true");
}

TEST_F(WebhookSenderTest, ComesBackAfterItsSessionWasTaken) {
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  begin(receiver.url());
  ASSERT_TRUE(broker_.wait_until("s", [](const SinkRecord& r) { return r.attach_count == 1; }));
  broker_.end("s", {base::ErrorId::kBrokerTaken, "taken", std::nullopt});
  EXPECT_TRUE(is_in_trouble("taken; next attempt in 0.0 s"));
  broker_.add("s", {"{}"});
  EXPECT_TRUE(acknowledges({1}));
  EXPECT_EQ(broker_.record("s").attach_count, 2U);
}

TEST_F(WebhookSenderTest, ADeletedSubscriptionIsNotTriedAgain) {
  std::atomic<int> post_count = 0;
  std::promise<void> answered;
  WebhookReceiver receiver([&](const ReceivedRequest& request, Peer& peer) {
    if (request.method == "OPTIONS") return peer.send(kGranted);
    broker_.end("s", {base::ErrorId::kBrokerEnded, "deleted", std::nullopt});
    peer.send(http_answer("500 Oops"));
    if (++post_count == 1) answered.set_value();
  });
  WebhookReceiver other(granting({http_answer("500 Oops"), http_answer("200 OK")}));
  broker_.add("s", {"{}"});
  begin(receiver.url());
  ASSERT_EQ(answered.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  // Another one is tried again, in the time in which this one could be.
  broker_.add("other", {"{}"});
  sender_->on_sink(WebhookBroker::subscription("other", other.url()));
  ASSERT_TRUE(
      broker_.wait_until("other", [](const SinkRecord& r) { return !r.acknowledged.empty(); }));
  sender_->stop();
  EXPECT_EQ(post_count, 1);
  EXPECT_EQ(broker_.record("s").attach_count, 1U);
}

TEST_F(WebhookSenderTest, StopsWhateverIsUnderWay) {
  WebhookReceiver silent([](const ReceivedRequest&, Peer&) {});
  WebhookReceiver busy(granting({http_answer("503 Busy", "Retry-After: 600\r\n")}));
  WebhookReceiver idle(granting({http_answer("200 OK")}));
  WebhookOptions options = fast_options();
  options.timeouts.read = Duration::seconds(100);
  options.request_count_max = 3;
  begin(idle.url(), options);
  broker_.add("busy", {"{}"});
  sender_->on_sink(WebhookBroker::subscription("busy", busy.url()));
  ASSERT_TRUE(
      broker_.wait_until("busy", [](const SinkRecord& r) { return r.troubles.size() == 2; }));
  for (int i = 0; i < 6; ++i) {
    sender_->on_sink(WebhookBroker::subscription(fmt::format("silent{}", i), silent.url()));
  }
  silent.wait_for(1);
  const auto start = std::chrono::steady_clock::now();
  sender_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_LE(silent.requests().size(), 3U) << "no more at once than allowed";
  EXPECT_EQ(broker_.record("busy").close_count, broker_.record("busy").attach_count);
  sender_->on_sink(WebhookBroker::subscription("late", idle.url()));
  sender_->stop();
}

TEST_F(WebhookSenderTest, LogsOnceThatASinkIsInTroubleAndOnceThatItIsNot) {
  const std::string oops = http_answer("500 Oops");
  WebhookReceiver receiver(
      granting({oops, oops, http_answer("200 OK"), oops, http_answer("200 OK")}));
  WebhookOptions options = fast_options();
  const auto log = std::make_shared<RecordedLog>();
  options.log = log;
  for (int i = 0; i < 3; ++i) broker_.add("s", {"{}"});
  begin(receiver.url("/hook?key=secret"), options);
  ASSERT_TRUE(acknowledges({1, 2, 3}));
  sender_->stop();
  const std::vector<std::string> lines = log->take();
  ASSERT_EQ(lines.size(), 2U) << "what comes again at once is not told again";
  EXPECT_THAT(lines[0], StartsWith("warning a sink does not take its deliveries "
                                   "subscription=s reason=\"delivery 1: "));
  EXPECT_THAT(lines[0], testing::Not(testing::HasSubstr("secret")));
  EXPECT_EQ(lines[1], "info a sink takes its deliveries again subscription=s");
}

TEST_F(WebhookSenderTest, SlowSinksLeaveRoomForOthers) {
  WebhookReceiver silent([](const ReceivedRequest&, Peer&) {});
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  WebhookOptions options = fast_options();
  options.timeouts.read = Duration::milliseconds(100);
  options.policy.attempt_count_max = 100;
  options.request_count_max = 1;
  broker_.add("s", {"{}"});
  begin(silent.url(), options);
  silent.wait_for(1);
  broker_.add("quick", {"{}"});
  sender_->on_sink(WebhookBroker::subscription("quick", receiver.url()));
  EXPECT_TRUE(broker_.wait_until("quick",
                                 [](const SinkRecord& r) { return r.acknowledged == Numbers{1}; }));
}

TEST_F(WebhookSenderTest, SinksThatNeverAnswerDelayTheirOwnersOnly) {
  WebhookReceiver silent([](const ReceivedRequest&, Peer&) {});
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  WebhookOptions options = fast_options();
  options.timeouts.read = Duration::seconds(100);
  options.request_count_max = 2;
  begin(silent.url(), options);
  sender_->on_sink(WebhookBroker::subscription("also silent", silent.url()));
  silent.wait_for(2);
  broker_.add("quick", {"{}"});
  sender_->on_sink(WebhookBroker::subscription("quick", receiver.url(), "another"));
  EXPECT_TRUE(broker_.wait_until("quick",
                                 [](const SinkRecord& r) { return r.acknowledged == Numbers{1}; }));
}

TEST_F(WebhookSenderTest, SinksThatNeverAnswerLeaveRoomForTheSameOwnersHealthyOne) {
  WebhookReceiver silent([](const ReceivedRequest&, Peer&) {});
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  WebhookOptions options = fast_options();
  options.look_up = [](const std::string&) { return Resolver::Addresses{*parse_ip("127.0.0.1")}; };
  options.timeouts.read = Duration::seconds(100);
  options.requests_per_owner_max = 4;
  broker_.add("healthy", {"{}"});
  auto sender = WebhookSender::create(broker_, options);
  ASSERT_EQ(describe(sender), "ok");
  sender_ = *std::move(sender);
  sender_->on_sink(WebhookBroker::subscription("healthy", receiver.url(), "one"));
  const auto has_acknowledged = [this](std::size_t count) {
    return broker_.wait_until("healthy",
                              [&](const SinkRecord& r) { return r.acknowledged.size() == count; });
  };
  EXPECT_TRUE(has_acknowledged(1));
  for (int i = 0; i < 20; ++i) {
    const std::string sink = fmt::format("http://host{}:{}/", i, silent.port());
    sender_->on_sink(
        WebhookBroker::subscription(i == 19 ? "s" : fmt::format("hostile{}", i), sink, "one"));
  }
  silent.wait_for(3);
  for (int i = 0; i < 50; ++i) broker_.add("healthy", {"{}"});
  EXPECT_TRUE(has_acknowledged(51));
  EXPECT_TRUE(is_in_trouble("waits for its turn: "));
}

TEST_F(WebhookSenderTest, NamesThatAreNeverFoundDelayNeitherOthersNorTheEnd) {
  WebhookReceiver receiver(granting({http_answer("200 OK")}));
  std::promise<void> end;
  WebhookOptions options = fast_options();
  options.look_up = [ended = end.get_future().share()](const std::string& host) {
    if (host == "never") ended.wait();
    return Resolver::Addresses{*parse_ip("127.0.0.1")};
  };
  options.timeouts.connect = Duration::milliseconds(20);
  begin("http://never/", options);
  ASSERT_TRUE(is_in_trouble("permission to send: cannot reach never:80: its name could not "));
  for (int i = 0; i < 20; ++i) {
    sender_->on_sink(WebhookBroker::subscription(fmt::format("s{}", i), "http://never/"));
  }
  broker_.add("quick", {"{}"});
  sender_->on_sink(WebhookBroker::subscription(
      "quick", fmt::format("http://quick:{}/", receiver.port()), "another"));
  EXPECT_TRUE(broker_.wait_until("quick",
                                 [](const SinkRecord& r) { return r.acknowledged == Numbers{1}; }));
  sender_.reset();
  end.set_value();
}

TEST(WebhookOptionsTest, AreChecked) {
  WebhookBroker broker;
  EXPECT_EQ(
      describe(WebhookSender::create(broker, {.origin = "a\r\nb"})),
      "broker.option - webhooks.origin is empty or has characters that a header must not have");
  EXPECT_EQ(describe(WebhookSender::create(broker, {.window = 0})),
            "broker.option - webhooks.window and webhooks.requests must be at least 1");
  EXPECT_EQ(WebhookSender::create(broker, {.ca_file = "/no/such/file"}).error().id,
            base::ErrorId::kHttpTls);
}

}  // namespace
}  // namespace weir::server
