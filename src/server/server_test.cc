// SPDX-License-Identifier: Apache-2.0
// How a server starts, stops and speaks TLS.
#include "server/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/error_testing.h"
#include "server/server_testing.h"

namespace weir::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using StopTest = ServerTest;

TEST_F(StopTest, EndsIdleConnectionsAtOnce) {
  start();
  TestClient idle = connect();
  EXPECT_EQ(idle.request("GET", "/healthz").status, 200U);
  server_->stop(seconds(20));
  EXPECT_TRUE(idle.read_end());
}

TEST_F(StopTest, FinishesRequestsUnderWay) {
  start();
  broker_.hold_publishing(true);
  TestClient client = connect();
  client.send(request_bytes("POST", "/events", kStructured, event_json("1")));
  ASSERT_TRUE(broker_.wait_for_publishers(1));
  std::thread stopping([&] { server_->stop(seconds(20)); });
  broker_.hold_publishing(false);
  const TestAnswer answer = client.read_answer();
  EXPECT_EQ(answer.status, 202U);
  EXPECT_TRUE(client.read_end());
  stopping.join();
}

TEST_F(StopTest, EndsStreams) {
  start();
  TestClient client = connect();
  client.send(request_bytes("GET", "/stream"));
  client.read_until("retry: 1000\n\n");
  server_->stop(seconds(20));
  EXPECT_EQ(client.read_until("\n\n"), ": the server is stopping\n\n");
  EXPECT_TRUE(client.read_end());
  EXPECT_TRUE(broker_.wait_until_closed());
}

TEST_F(StopTest, CutsWhatIsLeftAfterTheGrace) {
  start();
  TestClient slow = connect();
  slow.send("POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n");
  TestClient other = connect();
  EXPECT_EQ(other.request("GET", "/healthz").status, 200U);
  server_->stop(milliseconds(20));
  EXPECT_TRUE(slow.read_end());
}

TEST_F(StopTest, StandsBusyClients) {
  start();
  std::atomic<bool> done = false;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      TestClient client = connect();
      for (int n = 0; !done && n < 100'000; ++n) {
        const auto answer =
            client.request("POST", "/events", kStructured, event_json(fmt::format("{}-{}", i, n)));
        if (answer.status != 202) break;
      }
    });
  }
  while (broker_.stats().accepted < 200) std::this_thread::sleep_for(milliseconds(1));
  server_->stop(seconds(20));
  done = true;
  for (std::thread& client : clients) client.join();
}

TEST_F(StopTest, TellsWhatItCannotListenOn) {
  start();
  ServerOptions taken = quick_options();
  taken.endpoints[0].port = port();
  const auto second = Server::start(broker_, taken);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().id, base::ErrorId::kHttpListen);
  ServerOptions unknown = quick_options();
  unknown.endpoints[0].address = "no.such.host.invalid";
  EXPECT_EQ(Server::start(broker_, unknown).error().id, base::ErrorId::kHttpListen);
}

class TlsTest : public ServerTest {
 protected:
  TlsTest()
      : directory_(std::filesystem::temp_directory_path() / fmt::format("weir-tls-{}", getpid())) {
    std::filesystem::create_directories(directory_);
    make_certificate("one");
  }
  ~TlsTest() override { std::filesystem::remove_all(directory_); }

  void make_certificate(std::string_view name) {
    const std::string command = fmt::format(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 "
        "-subj /CN={} -keyout {}/key.pem -out {}/cert.pem 2>/dev/null",
        name, directory_.string(), directory_.string());
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  ServerOptions tls_options() {
    ServerOptions options = quick_options();
    options.endpoints.push_back({.address = "127.0.0.1", .port = 0, .tls = true});
    options.tls_certificate_file = directory_ / "cert.pem";
    options.tls_key_file = directory_ / "key.pem";
    return options;
  }
  TestClient connect_tls() { return TestClient(server_->ports()[1], TestClient::Kind::kTls); }

  std::filesystem::path directory_;
};

TEST_F(TlsTest, ServesRequestsStreamsAndWebsockets) {
  start(tls_options());
  TestClient client = connect_tls();
  EXPECT_EQ(client.request("POST", "/events", kStructured, event_json("1")).status, 202U);
  EXPECT_EQ(client.request("GET", "/openapi.json").status, 200U);
  client.send(request_bytes("GET", "/stream"));
  client.read_until("retry: 1000\n\n");
  broker_.deliver(1, "{}");
  EXPECT_EQ(client.read_until("\n\n"), "id: 1\ndata: {}\n\n");

  TestClient websocket = connect_tls();
  EXPECT_EQ(websocket.upgrade("/stream").status, 101U);
  EXPECT_EQ(websocket.read_frame().payload, R"({"type":"hello","protocol":"weir.v1"})");
  server_->stop(seconds(20));
  EXPECT_NE(websocket.read_frame().payload.find("broker.stopping"), std::string::npos);
  EXPECT_EQ(websocket.read_frame().close_code(), 1001U);
}

TEST_F(TlsTest, TakesNewCertificates) {
  start(tls_options());
  EXPECT_EQ(connect_tls().certificate_subject(), "/CN=one");
  make_certificate("two");
  ASSERT_EQ(base::describe(server_->reload_certificates()), "ok");
  EXPECT_EQ(connect_tls().certificate_subject(), "/CN=two");
  std::filesystem::remove(directory_ / "key.pem");
  EXPECT_EQ(server_->reload_certificates().error().id, base::ErrorId::kHttpTls);
  EXPECT_EQ(connect_tls().certificate_subject(), "/CN=two");
}

TEST_F(TlsTest, TellsThoseWhoSpeakPlainHttp) {
  start(tls_options());
  for (const char* const method : {"GET", "POST", "OPTIONS", "DELETE", "get"}) {
    TestClient plain(server_->ports()[1]);
    plain.send(request_bytes(method, "/healthz", "", std::string(100'000, 'x')));
    const TestAnswer answer = plain.read_answer();
    EXPECT_EQ(answer.status, 400U) << method;
    EXPECT_EQ(answer.field("content-type"), "application/problem+json");
    EXPECT_EQ(answer.field("connection"), "close");
    EXPECT_NE(answer.body.find("this port speaks https"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find("\"http.plain\""), std::string::npos) << answer.body;
    EXPECT_TRUE(plain.read_end());
  }
  EXPECT_EQ(connect_tls().request("GET", "/healthz").status, 200U);
}

TEST_F(TlsTest, CutsThoseWhoDoNotSpeakIt) {
  ServerOptions options = tls_options();
  options.header_timeout = milliseconds(200);
  start(std::move(options));
  TestClient garbage(server_->ports()[1]);
  garbage.send("\x01\x02\x03 nonsense that is neither\r\n\r\n");
  EXPECT_TRUE(garbage.read_end());
  TestClient silent(server_->ports()[1]);
  EXPECT_TRUE(silent.read_end());
  EXPECT_EQ(metric(R"(weir_limit_hits_total{limit="header_timeout"})"), "1");
}

TEST_F(TlsTest, NeedsCertificateAndKey) {
  ServerOptions options = tls_options();
  options.tls_key_file = directory_ / "none.pem";
  EXPECT_EQ(Server::start(broker_, options).error().id, base::ErrorId::kHttpTls);
}

}  // namespace
}  // namespace weir::server
