// SPDX-License-Identifier: Apache-2.0
#include "cli/event_file.h"

#include <utility>

#include "cli/byte_source.h"
#include "event/event_builder.h"

namespace weir::cli {

Attempt<event::EventPtr> read_event(const std::string& path) {
  auto source = FileSource::open(path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  const event::EventLimits limits;
  auto text = read_all(*source, limits.json.text_bytes_max);
  if (!text) return tl::unexpected(file_failure(std::move(text.error()), source->name()));
  auto event = event::decode_event(*text, limits);
  if (!event) return tl::unexpected(file_failure(std::move(event.error()), source->name()));
  return std::move(*event);
}

event::EventPtr minimal_event() {
  return event::EventBuilder().id("1").source("/weir").type("example").build().value();
}

}  // namespace weir::cli
