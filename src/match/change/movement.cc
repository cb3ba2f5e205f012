// SPDX-License-Identifier: Apache-2.0
#include "match/change/movement.h"

#include <algorithm>
#include <bit>

namespace weir::match {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Finite doubles as integers in the same order; neighbours differ by one, both zeros are 0.
std::int64_t to_rank(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double from_rank(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

// The first rank above `quiet`, which does not fire, that does, given that `firing` does.
template <typename Fires>
std::int64_t first_firing(std::int64_t quiet, std::int64_t firing, const Fires& fires) {
  while (firing - quiet > 1) {
    const std::int64_t middle = quiet + (firing - quiet) / 2;
    (fires(from_rank(middle)) ? firing : quiet) = middle;
  }
  return firing;
}

// The largest finite x for which fires() is false, infinite where it is for all or none. fires() is
// false up to some x and true beyond. Nearly always the guess or a neighbour of it is the answer;
// where it is not, steps are doubled and the last one is halved again: at most 64 of each.
template <typename Fires>
double largest_quiet(double guess, const Fires& fires) {
  const std::int64_t top = to_rank(kMax);
  std::int64_t low = to_rank(std::clamp(guess, -kMax, kMax));
  std::int64_t high = low;
  const bool down = fires(from_rank(low));
  for (std::int64_t step = 1;; step *= 2) {
    if (down) {
      if (low == -top) return -kInfinity;
      high = low;
      low = low - step < -top ? -top : low - step;
      if (!fires(from_rank(low))) break;
    } else {
      if (high == top) return kInfinity;
      low = high;
      high = high > top - step ? top : high + step;
      if (fires(from_rank(high))) break;
    }
  }
  return from_rank(first_firing(low, high, fires) - 1);
}

}  // namespace

double Movement::first_quiet_percentage(double last, double x) const {
  const auto quiet = [&](double c) { return c >= 0 && !fires(c, last, x); };
  if (quiet(0)) return 0;
  if (!quiet(kMax)) return kInfinity;
  const double guess = distance(last, x) / std::abs(last) * 100;
  const double largest_firing = largest_quiet(guess, quiet);
  return std::nextafter(largest_firing, kInfinity);
}

Band Movement::quiet_band(double c, double last) const {
  const double threshold = percent ? (last == 0 ? 0 : c / 100 * std::abs(last)) : c;
  const Movement rises{Direction::kRises, percent, inclusive};
  // Falling from l is rising from -l.
  const auto end_from = [&](double from) {
    return largest_quiet(from + threshold, [&](double x) { return rises.fires(c, from, x); });
  };
  switch (direction) {
    case Direction::kRises:
      return {-kInfinity, end_from(last)};
    case Direction::kFalls:
      return {-end_from(-last), kInfinity};
    case Direction::kChanges:
      break;
  }
  if (fires(c, last, last)) return Band::empty();
  return {-end_from(-last), end_from(last)};
}

}  // namespace weir::match
