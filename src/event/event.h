// SPDX-License-Identifier: Apache-2.0
// Event: an immutable CloudEvent 1.0, kept as its JSON text with an index into it.
//
// Every event is valid: decode_event, decode_batch and EventBuilder, which make them, enforce every
// rule of the specification. The text is kept as it came, so that unknown extensions and data go
// out byte for byte as they came in, and data is parsed once, however many filters look into it.
// Immutable and shared by pointer; safe to read from several threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "event/json_document.h"
#include "event/path.h"
#include "event/value.h"

namespace weir::event {

class Event;
using EventPtr = std::shared_ptr<const Event>;

struct Attribute {
  std::string_view name;
  Value value;            // bool, int, string; time is a timestamp
  std::string_view text;  // the canonical string form: true, 42, the string, the time as written
};

enum class DataKind : std::uint8_t { kNone, kJson, kBinary };

class Event {
  // Held by those who may make events.
  struct Key {
    explicit Key() = default;
  };

 public:
  Event(Key, JsonDocument document) : document_(std::move(document)) {}

  std::string_view id() const { return core_text(CoreAttribute::kId); }
  std::string_view source() const { return core_text(CoreAttribute::kSource); }
  std::string_view type() const { return core_text(CoreAttribute::kType); }
  // The text of a core attribute, empty if it is absent.
  std::string_view core_text(CoreAttribute attribute) const;

  // All attributes that are present, in the order of the text; data is none of them.
  std::span<const Attribute> attributes() const { return attributes_; }
  // Null if the event has no such attribute.
  const Attribute* find(std::string_view name) const;
  const Attribute* find(CoreAttribute attribute) const;

  DataKind data_kind() const { return data_kind_; }
  // The JSON value of data; an empty reference unless the kind is kJson.
  JsonRef data() const { return data_; }
  // The content of data_base64, decoded; empty unless the kind is kBinary.
  std::string data_bytes() const;

  // The value at a path; kMissing if there is none. Requires a path without [*].
  Value at(const Path& path) const;
  // The JSON value at a path into data; an empty reference if there is none. Requires a path
  // without
  // [*].
  JsonRef json_at(const Path& path) const;
  // Calls visit(JsonRef) for every value at a path into data, in the order of the text, until it
  // returns true; tells whether it did. Costs the part of the event that the path leads through.
  template <typename Visit>
  bool any_json_at(const Path& path, Visit&& visit) const {
    return data_ && path.is_data() && any_json_at(data_, path.steps(), visit);
  }

  // The event as one JSON object, as it was written.
  std::string_view json() const { return document_.text(); }

  // Its place in a log; 0 until it has one.
  std::uint64_t sequence() const { return sequence_; }

  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() = default;

 private:
  friend class EventDecoder;

  template <typename Visit>
  static bool any_json_at(JsonRef here, std::span<const Path::Step> steps, Visit&& visit) {
    for (; !steps.empty(); steps = steps.subspan(1)) {
      if (std::holds_alternative<EveryElement>(steps[0])) {
        return here.any_element(
            [&](JsonRef element) { return any_json_at(element, steps.subspan(1), visit); });
      }
      here = here.step(steps[0]);
      if (!here) return false;
    }
    return visit(here);
  }
  friend void assign_sequence(const EventPtr& event, std::uint64_t sequence);

  JsonDocument document_;
  std::vector<Attribute> attributes_;
  // One more than the index into attributes_ of each core attribute; 0: absent.
  std::array<std::uint16_t, kCoreAttributeCount> core_index_{};
  DataKind data_kind_ = DataKind::kNone;
  JsonRef data_;
  mutable std::uint64_t sequence_ = 0;  // by assign_sequence
};

// Gives an event its place in a log. Requires that no other thread has the event yet.
void assign_sequence(const EventPtr& event, std::uint64_t sequence);

struct EventLimits {
  JsonLimits json = {};
  std::size_t batch_count_max = 100'000;
  std::size_t attribute_count_max = 100;  // at most 65534
  std::size_t attribute_name_bytes_max = 256;
};

// Decodes exactly one event in JSON format.
base::Result<EventPtr> decode_event(std::string_view text, const EventLimits& limits = {});

// Decodes a JSON array of events. An element that is no valid event fails alone, in its place, also
// if it is no JSON; the whole fails where it cannot be told where an element ends.
base::Result<std::vector<base::Result<EventPtr>>> decode_batch(std::string_view text,
                                                               const EventLimits& limits = {});

}  // namespace weir::event
