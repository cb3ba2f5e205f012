// SPDX-License-Identifier: Apache-2.0
#include "broker/sink_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/near_name.h"
#include "broker/webhook_secret.h"
#include "event/json_writer.h"
#include "filter/duration.h"

namespace weir::broker {
namespace {

using event::JsonKind;
using event::JsonRef;

constexpr std::array<std::string_view, 5> kMembers = {"mode", "batch_count", "batch_wait",
                                                      "authorization", "secret"};
constexpr std::array<std::string_view, 3> kModes = {"structured", "binary", "batch"};

bool is_secret(std::string_view member) { return member == "authorization" || member == "secret"; }

// What a header may hold without being taken for something else: printable ASCII.
bool is_header_value(std::string_view text) {
  return !text.empty() && text.front() != ' ' && text.back() != ' ' &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

class SinkConfigReader {
 public:
  SinkConfigReader(const JsonRef& value, const SinkLimits& limits)
      : value_(value), limits_(limits) {}

  base::Result<SinkConfig> read() {
    if (value_.kind() != JsonKind::kObject) {
      fail(value_, "expected config.sink to be an object");
    } else {
      value_.for_each_member([this](const JsonRef& name, const JsonRef& value) {
        if (!failed_) member(name, value);
      });
    }
    if (failed_) return *std::move(failed_);
    return std::move(config_);
  }

 private:
  void member(const JsonRef& name, const JsonRef& value) {
    const std::string_view known = name.string();
    if (known == "mode") return mode(value);
    if (known == "batch_count") return batch_count(value);
    if (known == "batch_wait") return batch_wait(value);
    if (known == "authorization") return authorization(value);
    if (known == "secret") return secret(value);
    fail(name, fmt::format("config.sink has no member '{}'{}; expected {}", event::excerpt(known),
                           base::did_you_mean(known, kMembers), fmt::join(kMembers, ", ")));
  }

  void mode(const JsonRef& value) {
    const auto* const found = value.kind() == JsonKind::kString
                                  ? std::ranges::find(kModes, value.string())
                                  : kModes.end();
    if (found == kModes.end()) {
      return fail(value, fmt::format("expected the mode to be one of {}", fmt::join(kModes, ", ")));
    }
    config_.options.mode = static_cast<SinkMode>(found - kModes.begin());
  }

  void batch_count(const JsonRef& value) {
    const event::Value number = value.value();
    const auto most = static_cast<std::int64_t>(limits_.batch_count_max);
    if (number.kind() != event::ValueKind::kInt || number.as_int() < 1 || number.as_int() > most) {
      return fail(value, fmt::format("expected batch_count to be an integer from 1 to {}", most));
    }
    config_.options.batch_count = static_cast<std::size_t>(number.as_int());
  }

  void batch_wait(const JsonRef& value) {
    const std::string_view text =
        value.kind() == JsonKind::kString ? value.string() : std::string_view();
    const auto parsed = filter::parse_duration_prefix(text);
    if (!parsed || parsed->length_bytes != text.size() ||
        parsed->duration > limits_.batch_wait_max) {
      return fail(value, fmt::format("expected batch_wait to be a duration such as \"200ms\", at "
                                     "most {}",
                                     filter::to_text(limits_.batch_wait_max)));
    }
    config_.options.batch_wait = parsed->duration;
  }

  void authorization(const JsonRef& value) {
    if (keeps(value)) {
      config_.authorization.kind = SecretWish::Kind::kKeep;
      return;
    }
    const bool is_text = value.kind() == JsonKind::kString;
    if (!is_text || value.string().size() > limits_.authorization_bytes_max ||
        !is_header_value(value.string())) {
      return fail(value, fmt::format("expected authorization to be the value of a header, of at "
                                     "most {} printable ASCII characters, or {{\"set\": true}}",
                                     limits_.authorization_bytes_max));
    }
    config_.authorization = {SecretWish::Kind::kText, std::string(value.string())};
  }

  void secret(const JsonRef& value) {
    if (keeps(value)) {
      config_.secret.kind = SecretWish::Kind::kKeep;
      return;
    }
    const std::string_view text =
        value.kind() == JsonKind::kString ? value.string() : std::string_view();
    if (text == "generate") {
      config_.secret.kind = SecretWish::Kind::kGenerate;
    } else if (!webhook_key(text)) {
      fail(value, fmt::format("expected secret to be \"{}\" and the base64 of {} to {} bytes, "
                              "\"generate\", or {{\"set\": true}}",
                              kWebhookSecretPrefix, kWebhookKeyBytesMin, kWebhookKeyBytesMax));
    } else {
      config_.secret = {SecretWish::Kind::kText, std::string(text)};
    }
  }

  // {"set": true}, as answers show it.
  static bool keeps(const JsonRef& value) {
    if (value.kind() != JsonKind::kObject) return false;
    std::size_t member_count = 0;
    value.for_each_member([&](const JsonRef&, const JsonRef&) { ++member_count; });
    const JsonRef set = value.member("set");
    return member_count == 1 && set && set.kind() == JsonKind::kTrue;
  }

  void fail(const JsonRef& where, std::string message) {
    failed_ =
        base::Error{base::ErrorId::kBrokerDefinition, std::move(message),
                    base::position_at(value_.raw(), where.offset_bytes() - value_.offset_bytes())};
  }

  const JsonRef& value_;
  const SinkLimits& limits_;
  SinkConfig config_;
  std::optional<base::Error> failed_;
};

void append_sink_without_secrets(const JsonRef& sink, std::string& out) {
  if (sink.kind() != JsonKind::kObject) return event::append_compact(sink, out);
  event::JsonObject object(out);
  sink.for_each_member([&](const JsonRef& name, const JsonRef& value) {
    object.name(name.string());
    if (is_secret(name.string())) {
      out += R"({"set":true})";
    } else {
      event::append_compact(value, out);
    }
  });
  object.close();
}

}  // namespace

base::Result<SinkConfig> read_sink_config(const JsonRef& value, const SinkLimits& limits) {
  return SinkConfigReader(value, limits).read();
}

void append_config_without_secrets(const JsonRef& config, std::string& out) {
  if (config.kind() != JsonKind::kObject) return event::append_compact(config, out);
  event::JsonObject object(out);
  config.for_each_member([&](const JsonRef& name, const JsonRef& value) {
    object.name(name.string());
    if (name.string() == "sink") {
      append_sink_without_secrets(value, out);
    } else {
      event::append_compact(value, out);
    }
  });
  object.close();
}

}  // namespace weir::broker
