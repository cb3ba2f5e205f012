// SPDX-License-Identifier: Apache-2.0
#include "cli/filter_loop.h"

#include <utility>

namespace weir::cli {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

base::Result<event::EventPtr> decode_line(const LineReader& reader,
                                          const event::EventLimits& limits) {
  auto event = event::decode_event(reader.line(), limits);
  if (!event) {
    base::Error& error = event.error();
    if (!error.position) error.position = base::Position();
    error.position->line = reader.line_number();
  }
  return event;
}

base::Result<void> FilterLoop::run(ByteSource& source, Output& output, Progress& progress) {
  limits_.json.text_bytes_max = options_.line_bytes_max;
  DeliveryWriter writer(output, ids_, options_.writer);
  LineReader reader(source, {.line_bytes_max = options_.line_bytes_max});
  reader.before_read([&] {
    output.flush();
    if (progress.enabled()) {
      progress.show(steady_now(), {.event_count = counts_.events,
                                   .written_count = writer.line_count(),
                                   .read_bytes = reader.read_bytes()});
    }
    if (options_.clock == ClockKind::kWall) wait(source, output, writer);
  });
  auto result = read_lines(reader, output, writer);
  progress.clear();
  while (result && !output.ended()) {
    const auto wake = engine_.next_wake();
    if (!wake) break;
    writer.write(engine_.advance(*wake));
  }
  output.flush();
  counts_.written = writer.line_count();
  return result;
}

base::Result<void> FilterLoop::read_lines(LineReader& reader, Output& output,
                                          DeliveryWriter& writer) {
  while (!output.ended()) {
    auto more = reader.next();
    if (more && !*more) return {};
    if (!more && more.error().id != base::ErrorId::kCliLineTooLong) return more.error();
    ++counts_.lines;
    auto taken = more ? take_line(reader, writer) : bad_line(std::move(more.error()));
    if (!taken) return taken;
  }
  return {};
}

base::Result<void> FilterLoop::take_line(const LineReader& reader, DeliveryWriter& writer) {
  if (is_blank(reader.line())) {
    ++counts_.blank_lines;
    return {};
  }
  auto event = decode_line(reader, limits_);
  if (!event) return bad_line(std::move(event.error()));
  ++counts_.events;
  const auto deliveries = engine_.publish(*event, clock_.at(**event));
  if (!deliveries.empty()) writer.write(deliveries);
  return {};
}

base::Result<void> FilterLoop::bad_line(base::Error error) {
  ++counts_.invalid_lines;
  if (!options_.on_bad_line) return error;
  options_.on_bad_line(error);
  return {};
}

// By the wall clock, values that are held back become due while no input comes.
void FilterLoop::wait(ByteSource& source, Output& output, DeliveryWriter& writer) {
  while (const auto wake = engine_.next_wake()) {
    const base::Instant now = wall_now();
    if (now < *wake && source.wait(*wake - now)) return;
    writer.write(engine_.advance(wall_now()));
    output.flush();
  }
}

}  // namespace weir::cli
