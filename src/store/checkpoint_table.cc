// SPDX-License-Identifier: Apache-2.0
#include "store/checkpoint_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "store/chunks.h"
#include "store/registry_tables.h"

namespace weir::store {
namespace {

using base::Result;

std::set<std::string, std::less<>> names_in(std::string_view list) {
  std::set<std::string, std::less<>> names;
  for (; !list.empty(); list.remove_prefix(std::min(kChunkNameBytes, list.size()))) {
    names.emplace(list.substr(0, kChunkNameBytes));
  }
  return names;
}

// The names of a state's chunks, one after another; empty if there is none.
Result<std::string> read_list(Database& database, std::uint64_t subscription) {
  auto rows = CheckedRows::select(database, RegistryTable::kCheckpoints, "WHERE subscription = ?1");
  if (!rows) return rows.error();
  rows->values().number(subscription);
  const auto there = rows->next();
  if (!there) return there.error();
  return *there ? rows->row().column_text(1) : std::string();
}

Result<void> add_chunk(Database& database, std::uint64_t subscription, std::string_view name,
                       std::string_view chunk) {
  auto put = database.query(
      "INSERT INTO checkpoint_chunks"
      " SELECT number, ?2, ?3, row_checksum('checkpoint_chunks', ?1, ?2, ?3)"
      " FROM subscriptions WHERE number = ?1");
  if (!put) return put.error();
  return put->number(subscription).blob(name).blob(chunk).run();
}

Result<void> drop_chunk(Database& database, std::uint64_t subscription, std::string_view name) {
  auto remove =
      database.query("DELETE FROM checkpoint_chunks WHERE subscription = ?1 AND name = ?2");
  if (!remove) return remove.error();
  return remove->number(subscription).blob(name).run();
}

Result<void> write_list(Database& database, std::uint64_t subscription, std::string_view list) {
  auto put = database.query(
      "INSERT INTO checkpoints"
      " SELECT number, ?2, row_checksum('checkpoints', ?1, ?2)"
      " FROM subscriptions WHERE number = ?1"
      " ON CONFLICT (subscription) DO UPDATE SET chunks = ?2, checksum = excluded.checksum");
  if (!put) return put.error();
  return put->number(subscription).blob(list).run();
}

Result<std::string> read_state(Database& database, std::uint64_t subscription,
                               std::string_view list) {
  std::string state;
  for (; !list.empty(); list.remove_prefix(std::min(kChunkNameBytes, list.size()))) {
    auto rows = CheckedRows::select(database, RegistryTable::kCheckpointChunks,
                                    "WHERE subscription = ?1 AND name = ?2");
    if (!rows) return rows.error();
    rows->values().number(subscription).blob(list.substr(0, kChunkNameBytes));
    const auto there = rows->next();
    if (!there) return there.error();
    if (!*there) {
      return base::Error{base::ErrorId::kStoreCorrupt,
                         fmt::format("{}: a part of the state of subscription number {} is missing",
                                     database.file(), subscription),
                         std::nullopt};
    }
    state += rows->row().column_text(2);
  }
  return state;
}

}  // namespace

Result<void> write_checkpoint(Database& database, const CheckpointRow& row) {
  const auto before = read_list(database, row.subscription);
  if (!before) return before.error();
  auto known = names_in(*before);
  const auto old = known;
  std::string list;
  for (const std::string_view chunk : cut_chunks(row.state)) {
    const std::string name = chunk_name(chunk);
    list += name;
    if (!known.insert(name).second) continue;
    if (auto added = add_chunk(database, row.subscription, name, chunk); !added) return added;
  }
  const auto now = names_in(list);
  for (const std::string& name : old) {
    if (now.contains(name)) continue;
    if (auto dropped = drop_chunk(database, row.subscription, name); !dropped) return dropped;
  }
  return write_list(database, row.subscription, list);
}

Result<void> remove_checkpoint(Database& database, std::uint64_t subscription) {
  for (const char* const sql : {"DELETE FROM checkpoints WHERE subscription = ?1",
                                "DELETE FROM checkpoint_chunks WHERE subscription = ?1"}) {
    auto remove = database.query(sql);
    if (!remove) return remove.error();
    if (auto removed = remove->number(subscription).run(); !removed) return removed;
  }
  return {};
}

Result<std::vector<CheckpointRow>> read_checkpoints(Database& database) {
  std::vector<std::pair<std::uint64_t, std::string>> lists;
  auto found = CheckedRows::select(database, RegistryTable::kCheckpoints, "ORDER BY subscription");
  if (!found) return found.error();
  while (true) {
    const auto there = found->next();
    if (!there) return there.error();
    if (!*there) break;
    lists.emplace_back(found->row().column_number(0), found->row().column_text(1));
  }
  std::vector<CheckpointRow> rows;
  for (const auto& [subscription, list] : lists) {
    auto state = read_state(database, subscription, list);
    if (!state) return state.error();
    rows.push_back({subscription, std::move(*state)});
  }
  return rows;
}

}  // namespace weir::store
