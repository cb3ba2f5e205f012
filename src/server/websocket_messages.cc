// SPDX-License-Identifier: Apache-2.0
#include "server/websocket_messages.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/near_name.h"
#include "event/json_document.h"
#include "event/json_writer.h"
#include "server/problem.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;
using event::JsonKind;
using event::JsonRef;

constexpr std::array<std::string_view, 2> kTypes = {"credit", "ack"};

class MessageReader {
 public:
  explicit MessageReader(std::string_view text, const event::JsonDocument& document)
      : text_(text),
        root_(document.root()),
        // Positions inside the document count from its value's first byte.
        begin_(static_cast<std::size_t>(document.text().data() - text.data())) {}

  base::Result<ClientMessage> read() {
    if (root_.kind() != JsonKind::kObject) return error(root_, "expected a JSON object");
    const JsonRef type = root_.member("type");
    if (!type || type.kind() != JsonKind::kString) {
      return error(type ? type : root_, R"(expected a "type": "credit" or "ack")");
    }
    const bool is_credit = type.string() == "credit";
    if (!is_credit && type.string() != "ack") {
      return error(type, fmt::format("there is no message '{}' from a client{}",
                                     event::excerpt(type.string()),
                                     base::did_you_mean(type.string(), kTypes)));
    }
    const auto number = only_number(is_credit ? "count" : "number");
    if (!number) return number.error();
    if (is_credit) return CreditMessage{*number};
    return AckMessage{*number};
  }

 private:
  base::Result<std::uint64_t> only_number(std::string_view name) {
    std::optional<Error> unknown;
    root_.for_each_member([&](const JsonRef& member, const JsonRef&) {
      if (unknown || member.string() == "type" || member.string() == name) return;
      unknown = error(member, fmt::format("there is no member '{}' in this message",
                                          event::excerpt(member.string())));
    });
    if (unknown) return *std::move(unknown);
    const JsonRef value = root_.member(name);
    const auto number =
        value && value.kind() == JsonKind::kInteger ? parse_number(value.raw()) : std::nullopt;
    if (!number) {
      return error(value ? value : root_, fmt::format(R"(expected "{}": a number)", name));
    }
    return *number;
  }

  Error error(const JsonRef& at, std::string message) const {
    return {ErrorId::kWebsocketProtocol, std::move(message),
            base::position_at(text_, begin_ + at.offset_bytes())};
  }

  std::string_view text_;
  JsonRef root_;
  std::size_t begin_;
};

}  // namespace

base::Result<ClientMessage> decode_client_message(std::string_view text) {
  const auto document = event::JsonDocument::parse(text, {.depth_max = 8});
  if (!document) return document.error();
  return MessageReader(text, *document).read();
}

void append_hello(std::string_view subscription, std::string& out) {
  event::JsonObject object(out);
  object.member("type", "hello");
  object.member("protocol", kSubprotocol);
  if (!subscription.empty()) object.member("subscription", subscription);
  object.close();
}

void append_event(const broker::Dispatch& dispatch, std::string& out) {
  event::JsonObject object(out);
  object.member("type", "event");
  object.member("number", dispatch.number);
  if (dispatch.redelivered) object.member("redelivered", true);
  if (dispatch.events.size() == 1) {
    object.raw("event", dispatch.events.front().json);
  } else {
    object.raw("events", "[");
    for (std::size_t i = 0; i < dispatch.events.size(); ++i) {
      if (i > 0) out += ',';
      out += dispatch.events[i].json;
    }
    out += ']';
  }
  object.close();
}

void append_acknowledged(std::uint64_t number, std::string& out) {
  event::JsonObject object(out);
  object.member("type", "acknowledged");
  object.member("number", number);
  object.close();
}

void append_error(const Error& error, std::string& out) {
  event::JsonObject object(out);
  object.member("type", "error");
  object.name("error");
  append_problem(error, out);
  object.close();
}

std::uint16_t close_code(const Error& error) {
  constexpr std::uint16_t kGoingAway = 1001;
  constexpr std::uint16_t kPolicy = 1008;
  constexpr std::uint16_t kInternal = 1011;
  constexpr std::uint16_t kTryAgainLater = 1013;
  if (error.id == ErrorId::kBrokerStopping) return kGoingAway;
  // Whoever took the subscription over would lose it to one who tries again.
  if (error.id == ErrorId::kBrokerTaken) return kPolicy;
  switch (error.code()) {
    case base::ErrorCode::kLimit:
    case base::ErrorCode::kUnavailable:
      return kTryAgainLater;
    case base::ErrorCode::kCorrupt:
      return kInternal;
    case base::ErrorCode::kInvalidInput:
    case base::ErrorCode::kNotFound:
      break;
  }
  return kPolicy;
}

}  // namespace weir::server
