// SPDX-License-Identifier: Apache-2.0
// What peers do that they should not: every limit, and requests that are malformed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "server/connection_slots.h"
#include "server/server_testing.h"

namespace weir::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class LimitsTest : public ServerTest {
 protected:
  std::string hits(std::string_view limit) const {
    return metric(fmt::format("weir_limit_hits_total{{limit=\"{}\"}}", limit));
  }
};

TEST_F(LimitsTest, AHeaderMustArriveInTime) {
  ServerOptions options = quick_options();
  options.header_timeout = milliseconds(150);
  start(std::move(options));
  TestClient silent = connect();
  EXPECT_TRUE(silent.read_end());
  TestClient slow = connect();
  slow.send("GET /healthz HTTP/1.1\r\nHost: loc");
  EXPECT_EQ(slow.read_answer().status, 408U);
  EXPECT_TRUE(slow.read_end());
  TestClient stalled = connect();
  stalled.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
  EXPECT_EQ(stalled.read_answer().status, 408U) << "though nothing is left unparsed";
  EXPECT_EQ(hits("header_timeout"), "3");
}

TEST_F(LimitsTest, AConnectionMustNotBeIdleForLong) {
  ServerOptions options = quick_options();
  options.idle_timeout = milliseconds(50);
  start(std::move(options));
  TestClient client = connect();
  EXPECT_EQ(client.request("GET", "/healthz").status, 200U);
  EXPECT_TRUE(client.read_end());
  EXPECT_EQ(hits("idle_timeout"), "1");
}

