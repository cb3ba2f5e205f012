// SPDX-License-Identifier: Apache-2.0
// SpecBatch: conjunctions of some filters, compiled: tests of codes, all in a row, and apart from
// them whatever is not that simple.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "filter/filter.h"
#include "match/content/check.h"
#include "match/content/code_tests.h"
#include "match/content/ids.h"
#include "match/matcher.h"

namespace weir::match::content {

// Points of which the event must have one: another way to a conjunction than its tests.
struct Door {
  std::uint32_t points_begin = 0;  // in Extra::points
  std::uint32_t point_count = 0;
};

// What only some conjunctions have.
struct Extra {
  filter::FilterPtr filter = {};       // holds what the checks look at
  std::vector<Check> checks = {};      // must hold too; cheap ones first
  std::vector<Check> tie_checks = {};  // must hold if one of the tests is tied
  std::vector<Door> doors = {};
  std::vector<PointId> points = {};      // in use by doors and checks
  std::vector<SlotId> slots = {};        // in use by checks
  std::vector<std::uint32_t> rows = {};  // if reached by a door: its row for each of its points
  std::uint64_t event_number = 0;        // of the last event that reached it
};

struct SpecBatch {
  struct Conjunction {
    std::size_t tests_begin = 0;
    std::size_t test_count = 0;
    std::unique_ptr<Extra> extra = {};  // null: the tests are all there is
  };
  struct Subscription {
    SubscriptionId id;
    bool has_change = false;
    std::size_t conjunctions_begin = 0;
    std::size_t conjunction_count = 0;
  };

  std::vector<CodeTest> tests = {};
  std::vector<Conjunction> conjunctions = {};
  std::vector<Subscription> subscriptions = {};

  std::span<const CodeTest> tests_of(const Conjunction& conjunction) const {
    return std::span(tests).subspan(conjunction.tests_begin, conjunction.test_count);
  }
  void clear() {
    tests.clear();
    conjunctions.clear();
    subscriptions.clear();
  }
};

}  // namespace weir::match::content
