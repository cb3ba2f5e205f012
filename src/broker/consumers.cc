// SPDX-License-Identifier: Apache-2.0
#include "broker/consumers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/near_name.h"
#include "filter/duration.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Error;
using base::ErrorId;
using event::JsonKind;
using event::JsonRef;

constexpr std::array<std::string_view, 5> kMembers = {"mode", "by", "acknowledge_within",
                                                      "in_flight", "attempts"};

Error error_at(const JsonRef& where, std::string message, ErrorId id = ErrorId::kBrokerDefinition) {
  return {id, std::move(message), base::Position{.offset_bytes = where.offset_bytes()}};
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto parsed = filter::parse_duration_prefix(text);
  if (!parsed || parsed->length_bytes != text.size()) return std::nullopt;
  return parsed->duration;
}

// Reads the members of the object into the consumers.
class Reader {
 public:
  explicit Reader(const ConsumerLimits& limits) : limits_(limits) {}

  base::Result<std::optional<SharedConsumers>> read(const JsonRef& object) {
    object.for_each_member([&](const JsonRef& name, const JsonRef& value) {
      if (!failed_) member(name, value);
    });
    if (!failed_ && !mode_) fail(object, R"(expected consumers to have a "mode": "shared")");
    if (failed_) return *std::move(failed_);
    return std::optional(std::move(consumers_));
  }

 private:
  void member(const JsonRef& name, const JsonRef& value) {
    if (name.string() == "mode") {
      mode_ = true;
      if (!is_string(value) || value.string() != "shared") {
        fail(value, R"(expected the mode of an object to be "shared")");
      }
    } else if (name.string() == "by") {
      by(value);
    } else if (name.string() == "acknowledge_within") {
      acknowledge_within(value);
    } else if (name.string() == "in_flight") {
      consumers_.in_flight_max = count("in_flight", value, limits_.in_flight_max);
    } else if (name.string() == "attempts") {
      consumers_.attempt_count_max = count("attempts", value, limits_.attempt_count_max);
    } else {
      fail(name,
           fmt::format("consumers has no member '{}'{}; expected {}", event::excerpt(name.string()),
                       base::did_you_mean(name.string(), kMembers), fmt::join(kMembers, ", ")));
    }
  }

  void by(const JsonRef& value) {
    if (!is_string(value)) return fail(value, "expected by to be a path, such as \"subject\"");
    auto path = event::parse_path(value.string());
    if (!path) return fail(value, "expected by to be a path: " + path.error().message);
    if (path->is_many()) return fail(value, "expected by to be a path to one value, without [*]");
    consumers_.by = *std::move(path);
  }

  void acknowledge_within(const JsonRef& value) {
    const auto duration = is_string(value) ? parse_duration(value.string()) : std::nullopt;
    if (duration && *duration >= limits_.acknowledge_within_min &&
        *duration <= limits_.acknowledge_within_max) {
      consumers_.acknowledge_within = *duration;
      return;
    }
    fail(value, fmt::format("expected acknowledge_within to be a duration from {} to {}",
                            filter::to_text(limits_.acknowledge_within_min),
                            filter::to_text(limits_.acknowledge_within_max)));
  }

  // 1 if it is not one.
  std::size_t count(std::string_view name, const JsonRef& value, std::size_t most) {
    const event::Value number = value.value();
    const bool is_int = number.kind() == event::ValueKind::kInt && number.as_int() >= 1;
    if (is_int && number.as_int() <= static_cast<std::int64_t>(most)) {
      return static_cast<std::size_t>(number.as_int());
    }
    fail(value, fmt::format("expected {} to be an integer from 1 to {}", name, most),
         is_int ? ErrorId::kBrokerDefinitionTooLarge : ErrorId::kBrokerDefinition);
    return 1;
  }

  static bool is_string(const JsonRef& value) { return value.kind() == JsonKind::kString; }

  void fail(const JsonRef& where, std::string message, ErrorId id = ErrorId::kBrokerDefinition) {
    if (!failed_) failed_ = error_at(where, std::move(message), id);
  }

  const ConsumerLimits& limits_;
  SharedConsumers consumers_;
  bool mode_ = false;
  std::optional<Error> failed_;
};

}  // namespace

base::Result<std::optional<SharedConsumers>> read_consumers(const JsonRef& value,
                                                            const ConsumerLimits& limits) {
  if (value.kind() == JsonKind::kObject) return Reader(limits).read(value);
  const bool is_text = value.kind() == JsonKind::kString;
  if (is_text && value.string() == "exclusive") return std::optional<SharedConsumers>();
  if (is_text && value.string() == "shared") return std::optional(SharedConsumers{});
  return error_at(value, R"(expected consumers to be "exclusive", "shared" or an object)");
}

std::optional<Duration> parse_nack_delay(std::string_view text) {
  const auto duration = parse_duration(text);
  return duration && *duration <= kNackDelayMax ? duration : std::nullopt;
}

}  // namespace weir::broker
