// SPDX-License-Identifier: Apache-2.0
// The messages of the WebSocket subprotocol weir.v1: JSON objects, one per text message.
//
//   server   {"type":"hello","protocol":"weir.v1","subscription":"alerts","incarnation":12}
//            {"type":"hello",...,"subscription":"alerts","incarnation":12,"consumers":"shared"}
//            {"type":"event","number":17,"redelivered":true,"event":{...}}
//            {"type":"event","number":18,"events":[{...},{...}]}             a group
//            {"type":"acknowledged","number":17}
//            {"type":"acknowledged","numbers":[17,19]}                       shared
//            {"type":"error","error":{...}}                                  then it closes
//   client   {"type":"credit","count":100}
//            {"type":"ack","number":17}
//            {"type":"ack","numbers":[17,19]}                                shared
//            {"type":"nack","number":17,"delay":"5s"}                        shared; or numbers
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "broker/delivery.h"
#include "server/warning_json.h"

namespace weir::server {

inline constexpr std::string_view kSubprotocol = "weir.v1";

struct CreditMessage {
  std::uint64_t count = 0;
  bool operator==(const CreditMessage&) const = default;
};
struct AckMessage {
  std::uint64_t number = 0;
  bool operator==(const AckMessage&) const = default;
};
using ClientMessage = std::variant<CreditMessage, AckMessage, broker::Answer>;

// kWebsocketProtocol, or an error of JSON, with the place in the text.
base::Result<ClientMessage> decode_client_message(std::string_view text);

struct Hello {
  std::string_view subscription = {};  // empty: it is left out
  broker::SessionStart start = {};
  Warnings warnings = {};  // empty: they are left out
};
void append_hello(const Hello& hello, std::string& out);
void append_event(const broker::Dispatch& dispatch, std::string& out);
void append_acknowledged(std::uint64_t number, std::string& out);
void append_acknowledged(std::span<const std::uint64_t> numbers, std::string& out);
void append_error(const base::Error& error, std::string& out);

// The code of RFC 6455 with which a connection closes after an error.
std::uint16_t close_code(const base::Error& error);

}  // namespace weir::server
