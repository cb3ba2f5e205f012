// SPDX-License-Identifier: Apache-2.0
#include "store/registry_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace weir::store {
namespace {

constexpr std::string_view kSumName = "content_sum";

// Sums are modulo 2^62, so that no addition overflows: SQLite would go on with a real number.
constexpr std::int64_t kSumMask = (std::int64_t{1} << 62U) - 1;

SumTrigger trigger(std::string_view table, std::string_view event, std::string_view change) {
  std::string name = fmt::format("{}_{}_sum", table, event);
  std::string sql = fmt::format(
      "CREATE TRIGGER {} AFTER {} ON {} BEGIN UPDATE meta SET value = (value{}) & {}"
      " WHERE name = '{}'; END",
      name, event, table, change, kSumMask, kSumName);
  return {std::move(name), std::move(sql)};
}

std::vector<SumTrigger> make_triggers() {
  const std::string added = fmt::format(" + (NEW.checksum & {})", kSumMask);
  const std::string removed = fmt::format(" - (OLD.checksum & {})", kSumMask);
  std::vector<SumTrigger> triggers;
  for (const RegistryTableInfo& table : registry_tables()) {
    if (&table == &info(RegistryTable::kMeta)) continue;
    triggers.push_back(trigger(table.name, "insert", added));
    triggers.push_back(trigger(table.name, "update", added + removed));
    triggers.push_back(trigger(table.name, "delete", removed));
  }
  return triggers;
}

// Adds the rows of a table to the sum.
base::Result<void> sum_table(Database& database, RegistryTable table, std::int64_t& sum,
                             const DamagedRow& on_damage) {
  auto rows = CheckedRows::select(database, table, "");
  if (!rows) return rows.error();
  while (true) {
    bool bad = false;
    const auto there = rows->next(bad);
    if (!there) return there.error();
    if (!*there) return {};
    // The sum itself is verified by all the other rows.
    const bool is_meta = table == RegistryTable::kMeta;
    if (bad && !(is_meta && rows->row().column_text(0) == kSumName)) on_damage(*rows);
    if (!is_meta) sum = (sum + (rows->checksum() & kSumMask)) & kSumMask;
  }
}

base::Result<std::int64_t> sum_of_rows(Database& database, const DamagedRow& on_damage) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kRegistryTableCount; ++i) {
    const auto table = static_cast<RegistryTable>(i);
    if (auto added = sum_table(database, table, sum, on_damage); !added) return added.error();
  }
  return sum;
}

}  // namespace

const std::vector<SumTrigger>& sum_triggers() {
  static const std::vector<SumTrigger> kTriggers = make_triggers();
  return kTriggers;
}

base::Result<void> create_registry_sum(Database& database) {
  for (const SumTrigger& one : sum_triggers()) {
    if (auto made = database.execute(one.sql); !made) return made;
  }
  const auto sum = sum_of_rows(database, [](const CheckedRows&) {});
  if (!sum) return sum.error();
  return database.execute(fmt::format(
      "INSERT OR REPLACE INTO meta (name, value, checksum) VALUES ('{}', {}, 0)", kSumName, *sum));
}

base::Result<bool> check_registry_sum(Database& database, const DamagedRow& on_damage) {
  const auto sum = sum_of_rows(database, on_damage);
  if (!sum) return sum.error();
  const auto kept =
      database.query_integer(fmt::format("SELECT value FROM meta WHERE name = '{}'", kSumName));
  if (!kept) return kept.error();
  return *kept == *sum;
}

}  // namespace weir::store
