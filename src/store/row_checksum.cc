// SPDX-License-Identifier: Apache-2.0
#include "store/row_checksum.h"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"

namespace weir::store {
namespace {

// Integers by their value: SQLite keeps them in as few bytes as they need.
std::uint64_t add_integer(std::uint64_t sum, int type, std::int64_t value) {
  base::ByteWriter bytes;
  bytes.u8(static_cast<std::uint8_t>(type));
  bytes.u64(static_cast<std::uint64_t>(value));
  return base::hash_bytes(bytes.take(), sum);
}

std::uint64_t add_value(std::uint64_t sum, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) return add_integer(sum, type, sqlite3_value_int64(value));
  if (type == SQLITE_NULL) return add_integer(sum, type, 0);
  const void* const bytes = sqlite3_value_blob(value);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  sum = add_integer(sum, type, static_cast<std::int64_t>(size));
  if (bytes == nullptr) return sum;
  return base::hash_bytes({static_cast<const char*>(bytes), size}, sum);
}

void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) sum = add_value(sum, values[i]);
  constexpr std::uint64_t kMask = std::numeric_limits<std::int64_t>::max();
  sqlite3_result_int64(context, static_cast<std::int64_t>(sum & kMask));
}

}  // namespace

int add_row_checksum(sqlite3* connection) {
  constexpr int kAnyCount = -1;
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  return sqlite3_create_function_v2(connection, "row_checksum", kAnyCount, kFlags, nullptr,
                                    row_checksum, nullptr, nullptr, nullptr);
}

}  // namespace weir::store
