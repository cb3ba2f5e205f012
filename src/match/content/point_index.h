// SPDX-License-Identifier: Apache-2.0
// PointIndex: the dictionary of all values that filters compare operands with.
//
// A point is an operand's slot with a value, or with a prefix of a string. Two values that the
// filter language calls equal are one point: 1 and 1.0, two texts of one moment. So a comparison
// with a constant is a comparison of two small numbers, once the event's value has been looked up.
// A point lives as long as a filter names it, and counts how many do: a value that few filters name
// is taken to be rare among events.
//
// NaN, null, objects and arrays equal nothing and are no points.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/value.h"
#include "match/content/ids.h"

namespace weir::match::content {

// A point, as a view: its text belongs to the filter or the event.
struct PointView {
  enum class Kind : std::uint8_t { kInteger, kFraction, kBool, kTimestamp, kString, kPrefix };

  SlotId slot = kNoId;
  Kind kind = Kind::kInteger;
  std::uint32_t nanoseconds = 0;  // of a timestamp
  std::uint64_t bits = 0;         // of anything but a text
  std::string_view text = {};

  auto operator<=>(const PointView&) const = default;
};

std::optional<PointView> point_of(SlotId slot, const event::Value& value);
PointView prefix_point(SlotId slot, std::string_view prefix);

class PointIndex {
 public:
  // Each acquire needs one release.
  PointId acquire(const PointView& point);
  void release(const PointView& point);
  // kNoId if no filter names the point.
  PointId find(const PointView& point) const;

  // A guess at how many of all events have the point, from 0 to 1: the part that it has in all uses
  // of points of its slot (prefixes apart), and below 1/10 as long as there are few.
  double share(const PointView& point) const;

  // The conjunctions that are reached through the point.
  std::vector<ConjunctionId>& entries(PointId id) { return points_[id].entries; }
  std::size_t point_count() const { return ids_.size(); }

 private:
  struct Key {
    PointView view;    // without its text
    std::string text;  // owned
  };
  struct Hash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(const PointView& view) const;
    std::size_t operator()(const Key& key) const;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Key& key, const PointView& view) const;
    bool operator()(const PointView& view, const Key& key) const { return (*this)(key, view); }
    bool operator()(const Key& left, const Key& right) const;
  };
  struct Point {
    std::uint32_t use_count = 0;
    std::vector<ConjunctionId> entries;
  };
  struct SlotUses {
    std::uint32_t values = 0;
    std::uint32_t prefixes = 0;
  };

  std::uint32_t& uses(const PointView& point);

  boost::unordered_flat_map<Key, PointId, Hash, Equal> ids_;
  std::vector<Point> points_;
  std::vector<PointId> free_;
  std::vector<SlotUses> slot_uses_;  // by slot
};

}  // namespace weir::match::content
