// SPDX-License-Identifier: Apache-2.0
#include "broker/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "event/timestamp.h"

namespace weir::broker {
namespace {

using base::Error;
using base::ErrorId;
using event::JsonKind;
using event::JsonRef;

Error error_at(const JsonRef& where, std::string message) {
  return {ErrorId::kBrokerDefinition, std::move(message),
          base::Position{.offset_bytes = where.offset_bytes()}};
}

std::optional<Start> named_start(std::string_view name) {
  if (name == "now") return Start{};
  if (name == "earliest") return Start{.kind = Start::Kind::kEarliest};
  return std::nullopt;
}

std::optional<Start> start_at(std::string_view time) {
  constexpr std::int64_t kSecondsMax = 9'000'000'000;  // whose nanoseconds fit
  const auto parsed = event::parse_timestamp(time);
  if (!parsed || parsed->seconds > kSecondsMax || parsed->seconds < -kSecondsMax) {
    return std::nullopt;
  }
  return Start{.kind = Start::Kind::kTime,
               .time = base::Instant{parsed->seconds * 1'000'000'000 + parsed->nanoseconds}};
}

base::Result<Start> read_member(const JsonRef& name, const JsonRef& value) {
  if (name.string() == "sequence") {
    const event::Value number = value.value();
    if (number.kind() == event::ValueKind::kInt && number.as_int() >= 1) {
      return Start{.kind = Start::Kind::kSequence,
                   .sequence = static_cast<std::uint64_t>(number.as_int())};
    }
    return error_at(value, "expected sequence to be an integer from 1 on");
  }
  if (name.string() == "time") {
    const auto start =
        value.kind() == JsonKind::kString ? start_at(value.string()) : std::optional<Start>();
    if (start) return *start;
    return error_at(value, "expected time to be an RFC 3339 timestamp");
  }
  return error_at(name, fmt::format("start has no member '{}'; expected sequence or time",
                                    event::excerpt(name.string())));
}

}  // namespace

base::Result<Start> read_start(const JsonRef& value) {
  constexpr const char* kExpected =
      R"(expected start to be "earliest", "now", {"sequence": n} or {"time": t})";
  if (value.kind() == JsonKind::kString) {
    if (const auto start = named_start(value.string())) return *start;
  }
  if (value.kind() != JsonKind::kObject) return error_at(value, kExpected);
  std::optional<base::Result<Start>> start;
  value.for_each_member([&](const JsonRef& name, const JsonRef& member) {
    if (!start) {
      start = read_member(name, member);
    } else if (*start) {
      start = error_at(name, "expected start to have either sequence or time");
    }
  });
  if (!start) return error_at(value, kExpected);
  return *std::move(start);
}

base::Result<Start> parse_start(std::string_view text) {
  if (const auto start = named_start(text)) return *start;
  std::uint64_t sequence = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), sequence);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (is_number && sequence >= 1) {
    return Start{.kind = Start::Kind::kSequence, .sequence = sequence};
  }
  if (const auto start = start_at(text)) return *start;
  return Error{ErrorId::kBrokerDefinition,
               fmt::format("expected earliest, now, the sequence of an event or an RFC 3339 "
                           "timestamp, not '{}'",
                           event::excerpt(text)),
               std::nullopt};
}

std::string to_json(const Start& start) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  switch (start.kind) {
    case Start::Kind::kNow:
      return "\"now\"";
    case Start::Kind::kEarliest:
      return "\"earliest\"";
    case Start::Kind::kSequence:
      return fmt::format(R"({{"sequence":{}}})", start.sequence);
    case Start::Kind::kTime:
      break;
  }
  std::int64_t seconds = start.time.nanoseconds / kSecond;
  std::int64_t nanoseconds = start.time.nanoseconds % kSecond;
  if (nanoseconds < 0) {
    nanoseconds += kSecond;
    --seconds;
  }
  const event::Timestamp time{seconds, static_cast<std::int32_t>(nanoseconds)};
  return fmt::format(R"({{"time":"{}"}})", event::to_string(time));
}

base::Result<ResolvedStart> resolve_start(const Start& start, const store::EventLog& log) {
  const std::uint64_t first = log.first_sequence();
  const std::uint64_t next = log.next_sequence();
  switch (start.kind) {
    case Start::Kind::kNow:
      return ResolvedStart{next, 0};
    case Start::Kind::kEarliest:
      return ResolvedStart{first, 0};
    case Start::Kind::kTime:
      return ResolvedStart{first_sequence_since(log, start.time), 0};
    case Start::Kind::kSequence:
      break;
  }
  if (start.sequence > next) {
    return Error{ErrorId::kBrokerDefinition,
                 fmt::format("expected start to be at most {}, the sequence of the next event, not "
                             "{}",
                             next, start.sequence),
                 std::nullopt};
  }
  return ResolvedStart{std::max(start.sequence, first), first - std::min(start.sequence, first)};
}

namespace {

// The instant of this event, or of the next one that is there.
std::optional<base::Instant> instant_from(const store::EventLog& log, std::uint64_t sequence) {
  store::LogReader reader = log.reader(sequence);
  while (true) {
    const auto record = reader.next();
    if (!record || !*record) return std::nullopt;
    if ((*record)->kind == store::RecordKind::kEvent) return (*record)->at;
  }
}

}  // namespace

// By halving: instants ascend with sequences.
std::uint64_t first_sequence_since(const store::EventLog& log, base::Instant time) {
  std::uint64_t low = log.first_sequence();
  std::uint64_t high = log.next_sequence();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto at = instant_from(log, middle);
    if (at && *at < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace weir::broker
