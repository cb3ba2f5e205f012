// SPDX-License-Identifier: Apache-2.0
#include "server/websocket_messages.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error_testing.h"

namespace weir::server {
namespace {

using base::describe;
using base::Error;
using base::ErrorId;

TEST(WebsocketMessagesTest, ReadsCreditAndAck) {
  EXPECT_EQ(decode_client_message(R"({"type":"credit","count":100})").value(),
            ClientMessage(CreditMessage{100}));
  EXPECT_EQ(decode_client_message(R"( {"number": 18446744073709551615, "type": "ack"} )").value(),
            ClientMessage(AckMessage{18446744073709551615U}));
}

TEST(WebsocketMessagesTest, ReadsAnswersAboutSingleDeliveries) {
  using broker::Answer;
  EXPECT_EQ(decode_client_message(R"({"type":"ack","numbers":[17,19]})").value(),
            ClientMessage(Answer{.numbers = {17, 19}}));
  EXPECT_EQ(decode_client_message(R"({"type":"nack","number":17})").value(),
            ClientMessage(Answer{{17}, base::Duration{}}));
  EXPECT_EQ(decode_client_message(R"({"type":"nack","numbers":[],"delay":"1m5s"})").value(),
            ClientMessage(Answer{{}, base::Duration::seconds(65)}));
}

TEST(WebsocketMessagesTest, NamesThePlaceOfAMistake) {
  const auto mistake = [](std::string_view text) { return describe(decode_client_message(text)); };
  EXPECT_EQ(mistake("[]"), "websocket.protocol 1:1@0 expected a JSON object");
  EXPECT_EQ(mistake("  7"), "websocket.protocol 1:3@2 expected a JSON object");
  EXPECT_EQ(mistake("{}"),
            R"(websocket.protocol 1:1@0 expected a "type": "credit", "ack" or "nack")");
  EXPECT_EQ(mistake(R"({"type":7})"),
            R"(websocket.protocol 1:9@8 expected a "type": "credit", "ack" or "nack")");
  EXPECT_EQ(mistake(R"({"type":"crdit"})"),
            "websocket.protocol 1:9@8 there is no message 'crdit' from a client: did you mean "
            "'credit'?");
  EXPECT_EQ(mistake(R"({"type":"ack"})"),
            R"(websocket.protocol 1:1@0 expected "number": a number)");
  EXPECT_EQ(mistake(R"({"type":"ack","number":-1})"),
            R"(websocket.protocol 1:24@23 expected "number": a number)");
  EXPECT_EQ(mistake(R"({"type":"ack","number":1.0})"),
            R"(websocket.protocol 1:24@23 expected "number": a number)");
  EXPECT_EQ(mistake(R"({"type":"ack","number":18446744073709551616})"),
            R"(websocket.protocol 1:24@23 expected "number": a number)");
  EXPECT_EQ(mistake(R"({"type":"ack","number":1,"x":2})"),
            "websocket.protocol 1:26@25 there is no member 'x' in this message");
  EXPECT_EQ(mistake(R"({"type":"ack","number":1,"delay":"5s"})"),
            "websocket.protocol 1:26@25 there is no member 'delay' in this message");
  EXPECT_EQ(mistake(R"({"type":"ack","numbers":[1,"2"]})"),
            R"(websocket.protocol 1:25@24 expected "numbers": an array of at most 10000 )"
            "numbers");
  EXPECT_EQ(mistake(R"({"type":"nack","number":1,"numbers":[1]})"),
            R"(websocket.protocol 1:37@36 expected "number" or "numbers", not both)");
  EXPECT_EQ(mistake(R"({"type":"nack","number":1,"delay":"25h"})"),
            R"(websocket.protocol 1:35@34 expected "delay": a duration of at most 1d, such as )"
            R"("5s")");
  EXPECT_EQ(mistake("{").substr(0, 14), "json.truncated");
}

broker::Dispatch dispatch_of(std::uint64_t number, std::vector<std::string_view> events) {
  broker::Dispatch dispatch;
  dispatch.number = number;
  dispatch.is_group = events.size() > 1;
  for (const std::string_view event : events) dispatch.events.push_back({nullptr, event});
  return dispatch;
}

TEST(WebsocketMessagesTest, WritesMessages) {
  std::string out;
  append_hello({.subscription = "alerts"}, out);
  EXPECT_EQ(out, R"({"type":"hello","protocol":"weir.v1","subscription":"alerts"})");
  out.clear();
  append_hello({.subscription = "jobs", .start = {broker::ConsumerMode::kShared, 12}}, out);
  EXPECT_EQ(out, R"({"type":"hello","protocol":"weir.v1","subscription":"jobs",)"
                 R"("incarnation":12,"consumers":"shared"})");
  out.clear();
  append_hello({}, out);
  EXPECT_EQ(out, R"({"type":"hello","protocol":"weir.v1"})");
  out.clear();
  append_event(dispatch_of(17, {R"({"id":"1"})"}), out);
  EXPECT_EQ(out, R"({"type":"event","number":17,"event":{"id":"1"}})");
  out.clear();
  broker::Dispatch group = dispatch_of(18, {"{}", "[]"});
  group.redelivered = true;
  append_event(group, out);
  EXPECT_EQ(out, R"({"type":"event","number":18,"redelivered":true,"events":[{},[]]})");
  out.clear();
  broker::Dispatch one = dispatch_of(19, {"{}"});
  one.is_group = true;
  append_event(one, out);
  EXPECT_EQ(out, R"({"type":"event","number":19,"events":[{}]})");
  out.clear();
  append_acknowledged(3, out);
  EXPECT_EQ(out, R"({"type":"acknowledged","number":3})");
  out.clear();
  append_acknowledged(std::vector<std::uint64_t>{17, 19}, out);
  EXPECT_EQ(out, R"({"type":"acknowledged","numbers":[17,19]})");
}

TEST(WebsocketMessagesTest, ChoosesTheCloseCode) {
  EXPECT_EQ(close_code({ErrorId::kBrokerStopping, "", {}}), 1001);
  EXPECT_EQ(close_code({ErrorId::kWebsocketProtocol, "", {}}), 1008);
  EXPECT_EQ(close_code({ErrorId::kBrokerTaken, "", {}}), 1008);
  EXPECT_EQ(close_code({ErrorId::kBrokerEnded, "", {}}), 1008);
  EXPECT_EQ(close_code({ErrorId::kBrokerBusy, "", {}}), 1013);
  EXPECT_EQ(close_code({ErrorId::kStoreCorrupt, "", {}}), 1011);
}

}  // namespace
}  // namespace weir::server
