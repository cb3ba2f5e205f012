// SPDX-License-Identifier: Apache-2.0
#include "002/online.h"

#include <cstdlib>
#include <deque>

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

// Delivers an item near the mean of the last ones if the last delivered is far from there, since
// what is forced is an extreme and soon too far from the rest.
class Recentred final : public OnlineAlgorithm {
 public:
  using OnlineAlgorithm::OnlineAlgorithm;

 private:
  static constexpr std::size_t kWindow = 8;

  bool wishes(Value value, Value last_delivered) override {
    recent_.push_back(value);
    sum_ += value;
    if (recent_.size() < kWindow) return false;
    if (recent_.size() > kWindow) {
      sum_ -= recent_.front();
      recent_.pop_front();
    }
    const Value mean = sum_ / static_cast<Value>(kWindow);
    return 2 * std::abs(last_delivered - mean) > threshold() &&
           4 * std::abs(value - mean) <= threshold();
  }

  std::deque<Value> recent_;
  Value sum_ = 0;
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
      named<EverySecond>("every second"), named<Recentred>("recentred"),
      named<Everything>("everything")};
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
