// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/max_summary.h"

#include <bit>

#include "base/bytes.h"
#include "base/check.h"

namespace weir::protocol::tree {

std::string MaxSummary::of(std::int64_t value) {
  base::ByteWriter writer;
  writer.u64(std::bit_cast<std::uint64_t>(value));
  return writer.take();
}

std::optional<std::int64_t> MaxSummary::read(std::string_view bytes) {
  if (bytes.empty()) return {};
  base::ByteReader reader(bytes);
  const auto value = std::bit_cast<std::int64_t>(reader.u64());
  WEIR_CHECK(reader.done());
  return value;
}

bool MaxSummary::is_valid(std::string_view bytes) const {
  return bytes.empty() || bytes.size() == sizeof(std::int64_t);
}

bool MaxSummary::merge(std::string& into, std::string_view from, std::size_t bytes_max) const {
  if (read(from) <= read(into)) return true;
  if (from.size() > bytes_max) return false;
  into = from;
  return true;
}

}  // namespace weir::protocol::tree
