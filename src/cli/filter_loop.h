// SPDX-License-Identifier: Apache-2.0
// FilterLoop: what `weir filter` does with its input: reads events line by line, publishes each,
// writes what is delivered.
//
// Memory is that of the engine's state and one line. What is written is flushed before every read
// that may block. At the end, values that were held back are delivered as if their time had come.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "cli/delivery_writer.h"
#include "cli/event_clock.h"
#include "cli/line_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "engine/engine.h"

namespace weir::cli {

struct StreamCounts {
  std::uint64_t lines = 0;  // blank_lines + invalid_lines + events
  std::uint64_t blank_lines = 0;
  std::uint64_t invalid_lines = 0;
  std::uint64_t events = 0;
  std::uint64_t written = 0;  // lines of output
};

// The event on the reader's line; errors have its place in the input.
base::Result<event::EventPtr> decode_line(const LineReader& reader,
                                          const event::EventLimits& limits);
bool is_blank(std::string_view line);

class FilterLoop {
 public:
  struct Options {
    ClockKind clock = ClockKind::kEvent;
    std::size_t line_bytes_max = kLineBytesMaxDefault;
    DeliveryWriter::Options writer = {};
    // Told of a bad line, with its place; without it a bad line ends the run.
    std::function<void(const base::Error&)> on_bad_line = nullptr;
  };

  // `ids` are the engine's subscriptions in the order of the filters.
  FilterLoop(engine::Engine& engine, std::vector<engine::SubscriptionId> ids, Options options)
      : engine_(engine), ids_(std::move(ids)), options_(std::move(options)) {}

  // Runs until the end of the input or of the output. Everything before a bad line is written.
  base::Result<void> run(ByteSource& source, Output& output, Progress& progress);

  const StreamCounts& counts() const { return counts_; }

 private:
  base::Result<void> read_lines(LineReader& reader, Output& output, DeliveryWriter& writer);
  base::Result<void> take_line(const LineReader& reader, DeliveryWriter& writer);
  base::Result<void> bad_line(base::Error error);
  void wait(ByteSource& source, Output& output, DeliveryWriter& writer);

  engine::Engine& engine_;
  std::vector<engine::SubscriptionId> ids_;
  Options options_;
  EventClock clock_{options_.clock};
  event::EventLimits limits_;
  StreamCounts counts_;
};

}  // namespace weir::cli
