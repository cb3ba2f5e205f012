// SPDX-License-Identifier: Apache-2.0
#include "match/content_workload_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>

#include "base/prng.h"
#include "event/event_testing.h"

namespace weir::match {
namespace {

constexpr std::size_t kAttributeCount = 20;
constexpr std::uint64_t kIntegerBound = 10'000;
constexpr double kValueSkew = 0.8;

// Draws 0-based ranks; rank i has a weight of (i + 1)^-skew.
class Zipf {
 public:
  Zipf(std::size_t count, double skew) {
    double sum = 0;
    for (std::size_t i = 1; i <= count; ++i) {
      sum += std::pow(static_cast<double>(i), -skew);
      cumulated_.push_back(sum);
    }
    for (double& weight : cumulated_) weight /= sum;
    cumulated_.back() = 1;
  }

  std::size_t draw(base::Prng& prng) const {
    const auto found = std::ranges::upper_bound(cumulated_, prng.fraction());
    return static_cast<std::size_t>(found - cumulated_.begin());
  }

 private:
  std::vector<double> cumulated_;
};

bool is_enum(ContentWorkload workload, std::size_t attribute) {
  return workload == ContentWorkload::kW1 ? attribute % 2 == 0 : attribute % 5 != 4;
}

Zipf enum_values(ContentWorkload workload) {
  return {workload == ContentWorkload::kW1 ? std::size_t{200} : std::size_t{1000}, kValueSkew};
}

std::string range_predicate(std::size_t attribute, base::Prng& prng) {
  const std::uint64_t width = 500 + prng.below(1001);
  const std::uint64_t low = prng.below(kIntegerBound - width + 1);
  return fmt::format("data.a{} between {} and {}", attribute, low, low + width - 1);
}

}  // namespace

std::vector<std::string> content_filters(ContentWorkload workload, std::size_t count) {
  base::Prng prng(42);
  const Zipf attributes(kAttributeCount, 1.0);
  const Zipf values = enum_values(workload);
  std::vector<std::string> filters;
  while (filters.size() < count) {
    std::bitset<kAttributeCount> used;
    std::string text;
    for (std::uint64_t left = 2 + prng.below(4); left > 0; --left) {
      std::size_t attribute = attributes.draw(prng);
      while (used[attribute]) attribute = attributes.draw(prng);
      used.set(attribute);
      if (!text.empty()) text += " and ";
      text += is_enum(workload, attribute)
                  ? fmt::format("data.a{} = {}", attribute, values.draw(prng))
                  : range_predicate(attribute, prng);
    }
    filters.push_back(std::move(text));
  }
  return filters;
}

std::vector<event::EventPtr> content_events(ContentWorkload workload, std::size_t count) {
  base::Prng prng(4242);
  const Zipf values = enum_values(workload);
  std::vector<event::EventPtr> events;
  while (events.size() < count) {
    std::string data;
    for (std::size_t i = 0; i < kAttributeCount; ++i) {
      const std::uint64_t value =
          is_enum(workload, i) ? values.draw(prng) : prng.below(kIntegerBound);
      data += fmt::format("{}\"a{}\":{}", i == 0 ? "" : ",", i, value);
    }
    events.push_back(event::event_of(fmt::format(R"({{"data":{{{}}}}})", data)));
  }
  return events;
}

std::uint64_t content_match_mix(std::uint64_t event_index, std::uint64_t filter_index) {
  std::uint64_t z = (event_index * 1'000'003 + filter_index + 1) * 0x9E3779B97F4A7C15U;
  z ^= z >> 29U;
  z *= 0xBF58476D1CE4E5B9U;
  return z ^ (z >> 32U);
}

}  // namespace weir::match
