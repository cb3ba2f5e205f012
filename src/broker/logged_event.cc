// SPDX-License-Identifier: Apache-2.0
#include "broker/logged_event.h"

#include <fmt/format.h>

#include <span>

namespace weir::broker {

base::Result<event::EventPtr> decode_logged(const store::LogRecord& record) {
  auto event = event::decode_event(record.payload, {.json = {.depth_max = 1024}});
  if (!event) {
    return base::Error{base::ErrorId::kStoreCorrupt,
                       fmt::format("event {} of the log is no event: {}", record.sequence,
                                   event.error().to_string()),
                       std::nullopt};
  }
  event::assign_sequence(*event, record.sequence);
  return event;
}

event::EventPtr find_logged(const store::EventLog& log, std::uint64_t sequence) {
  const auto read = log.read(std::span(&sequence, 1));
  if (!read || !read->front()) return nullptr;
  const auto event = decode_logged(*read->front());
  return event ? *event : nullptr;
}

}  // namespace weir::broker
