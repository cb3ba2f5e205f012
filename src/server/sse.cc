// SPDX-License-Identifier: Apache-2.0
#include "server/sse.h"

#include <cstddef>

#include "server/problem.h"
#include "server/websocket_messages.h"

namespace weir::server {
namespace {

// A line of its own for each line of the text: a stream's lines end at CR, LF or both.
void append_data(std::string_view text, std::string& out) {
  for (;;) {
    const std::size_t end = text.find_first_of("\r\n");
    out.append("data: ").append(text.substr(0, end)).append("\n");
    if (end == std::string_view::npos) return;
    text.remove_prefix(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
}

// As the end of a message.
void append_problem_data(const base::Error& error, std::string& out) {
  std::string problem;
  append_problem(error, problem);
  append_data(problem, out);
  out += '\n';
}

std::string group_of(const broker::Dispatch& dispatch) {
  std::string group = "[";
  for (std::size_t i = 0; i < dispatch.events.size(); ++i) {
    if (i > 0) group += ',';
    group += dispatch.events[i].json;
  }
  return group + "]";
}

}  // namespace

void append_sse(const broker::Dispatch& dispatch, const SseOptions& options, std::string& out) {
  if (dispatch.redelivered) out += ": redelivered\n";
  if (dispatch.is_group) out += "event: group\n";
  broker::DeliveryId id{dispatch.number};
  if (options.incarnation != broker::kNoIncarnation) id.incarnation = options.incarnation;
  out.append("id: ").append(broker::to_string(id)) += '\n';
  if (options.envelope) {
    std::string message;
    append_event(dispatch, message);
    append_data(message, out);
  } else if (dispatch.is_group) {
    append_data(group_of(dispatch), out);
  } else {
    append_data(dispatch.events.front().json, out);
  }
  out += '\n';
}

void append_sse_error(const base::Error& error, std::string& out) {
  out += "event: error\n";
  append_problem_data(error, out);
}

void append_sse_notice(const base::Error& error, std::string& out) {
  out += "event: notice\nid:\n";
  append_problem_data(error, out);
}

}  // namespace weir::server
