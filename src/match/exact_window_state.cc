// SPDX-License-Identifier: Apache-2.0
// The state of an ExactWindow as bytes.
#include <algorithm>
#include <limits>

#include "match/exact_window.h"

namespace weir::match {
namespace {

constexpr std::size_t kKeyBytesMin = 2;
constexpr base::Instant kFirst{std::numeric_limits<std::int64_t>::min()};

}  // namespace

void ExactWindow::save(base::ByteWriter& writer) const {
  writer.varint(overflow_count_);
  writer.varint(ages_.size());
  base::Instant before = kFirst;
  for (const Seen& seen : ages_) {
    writer.varint(static_cast<std::uint64_t>(seen.at.nanoseconds) -
                  static_cast<std::uint64_t>(before.nanoseconds));
    writer.text(*seen.key);
    before = seen.at;
  }
}

base::Result<void> ExactWindow::restore(base::ByteReader& reader, base::Instant& latest) {
  overflow_count_ = reader.varint();
  const auto count = reader.count(kKeyBytesMin);
  if (count > options_.key_count_max) return too_many_keys(count, options_.key_count_max);
  base::Instant at = kFirst;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    if (__builtin_add_overflow(at.nanoseconds, reader.varint(), &at.nanoseconds)) reader.fail();
    if (!append(reader.text(), at)) reader.fail();
  }
  if (count > 0) latest = std::max(latest, at);
  return {};
}

}  // namespace weir::match
