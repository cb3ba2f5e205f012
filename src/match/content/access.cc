// SPDX-License-Identifier: Apache-2.0
#include "match/content/access.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;
using filter::CompareOp;
using filter::Literal;

// Which values have an order that intervals can use; NaN has none.
bool is_orderly(const Value& value) {
  if (value.is_number()) return !std::isnan(value.as_number());
  return value.kind() == ValueKind::kTimestamp;
}

double about(const Value& value) {
  return value.is_number() ? value.as_number() : static_cast<double>(value.as_timestamp().seconds);
}

// Any value will do; what kind of value, the check will tell.
Access present(SlotId slot) { return {.kind = Access::Kind::kPresent, .slot = slot}; }

class AccessOf {
 public:
  explicit AccessOf(SlotId slot) : slot_(slot) {}

  Access operator()(const filter::Compare& compare) const {
    const auto* const literal = std::get_if<Literal>(&compare.right);
    if (literal == nullptr) return present(slot_);
    const Value constant = literal->view();
    switch (compare.op) {
      case CompareOp::kEqual:
        return points({&*literal, 1});
      case CompareOp::kNotEqual: {
        Access access = points({&*literal, 1});
        access.kind = Access::Kind::kPresent;
        access.implies = false;
        return access;
      }
      case CompareOp::kLess:
      case CompareOp::kLessEqual:
        return range(nullptr, &constant);
      case CompareOp::kGreater:
      case CompareOp::kGreaterEqual:
        return range(&constant, nullptr);
    }
    return present(slot_);
  }

  Access operator()(const filter::Between& between) const {
    const Value low = between.low.view();
    const Value high = between.high.view();
    return event::compare(low, high) <= 0 ? range(&low, &high) : present(slot_);
  }

  Access operator()(const filter::In& in) const { return points(in.values); }

  Access operator()(const filter::Affix& affix) const {
    if (affix.side == filter::Affix::Side::kSuffix) return present(slot_);
    return {.kind = Access::Kind::kPrefix,
            .implies = true,
            .slot = slot_,
            .points = {prefix_point(slot_, affix.text)}};
  }

  Access operator()(const filter::Like& like) const {
    const std::string_view text = like.pattern.text();
    const std::string_view start = text.substr(0, text.find_first_of("%_\\"));
    if (start.empty()) return present(slot_);
    return {.kind = Access::Kind::kPrefix, .slot = slot_, .points = {prefix_point(slot_, start)}};
  }

  Access operator()(const filter::Exists&) const {
    return {.kind = Access::Kind::kPresent, .implies = true, .slot = slot_};
  }

  Access operator()(const auto& /*without an operand*/) const { return {}; }

 private:
  // Literals that equal nothing are left out. Without any point nothing is reached, rightly.
  Access points(std::span<const Literal> literals) const {
    Access access{.kind = Access::Kind::kPoint, .implies = true, .slot = slot_};
    for (const Literal& literal : literals) {
      if (const auto point = point_of(slot_, literal.view())) access.points.push_back(*point);
    }
    std::ranges::sort(access.points);
    const auto twice = std::ranges::unique(access.points);
    access.points.erase(twice.begin(), twice.end());
    return access;
  }

  Access range(const Value* low, const Value* high) const {
    const Value& any = low != nullptr ? *low : *high;
    if (!is_orderly(any)) return present(slot_);
    Access access{.kind = Access::Kind::kRange, .slot = slot_};
    access.of_timestamps = any.kind() == ValueKind::kTimestamp;
    if (low != nullptr) {
      access.keys.low = order_key(*low);
      access.low = about(*low);
    }
    if (high != nullptr) {
      access.keys.high = order_key(*high);
      access.high = about(*high);
    }
    return access;
  }

  SlotId slot_;
};

}  // namespace

Access access_of(const filter::Predicate& predicate, SlotId slot) {
  return std::visit(AccessOf(slot), predicate);
}

}  // namespace weir::match::content
