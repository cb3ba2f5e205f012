// SPDX-License-Identifier: Apache-2.0
#include "002/online.h"

#include <cstdlib>

namespace weir::lab {
namespace {

class HalfThreshold final : public OnlineAlgorithm {
 public:
  using OnlineAlgorithm::OnlineAlgorithm;

 private:
  bool wishes(Value value, Value last_delivered) override {
    return 2 * std::abs(value - last_delivered) > threshold();
  }
};

class EverySecond final : public OnlineAlgorithm {
 public:
  using OnlineAlgorithm::OnlineAlgorithm;

 private:
  bool wishes(Value, Value) override { return ++index_ % 2 == 0; }

  std::size_t index_ = 0;
};

// Delivers the item with which the stream first goes the other way.
class Turns final : public OnlineAlgorithm {
 public:
  using OnlineAlgorithm::OnlineAlgorithm;

 private:
  bool wishes(Value value, Value last_delivered) override {
    const Value step = value - previous_.value_or(last_delivered);
    previous_ = value;
    if (step == 0) return false;
    const int direction = step > 0 ? 1 : -1;
    const bool has_turned = direction * direction_ < 0;
    direction_ = direction;
    return has_turned;
  }

  std::optional<Value> previous_;  // the item before; none before the second
  int direction_ = 0;              // of the last step that was one
};

class Everything final : public OnlineAlgorithm {
 public:
  using OnlineAlgorithm::OnlineAlgorithm;

 private:
  bool wishes(Value, Value) override { return true; }
};

template <typename Algorithm>
NamedAlgorithm named(std::string_view name) {
  return {name, [](Value threshold) -> std::unique_ptr<OnlineAlgorithm> {
            return std::make_unique<Algorithm>(threshold);
          }};
}

}  // namespace

bool OnlineAlgorithm::deliver(Value value) {
  const bool is_wished = last_.has_value() && wishes(value, *last_);
  if (!is_wished && last_.has_value() && std::abs(value - *last_) <= threshold_) return false;
  last_ = value;
  return true;
}

const std::vector<NamedAlgorithm>& online_algorithms() {
  static const std::vector<NamedAlgorithm> kAlgorithms{
      named<OnlineGreedy>("OnlineGreedy"), named<HalfThreshold>("half threshold"),
      named<EverySecond>("every second"), named<Turns>("turns"), named<Everything>("everything")};
  return kAlgorithms;
}

std::vector<std::size_t> delivered_by(OnlineAlgorithm& algorithm, std::span<const Value> stream) {
  std::vector<std::size_t> delivered;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (algorithm.deliver(stream[i])) delivered.push_back(i);
  }
  return delivered;
}

}  // namespace weir::lab
