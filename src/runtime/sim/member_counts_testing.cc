// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/member_counts_testing.h"

#include "base/bytes.h"
#include "base/check.h"

namespace weir::runtime::sim {

std::string MemberCounts::of(const Counts& counts) {
  base::ByteWriter writer;
  for (const auto& [member, times] : counts) {
    writer.u64(member);
    writer.u64(times);
  }
  return writer.take();
}

std::optional<MemberCounts::Counts> MemberCounts::read(std::string_view bytes) {
  base::ByteReader reader(bytes);
  Counts counts;
  while (!reader.failed() && reader.rest_bytes() > 0) {
    const std::uint64_t member = reader.u64();
    counts.emplace_hint(counts.end(), member, reader.u64());
  }
  if (!reader.done() || of(counts) != bytes) return {};
  return counts;
}

bool MemberCounts::merge(std::string& into, std::string_view from, std::size_t bytes_max) const {
  auto merged = read(into);
  const auto other = read(from);
  WEIR_CHECK(merged && other);
  for (const auto& [member, times] : *other) (*merged)[member] += times;
  const std::string bytes = of(*merged);
  if (bytes.size() > bytes_max) return false;
  into = bytes;
  return true;
}

}  // namespace weir::runtime::sim
