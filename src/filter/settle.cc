// SPDX-License-Identifier: Apache-2.0
#include "filter/settle.h"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "filter/evaluate.h"

namespace weir::filter {
namespace {

using Steps = std::vector<event::Path::Step>;

// The predicates that have operands or a path hold no text.
class NoText final : public Scorer {
 public:
  TextVerdict judge(const About&, const event::Event&) override { return {}; }
};

// The first path with [*] in the predicate; null if there is none.
event::Path* many_path(Predicate& predicate) {
  event::Path* found = nullptr;
  const auto look_at = [&](event::Path& path) {
    if (found == nullptr && path.is_many()) found = &path;
  };
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.operand; }) look_at(one.operand.path);
        if constexpr (requires { one.path; }) look_at(one.path);
        if constexpr (requires { one.left; }) {
          look_at(one.left.path);
          if (auto* const right = std::get_if<Operand>(&one.right)) look_at(right->path);
        }
      },
      predicate);
  return found;
}

// Goes through the places that a path with [*] leads to.
class Places {
 public:
  Places(const event::Path& path, const event::Event& event)
      : steps_(path.steps()), event_(event) {}

  // Calls visit(Path) until it returns true, and tells whether it did.
  template <typename Visit>
  bool any(Visit&& visit) {
    return event_.data() && any_from(0, event_.data(), visit);
  }

 private:
  template <typename Visit>
  bool any_from(std::size_t depth, event::JsonRef here, Visit&& visit) {
    if (depth == steps_.size()) {
      if (count_++ == kSettledValueCountMax) return false;
      return count_ <= kSettledValueCountMax && visit(event::Path::data(place_));
    }
    if (!std::holds_alternative<event::EveryElement>(steps_[depth])) {
      const event::JsonRef next = here.step(steps_[depth]);
      return next && any_below(steps_[depth], depth, next, visit);
    }
    std::uint32_t index = 0;
    return here.any_element([&](event::JsonRef element) {
      return count_ <= kSettledValueCountMax && any_below(index++, depth, element, visit);
    });
  }

  template <typename Visit>
  bool any_below(event::Path::Step step, std::size_t depth, event::JsonRef next, Visit&& visit) {
    place_.push_back(std::move(step));
    const bool found = any_from(depth + 1, next, visit);
    place_.pop_back();
    return found;
  }

  const Steps steps_;
  const event::Event& event_;
  Steps place_;
  std::size_t count_ = 0;
};

}  // namespace

std::optional<Predicate> settle(const Predicate& predicate, const event::Event& event) {
  NoText none;
  if (!evaluate(predicate, event, none)) return std::nullopt;
  Predicate settled = predicate;
  while (event::Path* const path = many_path(settled)) {
    const bool found = Places(*path, event).any([&](event::Path place) {
      *path = std::move(place);
      return evaluate(settled, event, none);
    });
    if (!found) return std::nullopt;
  }
  return settled;
}

}  // namespace weir::filter
