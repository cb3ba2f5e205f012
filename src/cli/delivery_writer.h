// SPDX-License-Identifier: Apache-2.0
// DeliveryWriter: writes what the engine delivers, as lines of JSON.
//
// Plain: every event that goes to at least one filter, once, as it came. As JSON: one line for each
// delivery of an event, {"filter":1,"event":{...}}; the events of a group have "group" after
// "filter", the number of the group.
//
// An event that one filter got may come again from another that held it back. To write it once the
// writer keeps those written events that the engine may still hold, at most twice as many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "cli/output.h"
#include "engine/engine.h"
#include "engine/text_annotator.h"

namespace weir::cli {

class DeliveryWriter {
 public:
  struct Options {
    bool json = false;
    bool events_return = false;                        // an event may be delivered by several calls
    std::span<engine::TextAnnotator> annotators = {};  // one for each filter; none: events say less
  };

  // Filters are numbered by the order of their ids, which must be ascending.
  DeliveryWriter(Output& output, std::vector<engine::SubscriptionId> ids, Options options)
      : output_(output), ids_(std::move(ids)), options_(options) {}

  void write(std::span<const engine::Delivery> deliveries);

  std::uint64_t line_count() const { return line_count_; }

 private:
  void write_plain(std::span<const engine::Delivery> deliveries);
  void write_json(const engine::Delivery& delivery);
  bool is_new(const event::EventPtr& event);
  void write_line(std::string_view text);

  Output& output_;
  std::vector<engine::SubscriptionId> ids_;
  Options options_;
  std::set<event::EventPtr> written_;  // only with events_return
  std::size_t sweep_at_ = 256;
  std::uint64_t line_count_ = 0;
  std::uint64_t group_count_ = 0;
  std::string prefix_;
};

}  // namespace weir::cli
