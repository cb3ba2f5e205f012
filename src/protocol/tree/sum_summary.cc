// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/sum_summary.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "base/check.h"

namespace weir::protocol::tree {

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

constexpr unsigned kHalfBits = 64;
// With more values, a sum could exceed 128 bits.
constexpr std::uint64_t kCountMax = 1ULL << 63U;
constexpr auto kValueMin = static_cast<Wide>(std::numeric_limits<std::int64_t>::min());
constexpr auto kValueMax = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());

struct WideTotal {
  std::uint64_t count = 0;
  Wide sum = 0;
};

std::string encode(const WideTotal& total) {
  const auto bits = static_cast<UnsignedWide>(total.sum);
  base::ByteWriter writer;
  writer.u64(total.count);
  writer.u64(static_cast<std::uint64_t>(bits));
  writer.u64(static_cast<std::uint64_t>(bits >> kHalfBits));
  return writer.take();
}

std::optional<WideTotal> decode(std::string_view bytes) {
  base::ByteReader reader(bytes);
  const std::uint64_t count = reader.u64();
  const UnsignedWide low = reader.u64();
  const UnsignedWide high = reader.u64();
  if (!reader.done() || count > kCountMax) return {};
  const auto sum = static_cast<Wide>(high << kHalfBits | low);
  const auto wide_count = static_cast<Wide>(count);
  if (sum < wide_count * kValueMin || sum > wide_count * kValueMax) return {};
  return WideTotal{.count = count, .sum = sum};
}

}  // namespace

std::string SumSummary::of(std::int64_t value) { return encode({.count = 1, .sum = value}); }

SumSummary::Total SumSummary::read(std::string_view bytes) {
  const std::optional<WideTotal> total = decode(bytes);
  WEIR_CHECK(total);
  return {.count = total->count,
          .sum = static_cast<std::int64_t>(std::clamp(total->sum, kValueMin, kValueMax))};
}

std::string SumSummary::identity() const { return encode({}); }

bool SumSummary::is_valid(std::string_view bytes) const { return decode(bytes).has_value(); }

bool SumSummary::merge(std::string& into, std::string_view from, std::size_t bytes_max) const {
  const std::optional<WideTotal> a = decode(into);
  const std::optional<WideTotal> b = decode(from);
  WEIR_CHECK(a && b);
  if (into.size() > bytes_max || a->count > kCountMax - b->count) return false;
  into = encode({.count = a->count + b->count, .sum = a->sum + b->sum});
  return true;
}

}  // namespace weir::protocol::tree
