// SPDX-License-Identifier: Apache-2.0
// Deterministic online algorithms that keep P1 (offline.h): they see one item after the other, and
// cannot take back what they decide.
//
// An item farther than c from the last delivered one, and the first item, must be delivered: that
// is P1. All that an algorithm is free to do is to deliver more, so that is what distinguishes one
// from another, and OnlineGreedy is the one that never does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "002/workload.h"

namespace weir::lab {

class OnlineAlgorithm {
 public:
  explicit OnlineAlgorithm(Value threshold) : threshold_(threshold) {}
  virtual ~OnlineAlgorithm() = default;
  OnlineAlgorithm(const OnlineAlgorithm&) = delete;
  OnlineAlgorithm& operator=(const OnlineAlgorithm&) = delete;

  // Whether the next item of the stream is delivered.
  bool deliver(Value value);

 protected:
  Value threshold() const { return threshold_; }

 private:
  // Whether an item is delivered that need not be. Told of every item but the first.
  virtual bool wishes(Value value, Value last_delivered) = 0;

  Value threshold_;
  std::optional<Value> last_;
};

// The paper's algorithm: |x - last| > c.
class OnlineGreedy final : public OnlineAlgorithm {
 public:
  using OnlineAlgorithm::OnlineAlgorithm;

 private:
  bool wishes(Value, Value) override { return false; }
};

// Decides about item i as bit i of a script says: any algorithm, as one stream sees it.
class Scripted final : public OnlineAlgorithm {
 public:
  Scripted(Value threshold, std::uint64_t script) : OnlineAlgorithm(threshold), script_(script) {}

 private:
  bool wishes(Value, Value) override { return ((script_ >>= 1U) & 1U) != 0; }

  std::uint64_t script_;
};

struct NamedAlgorithm {
  std::string_view name;
  std::function<std::unique_ptr<OnlineAlgorithm>(Value threshold)> make;
};
// OnlineGreedy, and others that deliver more: beyond half the threshold; every second item;
// what is near the mean of the last items if the last delivered is not; everything.
const std::vector<NamedAlgorithm>& online_algorithms();

// Indices of what the algorithm delivers, ascending.
std::vector<std::size_t> delivered_by(OnlineAlgorithm& algorithm, std::span<const Value> stream);

}  // namespace weir::lab
