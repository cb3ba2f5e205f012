// SPDX-License-Identifier: Apache-2.0
#include "broker/number_ranges.h"

#include <iterator>
#include <limits>
#include <optional>

#include "base/check.h"

namespace weir::broker {
namespace {

constexpr unsigned kGroupBits = 7;
constexpr std::uint64_t kNumberMax = std::numeric_limits<std::int64_t>::max();

void append_leb128(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= kGroupBits) out += static_cast<char>(value | 0x80U);
  out += static_cast<char>(value);
}

// Removes an integer from the front; nullopt if there is none that fits.
std::optional<std::uint64_t> take_leb128(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += kGroupBits) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

base::Error corrupt() {
  return {base::ErrorId::kStoreCorrupt, "the ranges of settled deliveries cannot be read",
          std::nullopt};
}

}  // namespace

base::Result<NumberRanges> NumberRanges::decode(std::string_view bytes, std::uint64_t base) {
  NumberRanges ranges;
  while (!bytes.empty()) {
    const auto gap = take_leb128(bytes);
    const auto more = gap ? take_leb128(bytes) : std::nullopt;
    if (!more || *gap == 0 || *gap > kNumberMax - base || *more > kNumberMax - base - *gap) {
      return corrupt();
    }
    const std::uint64_t first = base + *gap;
    base = first + *more;
    ranges.insert(first, base);
  }
  return ranges;
}

std::string NumberRanges::encode(std::uint64_t base) const {
  std::string bytes;
  for (const auto& [first, last] : ranges_) {
    append_leb128(first - base, bytes);
    append_leb128(last - first, bytes);
    base = last;
  }
  return bytes;
}

void NumberRanges::insert(std::uint64_t first, std::uint64_t last) {
  const auto next = ranges_.upper_bound(first);
  WEIR_CHECK(first <= last && (next == ranges_.end() || last < next->first));
  if (next != ranges_.end() && next->first == last + 1) {
    last = next->second;
    ranges_.erase(next);
  }
  const auto after = ranges_.upper_bound(first);
  if (after != ranges_.begin() && std::prev(after)->second >= first - 1) {
    WEIR_CHECK(std::prev(after)->second == first - 1);
    std::prev(after)->second = last;
  } else {
    ranges_.emplace_hint(after, first, last);
  }
}

bool NumberRanges::contains(std::uint64_t number) const {
  const auto after = ranges_.upper_bound(number);
  return after != ranges_.begin() && std::prev(after)->second >= number;
}

std::uint64_t NumberRanges::take_from(std::uint64_t first) {
  if (ranges_.empty() || ranges_.begin()->first != first) return 0;
  const std::uint64_t last = ranges_.begin()->second;
  ranges_.erase(ranges_.begin());
  return last;
}

std::uint64_t NumberRanges::number_count() const {
  std::uint64_t count = 0;
  for (const auto& [first, last] : ranges_) count += last - first + 1;
  return count;
}

}  // namespace weir::broker
