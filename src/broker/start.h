// SPDX-License-Identifier: Apache-2.0
// Start: the event with which a new subscription begins, read from `config.start`.
//
//   "start": "now"                              the default: with the next event
//   "start": "earliest"                         with the oldest event in the log
//   "start": {"sequence": 1200}                 with that event, or the oldest one after it
//   "start": {"time": "2026-01-02T03:04:05Z"}   with the first event accepted at or after that time
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "event/json_document.h"
#include "store/event_log.h"

namespace weir::broker {

struct Start {
  enum class Kind : std::uint8_t { kNow, kEarliest, kSequence, kTime };

  Kind kind = Kind::kNow;
  std::uint64_t sequence = 0;  // kSequence
  base::Instant time = {};     // kTime

  bool operator==(const Start&) const = default;
};

// The offset of an error's position is one in the value's document.
base::Result<Start> read_start(const event::JsonRef& value);

// As in a query string or on a command line: earliest, now, a sequence or a time.
base::Result<Start> parse_start(std::string_view text);

// The value that read_start() reads to an equal one.
std::string to_json(const Start& start);

struct ResolvedStart {
  std::uint64_t sequence = 0;  // the first event to read; next_sequence(): there is none to read
  std::uint64_t skipped = 0;   // events that were asked for and are gone
};
// Finds the event in the log; a sequence that has not been given yet is an error.
base::Result<ResolvedStart> resolve_start(const Start& start, const store::EventLog& log);

// The first event whose instant is at or after `time`; next_sequence() if there is none.
std::uint64_t first_sequence_since(const store::EventLog& log, base::Instant time);

}  // namespace weir::broker