TEST_F(LimitsTest, AHeaderMustNotBeLong) {
  start();
  TestClient client = connect();
  client.send(request_bytes("GET", "/healthz", "X: " + std::string(20'000, 'x') + "\r\n"));
  EXPECT_EQ(client.read_answer().status, 431U);
  EXPECT_TRUE(client.read_end());
  TestClient endless = connect();
  endless.send("GET /" + std::string(100'000, 'x'));
  EXPECT_EQ(endless.read_answer().status, 431U);
  TestClient many = connect();
  std::string fields;
  for (int i = 0; i < 200; ++i) fields += fmt::format("X{}: 1\r\n", i);
  many.send(request_bytes("GET", "/healthz", fields));
  EXPECT_EQ(many.read_answer().status, 431U);
  EXPECT_EQ(hits("header_bytes_max"), "3");
}

TEST_F(LimitsTest, AHeaderMustNotBeLongInSmallPieces) {
  start();
  TestClient client = connect();
  client.send("GET /healthz HTTP/1.1\r\n");
  const std::string field = "X: " + std::string(300, 'x') + "\r\n";
  for (int i = 0; i < 90 && client.send(field); ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  EXPECT_EQ(client.read_answer().status, 431U);
}

TEST_F(LimitsTest, ABodyMustNotBeLong) {
  start();
  TestClient announced = connect();
  announced.send(
      request_bytes("POST", "/events", "Expect: 100-continue\r\nContent-Length: 1000000000\r\n"));
  EXPECT_EQ(announced.read_answer().status, 413U);
  EXPECT_TRUE(announced.read_end());
  TestClient bomb = connect();
  bomb.send(request_bytes("POST", "/events", "Transfer-Encoding: chunked\r\n"));
  bomb.send("FFFFFFFF\r\n");
  EXPECT_EQ(bomb.read_answer().status, 413U);
  TestClient many = connect();
  many.send(request_bytes("POST", "/events", "Transfer-Encoding: chunked\r\n"));
  const std::string chunk = "100000\r\n" + std::string(0x100000, ' ') + "\r\n";
  for (int i = 0; i < 9 && many.send(chunk); ++i) {
  }
  EXPECT_EQ(many.read_answer().status, 413U);
  EXPECT_EQ(hits("body_bytes_max"), "3");
}

TEST_F(LimitsTest, ABodyMustArriveInTime) {
  ServerOptions options = quick_options();
  options.body_timeout = milliseconds(50);
  start(std::move(options));
  TestClient client = connect();
  client.send(request_bytes("POST", "/events", "Content-Length: 10\r\n"));
  client.send("12345");
  EXPECT_EQ(client.read_answer().status, 408U);
  EXPECT_TRUE(client.read_end());
  EXPECT_EQ(hits("body_timeout"), "1");
}

TEST_F(LimitsTest, TheBodiesOfAllRequestsMustNotBeLong) {
  ServerOptions options = quick_options();
  options.bodies_bytes_max = 1'000'000;
  start(std::move(options));
  TestClient large = connect();
  large.send(request_bytes("POST", "/events", "Content-Length: 800000\r\n"));
  large.send(std::string(700'000, ' '));
  TestClient other = connect();
  const auto is_held = [&] { return metric("weir_request_body_bytes") == "700000"; };
  for (int i = 0; i < 1000 && !is_held(); ++i) std::this_thread::sleep_for(milliseconds(1));
  ASSERT_TRUE(is_held());
  other.send(request_bytes("POST", "/events", "Content-Length: 400000\r\n"));
  other.send(std::string(400'000, ' '));
  const TestAnswer refused = other.read_answer();
  EXPECT_EQ(refused.status, 429U);
  EXPECT_EQ(refused.field("retry-after"), "1");
  EXPECT_EQ(hits("bodies_bytes_max"), "1");
  large.send(std::string(100'000, ' '));
  EXPECT_EQ(large.read_answer().status, 400U) << "no event, but it was read";
  TestClient later = connect();
  EXPECT_EQ(later.request("POST", "/events", kStructured, event_json("1")).status, 202U);
}

TEST_F(LimitsTest, AChunkHeaderMustNotBeLong) {
  start();
  TestClient client = connect();
  client.send(request_bytes("POST", "/events", "Transfer-Encoding: chunked\r\n"));
  client.send("1;x=" + std::string(200'000, 'x'));
  EXPECT_EQ(client.read_answer().status, 400U);
}

TEST_F(LimitsTest, ConnectionsAreCounted) {
  ServerOptions options = quick_options();
  options.connection_count_max = 2;
  start(std::move(options));
  std::vector<TestClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(connect());
    EXPECT_EQ(clients.back().request("GET", "/healthz").status, 200U);
  }
  TestClient refused = connect();
  const TestAnswer answer = refused.request("GET", "/subscriptions");
  EXPECT_EQ(answer.status, 429U);
  EXPECT_EQ(answer.field("retry-after"), "1");
  EXPECT_THAT(answer.body, HasSubstr("http.too_many_connections"));
  EXPECT_TRUE(refused.read_end());
  EXPECT_THAT(clients[0].request("GET", "/metrics").body,
              HasSubstr("weir_limit_hits_total{limit=\"connection_count_max\"} 1\n"));
}

TEST_F(LimitsTest, QuestionsAboutTheServerAreAnsweredInAFloodOfConnections) {
  ServerOptions options = quick_options();
  options.connection_count_max = 2;
  start(std::move(options));
  std::vector<TestClient> flood;
  for (std::size_t i = 0; i < 2 * ConnectionSlots::kReservedCount; ++i) flood.push_back(connect());
  for (const char* const target : {"/healthz", "/readyz", "/metrics"}) {
    TestClient client = connect();
    EXPECT_EQ(client.request("GET", target).status, 200U) << target;
    EXPECT_TRUE(client.read_end()) << "one question each";
  }
  TestClient other = connect();
  EXPECT_EQ(other.request("GET", "/nothing").status, 429U);
}

TEST_F(LimitsTest, ConnectionsOfOneAddressAreCounted) {
  ServerOptions options = quick_options();
  options.connections_per_address_max = 1;
  start(std::move(options));
  TestClient first = connect();
  EXPECT_EQ(first.request("GET", "/healthz").status, 200U);
  TestClient second = connect();
  EXPECT_EQ(second.request("GET", "/subscriptions").status, 429U);
  const std::string metrics = first.request("GET", "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("{limit=\"connections_per_address_max\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("{error=\"http.too_many_connections\"} 1\n"));
}

TEST_F(LimitsTest, RequestsMustBeWellFormed) {
  start();
  const auto status_of = [&](std::string_view bytes) {
    TestClient client = connect();
    client.send(bytes);
    return client.read_answer().status;
  };
  EXPECT_EQ(status_of("nonsense\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n\r\n"), 400U);
  const auto body = [&](std::string_view fields) {
    return status_of(request_bytes("POST", "/events", fields) + "0\r\n\r\n");
  };
  EXPECT_EQ(body("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(body("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400U);
  EXPECT_EQ(body("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n"), 400U);
  EXPECT_EQ(body("Transfer-Encoding: gzip, chunked\r\n"), 400U);
  EXPECT_EQ(body("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(body("Content-Length: 5\r\nContent-Length: 6\r\n"), 400U);
  EXPECT_EQ(body("Content-Length: -5\r\n"), 400U);
  EXPECT_EQ(body("Expect: miracles\r\nContent-Length: 5\r\n"), 400U);
  EXPECT_EQ(
      status_of(request_bytes("POST", "/events", "Transfer-Encoding: chunked\r\n") + "zz\r\n"),
      400U);
}

TEST_F(LimitsTest, OldClientsAreAnswered) {
  start();
  TestClient client = connect();
  client.send("GET /healthz HTTP/1.0\r\n\r\n");
  const TestAnswer answer = client.read_answer();
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.field("connection"), "close");
  EXPECT_TRUE(client.read_end());
  TestClient lasting = connect();
  lasting.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(lasting.read_answer().field("connection"), "keep-alive");
}

TEST_F(LimitsTest, TokensDecideWhoMayDoWhat) {
  ServerOptions options = quick_options();
  options.anonymous = Anonymous::kOff;
  start(std::move(options));
  broker_.add_token("weir_admin", broker::Grants::all());
  broker_.add_token("weir_user", broker::Grants{});
  TestClient client = connect();
  const TestAnswer none = client.request("GET", "/subscriptions");
  EXPECT_EQ(none.status, 401U);
  EXPECT_EQ(none.field("www-authenticate"), "Bearer");
  const auto with = [&](std::string_view token, std::string_view target) {
    return client.request("GET", target, fmt::format("Authorization: Bearer {}\r\n", token)).status;
  };
  EXPECT_EQ(with("weir_wrong", "/subscriptions"), 401U);
  EXPECT_EQ(with("weir_user", "/subscriptions"), 200U);
  const std::size_t asked = broker_.authentication_count();
  EXPECT_EQ(with("weir_user", "/subscriptions"), 200U);
  EXPECT_EQ(broker_.authentication_count(), asked);
  EXPECT_EQ(with("weir_user", "/metrics"), 403U);
  EXPECT_EQ(with("weir_admin", "/metrics"), 200U);
  EXPECT_EQ(client.request("GET", "/subscriptions?access_token=weir_user").status, 200U);
  EXPECT_EQ(client.request("GET", "/subscriptions?access_token=x").status, 401U);
  EXPECT_EQ(client.request("GET", "/healthz").status, 200U);
  EXPECT_EQ(client.request("GET", "/readyz").status, 200U);
  EXPECT_EQ(client.request("GET", "/metrics").status, 401U);
}

TEST_F(LimitsTest, AKnownTokenDoesNotWaitBehindNewOnes) {
  ServerOptions options = quick_options();
  options.authentication_queue_max = 1;
  start(std::move(options));
  broker_.add_token("weir_user", broker::Grants{});
  const auto bytes_with = [&](std::string_view token) {
    return request_bytes("GET", "/subscriptions",
                         fmt::format("Authorization: Bearer {}\r\n", token));
  };
  const auto answer_to = [&](std::string_view token) {
    TestClient client = connect();
    client.send(bytes_with(token));
    return client.read_answer().status;
  };
  EXPECT_EQ(answer_to("weir_user"), 200U);
  broker_.hold_authentication(true);
  TestClient waiting = connect();
  waiting.send(bytes_with("weir_new"));
  ASSERT_TRUE(broker_.wait_for_authentication(2));
  EXPECT_EQ(answer_to("weir_other"), 429U) << "the queue is full";
  EXPECT_EQ(answer_to("weir_user"), 200U);
  broker_.hold_authentication(false);
  EXPECT_EQ(waiting.read_answer().status, 401U);
}

TEST_F(LimitsTest, PagesOfOtherHostsAreKeptOut) {
  ServerOptions options = quick_options();
  options.allowed_origins = {"https://page.example"};
  start(std::move(options));
  TestClient client = connect();
  EXPECT_EQ(
      client.request("PUT", "/subscriptions/a", "Origin: https://evil.example\r\n", "{}").status,
      403U);
  TestClient rebound = connect();
  EXPECT_EQ(rebound.request("GET", "/subscriptions", "Host: evil.example\r\n").status, 401U);
  TestClient allowed = connect();
  const TestAnswer answer =
      allowed.request("GET", "/subscriptions", "Origin: https://page.example\r\n");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.field("access-control-allow-origin"), "https://page.example");
}

}  // namespace
}  // namespace weir::server
