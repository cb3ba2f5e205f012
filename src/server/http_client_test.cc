// SPDX-License-Identifier: Apache-2.0
#include "server/http_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_testing.h"
#include "base/instant.h"
#include "server/http_client_message.h"
#include "server/webhook_receiver_testing.h"

namespace weir::server {
namespace {

using base::describe;
using base::Duration;
using Peer = WebhookReceiver::Peer;

WebhookReceiver::Handler always(std::string bytes) {
  return [bytes = std::move(bytes)](const ReceivedRequest&, Peer& peer) { peer.send(bytes); };
}

HttpClient client_of(const WebhookReceiver& receiver, HttpClientOptions options = {}) {
  options.url = receiver.url("");
  auto client = HttpClient::create(std::move(options));
  EXPECT_EQ(describe(client), "ok");
  return *std::move(client);
}

std::string answer_to_get(const WebhookReceiver& receiver, HttpClientOptions options = {}) {
  HttpClient client = client_of(receiver, std::move(options));
  const auto answer = client.request("GET", "/");
  if (!answer) return describe(answer);
  return fmt::format("{} {} {}", answer->status, answer->reason, answer->body);
}

TEST(HttpClientTest, SendsARequestAndReadsTheAnswer) {
  WebhookReceiver receiver(always(http_answer("201 Created", "X-One: 1\r\n", "{}")));
  HttpClient client = client_of(receiver, {.token = "secret"});
  const auto answer = client.request("POST", "/events?x=1", {{"Content-Type", "text/plain"}}, "hi");
  ASSERT_EQ(describe(answer), "ok");
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->reason, "Created");
  EXPECT_EQ(answer->body, "{}");
  ASSERT_NE(answer->find("x-one"), nullptr);
  EXPECT_EQ(*answer->find("x-one"), "1");
  EXPECT_EQ(answer->find("x-two"), nullptr);
  const auto request = receiver.wait_for(1).at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/events?x=1");
  EXPECT_EQ(request.field("host"), fmt::format("127.0.0.1:{}", receiver.port()));
  EXPECT_EQ(request.field("authorization"), "Bearer secret");
  EXPECT_EQ(request.field("content-type"), "text/plain");
  EXPECT_EQ(request.body, "hi");
}

TEST(HttpClientTest, TargetsAreBelowTheServersPath) {
  WebhookReceiver receiver(always(http_answer("200 OK")));
  auto client = HttpClient::create({.url = receiver.url("/weir/")});
  ASSERT_TRUE(client);
  ASSERT_EQ(describe(client->request("GET", "/health")), "ok");
  EXPECT_EQ(receiver.wait_for(1).at(0).target, "/weir/health");
}

TEST(HttpClientTest, KeepsItsConnection) {
  WebhookReceiver receiver(always(http_answer("200 OK", "", "x")));
  HttpClient client = client_of(receiver);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(describe(client.request("GET", "/")), "ok");
  EXPECT_EQ(receiver.wait_for(3).at(2).connection, 0U);
}

TEST(HttpClientTest, OpensAnotherConnectionWhenTheServerClosesIt) {
  WebhookReceiver receiver([](const ReceivedRequest& request, Peer& peer) {
    peer.send(request.target == "/close" ? http_answer("200 OK", "Connection: close\r\n", "x")
                                         : http_answer("200 OK", "", "x"));
    if (request.target == "/drop") peer.close();
  });
  HttpClient client = client_of(receiver);
  ASSERT_EQ(describe(client.request("GET", "/close")), "ok");
  ASSERT_EQ(describe(client.request("GET", "/drop")), "ok");
  EXPECT_EQ(receiver.wait_for(2).at(1).connection, 1U);
}

TEST(HttpClientTest, ReadsAnswersOfEveryFraming) {
  const WebhookReceiver chunked(
      always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n"
             "0\r\nT: t\r\n\r\n"));
  EXPECT_EQ(answer_to_get(chunked), "200 OK abcde");
  const WebhookReceiver until_end([](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\n\r\nall of it");
    peer.close();
  });
  EXPECT_EQ(answer_to_get(until_end), "200 OK all of it");
  const WebhookReceiver none(always("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_EQ(answer_to_get(none), "204 No Content ");
  const WebhookReceiver interim(
      always("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + http_answer("200 OK", "", "late")));
  EXPECT_EQ(answer_to_get(interim), "200 OK late");
}

TEST(HttpClientTest, DoesNotFollowRedirects) {
  WebhookReceiver receiver(always(http_answer("302 Found", "Location: /elsewhere\r\n")));
  EXPECT_EQ(answer_to_get(receiver), "302 Found ");
  EXPECT_EQ(receiver.requests().size(), 1U);
}

TEST(HttpClientTest, AnswersAreBounded) {
  const HttpClientOptions small = {.limits = {.header_bytes_max = 200, .body_bytes_max = 10}};
  const std::string too_long = "http.answer - the answer's body is longer than the limit";
  EXPECT_EQ(answer_to_get(WebhookReceiver(always(http_answer("200 OK", "", "0123456789"))), small),
            "200 OK 0123456789");
  EXPECT_EQ(answer_to_get(WebhookReceiver(always(http_answer("200 OK", "", "0123456789a"))), small),
            too_long);
  EXPECT_EQ(
      answer_to_get(WebhookReceiver(always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"
                                           "\r\n\r\n6\r\n012345\r\n6\r\n012345\r\n0\r\n\r\n")),
                    small),
      too_long);
  EXPECT_EQ(answer_to_get(WebhookReceiver(always("HTTP/1.1 200 OK\r\n\r\n0123456789a")), small),
            too_long);
  EXPECT_EQ(
      answer_to_get(
          WebhookReceiver(always(http_answer("200 OK", "X: " + std::string(200, 'x') + "\r\n"))),
          small),
      "http.answer - the answer's header is longer than the limit");
}

TEST(HttpClientTest, TellsWhatIsWrongWithAnAnswer) {
  const WebhookReceiver nothing([](const ReceivedRequest&, Peer& peer) { peer.close(); });
  EXPECT_EQ(answer_to_get(nothing), "http.answer - the connection was closed before the answer");
  const WebhookReceiver half([](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
    peer.close();
  });
  EXPECT_EQ(answer_to_get(half), "http.answer - the connection was closed within the answer");
  EXPECT_EQ(answer_to_get(WebhookReceiver(always("SSH-2.0-x\r\n\r\n"))),
            "http.answer - the answer is not HTTP/1");
  const WebhookReceiver silent([](const ReceivedRequest&, Peer&) {});
  EXPECT_EQ(answer_to_get(silent, {.timeouts = {.read = Duration::milliseconds(30)}}),
            "http.answer - no answer in time");
}

TEST(HttpClientTest, AnAnswerThatTricklesIsTooLateAllTheSame) {
  std::promise<void> done;
  auto is_done = done.get_future();
  const WebhookReceiver receiver([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 1000; ++i) {
      if (is_done.wait_for(std::chrono::milliseconds(5)) == std::future_status::ready) return;
      peer.send("X: y\r\n");
    }
  });
  EXPECT_EQ(answer_to_get(receiver, {.timeouts = {.read = Duration::milliseconds(60)}}),
            "http.answer - no answer in time");
  done.set_value();
}

TEST(HttpClientTest, SaysThatNobodyListens) {
  std::uint16_t port = 0;
  {
    const WebhookReceiver gone(always(""));
    port = gone.port();
  }
  auto client = HttpClient::create({.url = fmt::format("http://127.0.0.1:{}", port)});
  ASSERT_TRUE(client);
  EXPECT_EQ(describe(client->request("GET", "/")),
            fmt::format("http.connect - cannot reach 127.0.0.1:{}: connection refused; is `weir "
                        "serve` running?",
                        port));
}

TEST(HttpClientTest, ResolvesNames) {
  WebhookReceiver receiver(always(http_answer("200 OK")));
  auto client = HttpClient::create({.url = fmt::format("http://localhost:{}", receiver.port())});
  ASSERT_TRUE(client);
  EXPECT_EQ(describe(client->request("GET", "/")), "ok");
  EXPECT_EQ(receiver.wait_for(1).at(0).field("host"), fmt::format("localhost:{}", receiver.port()));
}

TEST(HttpClientTest, RefusesWhatWouldBeMoreThanOneRequest) {
  WebhookReceiver receiver(always(http_answer("200 OK")));
  HttpClient client = client_of(receiver);
  EXPECT_EQ(client.request("GET", "/a b").error().id, base::ErrorId::kHttpMalformed);
  EXPECT_EQ(client.request("GET", "/a\r\nX: y").error().id, base::ErrorId::kHttpMalformed);
  EXPECT_EQ(client.request("G T", "/").error().id, base::ErrorId::kHttpMalformed);
  EXPECT_EQ(client.request("GET", "/", {{"A", "b\r\nC: d"}}).error().id,
            base::ErrorId::kHttpMalformed);
  EXPECT_EQ(client.request("GET", "/", {{"A:", "b"}}).error().id, base::ErrorId::kHttpMalformed);
  EXPECT_TRUE(receiver.requests().empty());
}

TEST(HttpClientTest, SaysWhatIsWrongWithItsUrl) {
  EXPECT_EQ(describe(HttpClient::create({.url = "localhost:8080"})),
            "cli.usage 1:1@0 expected http:// or https://");
}

TEST(HttpClientTest, ReadsAStreamLineByLine) {
  std::promise<void> go_on;
  auto may_go_on = go_on.get_future();
  const WebhookReceiver receiver([&](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nid: 1\n\r\r\n");
    may_go_on.wait();
    peer.send("e\r\n\ndata: x\r\nlast\r\n0\r\n\r\n");
  });
  auto stream = client_of(receiver).open_stream("/stream");
  ASSERT_EQ(describe(stream), "ok");
  EXPECT_EQ(stream->answer().status, 200);
  EXPECT_EQ(stream->read_line(Duration::seconds(10)).value(), "id: 1");
  EXPECT_EQ(stream->read_line(Duration::milliseconds(20)).error().id, base::ErrorId::kHttpTimeout);
  EXPECT_EQ(stream->read_line(Duration::milliseconds(1)).error().id, base::ErrorId::kHttpTimeout);
  go_on.set_value();
  EXPECT_EQ(stream->read_line(Duration::seconds(10)).value(), "");
  EXPECT_EQ(stream->read_line(Duration::seconds(10)).value(), "data: x");
  EXPECT_EQ(stream->read_line(Duration::seconds(10)).value(), std::nullopt) << "no line end";
}

TEST(HttpClientTest, AStreamThatIsRefusedSaysWhy) {
  const WebhookReceiver receiver(always(http_answer("403 Forbidden", "", "not you\n")));
  EXPECT_EQ(describe(client_of(receiver).open_stream("/stream")),
            "http.refused - GET /stream: 403 Forbidden: not you");
}

TEST(HttpClientTest, ALineIsBounded) {
  const WebhookReceiver receiver(always("HTTP/1.1 200 OK\r\n\r\n" + std::string(100, 'x')));
  auto stream = client_of(receiver, {.limits = {.body_bytes_max = 50}}).open_stream("/");
  ASSERT_EQ(describe(stream), "ok");
  EXPECT_EQ(describe(stream->read_line(Duration::seconds(10))),
            "http.answer - a line is longer than the limit");
}

TEST(HttpClientTest, ChecksCertificates) {
  const TestCertificate certificate;
  const WebhookReceiver receiver(always(http_answer("200 OK", "", "safe")), &certificate);
  EXPECT_EQ(answer_to_get(receiver),
            fmt::format("http.connect - cannot reach 127.0.0.1:{}: TLS: the certificate is not "
                        "accepted: self-signed certificate",
                        receiver.port()));
  EXPECT_EQ(answer_to_get(receiver, {.insecure = true}), "200 OK safe");
  EXPECT_EQ(answer_to_get(receiver, {.ca_file = certificate.certificate_file()}), "200 OK safe");
}

TEST(HttpClientTest, ChecksTheNameInACertificate) {
  const TestCertificate certificate;
  const WebhookReceiver receiver(always(http_answer("200 OK")), &certificate);
  const auto answer_of = [&](std::string_view host) {
    auto client = HttpClient::create({.url = fmt::format("https://{}:{}", host, receiver.port()),
                                      .ca_file = certificate.certificate_file()});
    return describe(client->request("GET", "/"));
  };
  EXPECT_EQ(answer_of("localhost"), "ok");
  EXPECT_NE(answer_of("127.0.0.2"), "ok");
}

TEST(HttpClientTest, AStreamOverTlsSurvivesATimeout) {
  const TestCertificate certificate;
  std::promise<void> go_on;
  auto may_go_on = go_on.get_future();
  const WebhookReceiver receiver(
      [&](const ReceivedRequest&, Peer& peer) {
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        may_go_on.wait();
        peer.send("data: x\n");
      },
      &certificate);
  auto stream =
      client_of(receiver, {.ca_file = certificate.certificate_file()}).open_stream("/stream");
  ASSERT_EQ(describe(stream), "ok");
  EXPECT_EQ(stream->read_line(Duration::milliseconds(10)).error().id, base::ErrorId::kHttpTimeout);
  go_on.set_value();
  EXPECT_EQ(stream->read_line(Duration::seconds(10)).value(), "data: x");
}

TEST(HttpClientTest, SaysThatAuthoritiesCannotBeRead) {
  EXPECT_EQ(HttpClient::create({.url = "https://localhost", .ca_file = "/no/such/file"}).error().id,
            base::ErrorId::kHttpTls);
}

}  // namespace
}  // namespace weir::server
