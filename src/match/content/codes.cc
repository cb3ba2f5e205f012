// SPDX-License-Identifier: Apache-2.0
#include "match/content/codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace weir::match::content {
namespace {

// The largest double that is not above the integer, and whether that is the integer itself.
struct Floor {
  double number;
  bool exact;
};

Floor floor_of(std::int64_t integer) {
  constexpr double kTwoTo63 = 0x1p63;
  auto number = static_cast<double>(integer);
  if (number < kTwoTo63 && static_cast<std::int64_t>(number) == integer) return {number, true};
  if (number >= kTwoTo63 || static_cast<std::int64_t>(number) > integer) {
    number = std::nextafter(number, -std::numeric_limits<double>::infinity());
  }
  return {number, false};
}

constexpr std::uint64_t kMiddle = std::uint64_t{1} << 63U;
constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << kFractionBits) - 1;

// The bits of a double's magnitude keep its order; what is below 0 counts down from the middle. The
// upper 31 bits make the place: a sign, 11 of the exponent, 19 of the fraction.
std::uint64_t key_of(double number) {
  const auto magnitude = std::bit_cast<std::uint64_t>(std::fabs(number));
  return number < 0 ? kMiddle - magnitude : kMiddle + magnitude;
}

Code place_of(double number, bool exact) {
  const std::uint64_t key = key_of(number);
  const bool on_place = exact && (key & kFractionMask) == 0;
  return (static_cast<Code>(key >> kFractionBits) << 1U) | (on_place ? 0U : 1U);
}

}  // namespace

Code number_code(const event::Value& value) {
  if (value.kind() == event::ValueKind::kDouble) return place_of(value.as_double(), true);
  const Floor floor = floor_of(value.as_int());
  return place_of(floor.number, floor.exact);
}

std::uint64_t number_fraction(double number) { return key_of(number) & kFractionMask; }

double number_at(Code code, std::uint64_t fraction) {
  const std::uint64_t key = std::uint64_t{code >> 1U} << kFractionBits | fraction;
  return key >= kMiddle ? std::bit_cast<double>(key - kMiddle)
                        : -std::bit_cast<double>(kMiddle - key);
}

// One place for each second from the year 2000 to 2068; all before and after share one each.
Code time_code(event::Timestamp timestamp) {
  constexpr std::int64_t kFirst = 946'684'800;
  constexpr std::int64_t kPlaceMin = 1;
  constexpr std::int64_t kPlaceMax = (std::int64_t{1} << 31U) - 2;
  const std::int64_t wanted = timestamp.seconds - kFirst + kPlaceMin + 1;
  const std::int64_t place = std::clamp(wanted, kPlaceMin, kPlaceMax);
  const bool on_place = place == wanted && place != kPlaceMax && timestamp.nanoseconds == 0;
  return (static_cast<Code>(place) << 1U) | (on_place && place != kPlaceMin ? 0U : 1U);
}

}  // namespace weir::match::content
