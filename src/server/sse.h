// SPDX-License-Identifier: Apache-2.0
// Server-sent events: deliveries as text/event-stream.
//
//   id: 17@12
//   data: {"specversion":"1.0",...}
//
// A delivery that may have come before has a comment `: redelivered`; a group has `event: group`
// and a JSON array; in envelopes, data is the message that WebSocket would send.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/delivery.h"

namespace weir::server {

struct SseOptions {
  std::uint64_t incarnation = broker::kNoIncarnation;  // a part of ids; none: they are numbers only
  bool envelope = false;
};
void append_sse(const broker::Dispatch& dispatch, const SseOptions& options, std::string& out);
// `event: error` with the problem as data.
void append_sse_error(const base::Error& error, std::string& out);
// `event: notice` with the problem as data. Its empty id makes the client forget the last one.
void append_sse_notice(const base::Error& error, std::string& out);

inline constexpr std::string_view kSseStart = "retry: 1000\n\n";
inline constexpr std::string_view kSseHeartbeat = ":\n\n";

}  // namespace weir::server
