// SPDX-License-Identifier: Apache-2.0
#include "server/websocket_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/near_name.h"
#include "event/json_document.h"
#include "event/json_writer.h"
#include "server/answers.h"
#include "server/problem.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;
using event::JsonKind;
using event::JsonRef;

struct MessageKind {
  std::string_view type;
  std::array<std::string_view, 3> members;  // besides "type"
};

constexpr std::array kKinds = {
    MessageKind{"credit", {"count"}},
    MessageKind{"ack", {"number", "numbers"}},
    MessageKind{"nack", {"number", "numbers", "delay"}},
};

class MessageReader {
 public:
  explicit MessageReader(std::string_view text, const event::JsonDocument& document)
      : text_(text),
        root_(document.root()),
        // Positions inside the document count from its value's first byte.
        begin_(static_cast<std::size_t>(document.text().data() - text.data())) {}

  base::Result<ClientMessage> read() {
    if (root_.kind() != JsonKind::kObject) return error(root_, "expected a JSON object");
    const auto kind = read_kind();
    if (!kind) return kind.error();
    if (auto checked = check_members(**kind); !checked) return checked.error();
    if ((*kind)->type == "credit") return read_credit();
    return (*kind)->type == "ack" ? read_ack() : read_nack();
  }

 private:
  base::Result<const MessageKind*> read_kind() {
    const JsonRef type = root_.member("type");
    if (!type || type.kind() != JsonKind::kString) {
      return error(type ? type : root_, R"(expected a "type": "credit", "ack" or "nack")");
    }
    const auto* const kind = std::ranges::find(kKinds, type.string(), &MessageKind::type);
    if (kind != kKinds.end()) return kind;
    std::array<std::string_view, kKinds.size()> types;
    std::ranges::transform(kKinds, types.begin(), &MessageKind::type);
    return error(
        type, fmt::format("there is no message '{}' from a client{}", event::excerpt(type.string()),
                          base::did_you_mean(type.string(), types)));
  }

  base::Result<void> check_members(const MessageKind& kind) {
    std::optional<Error> unknown;
    root_.for_each_member([&](const JsonRef& member, const JsonRef&) {
      const std::string_view name = member.string();
      const bool is_known = std::ranges::find(kind.members, name) != kind.members.end();
      if (unknown || name == "type" || (is_known && !name.empty())) return;
      unknown = error(member,
                      fmt::format("there is no member '{}' in this message", event::excerpt(name)));
    });
    if (unknown) return *std::move(unknown);
    return {};
  }

  base::Result<ClientMessage> read_credit() {
    const auto count = number("count");
    if (!count) return count.error();
    return CreditMessage{*count};
  }

  base::Result<ClientMessage> read_ack() {
    if (!root_.member("numbers")) {
      const auto single = number("number");
      if (!single) return single.error();
      return AckMessage{*single};
    }
    auto several = numbers();
    if (!several) return several.error();
    return broker::Answer{.numbers = *std::move(several)};
  }

  base::Result<ClientMessage> read_nack() {
    auto several = numbers();
    if (!several) return several.error();
    const JsonRef text = root_.member("delay");
    const auto delay = nack_delay_of(text);
    if (!delay) return error(text, std::string(kNackDelayExpected));
    return broker::Answer{*std::move(several), delay};
  }

  // Of "number" or of "numbers".
  base::Result<std::vector<std::uint64_t>> numbers() {
    const JsonRef array = root_.member("numbers");
    if (!array) {
      const auto single = number("number");
      if (!single) return single.error();
      return std::vector{*single};
    }
    if (root_.member("number")) return error(array, R"(expected "number" or "numbers", not both)");
    auto several = delivery_numbers_of(array);
    if (several) return *std::move(several);
    return error(array, fmt::format(R"(expected "numbers": an array of at most {} numbers)",
                                    kAnswerNumberCountMax));
  }

  base::Result<std::uint64_t> number(std::string_view name) {
    const JsonRef value = root_.member(name);
    if (const auto number = delivery_number_of(value)) return *number;
    return error(value ? value : root_, fmt::format(R"(expected "{}": a number)", name));
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

void append_hello(const Hello& hello, std::string& out) {
  event::JsonObject object(out);
  object.member("type", "hello");
  object.member("protocol", kSubprotocol);
  if (!hello.subscription.empty()) object.member("subscription", hello.subscription);
  if (hello.start.incarnation != broker::kNoIncarnation) {
    object.member("incarnation", hello.start.incarnation);
  }
  if (hello.start.mode == broker::ConsumerMode::kShared) object.member("consumers", "shared");
  if (!hello.warnings.empty()) {
    object.name("warnings");
    append_warnings(hello.warnings, out);
  }
  object.close();
}

void append_event(const broker::Dispatch& dispatch, std::string& out) {
  event::JsonObject object(out);
  object.member("type", "event");
  object.member("number", dispatch.number);
  if (dispatch.redelivered) object.member("redelivered", true);
  if (!dispatch.is_group) {
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

void append_acknowledged(std::span<const std::uint64_t> numbers, std::string& out) {
  event::JsonObject object(out);
  object.member("type", "acknowledged");
  object.raw("numbers", fmt::format("[{}]", fmt::join(numbers, ",")));
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
