// SPDX-License-Identifier: Apache-2.0
#include "store/registry_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "store/chunks.h"
#include "store/database.h"
#include "store/registry_file.h"
#include "store/registry_numbers.h"
#include "store/registry_schema.h"
#include "store/registry_sum.h"
#include "store/registry_tables.h"

namespace weir::store {
namespace {

using base::Result;
using std::filesystem::path;

constexpr std::array kSuffixes = {"", "-wal", "-shm", "-numbers"};

base::Error beyond_repair(std::string message) {
  return {base::ErrorId::kStoreCorrupt,
          std::move(message) + ": this cannot be repaired; restore a backup (weir restore)",
          std::nullopt};
}

class Repairer {
 public:
  Repairer(const path& directory, const std::optional<std::uint64_t>& identity,
           const KeepOriginal& keep)
      : file_(directory / kRegistryName),
        made_(directory / fmt::format("{}.repaired", kRegistryName)),
        identity_(identity),
        keep_(keep) {}

  Result<RegistryRepair> run() {
    read_numbers();
    std::error_code failed;
    const auto file_bytes = std::filesystem::file_size(file_, failed);
    if (failed || file_bytes == 0) {
      return beyond_repair(fmt::format("{} is missing or empty", file_.native()));
    }
    if (auto kept = keep_originals(); !kept) return kept.error();
    if (auto opened = open_old(); !opened) return opened.error();
    if (auto made = make_new(); !made) return made.error();
    if (auto replaced = replace(); !replaced) return replaced.error();
    return std::move(result_);
  }

 private:
  void read_numbers() {
    const auto numbers = store::read_numbers(file_);
    if (numbers && *numbers) numbers_ = **numbers;
  }

  Result<void> keep_originals() {
    for (const char* const suffix : kSuffixes) {
      const path original = file_.native() + suffix;
      std::error_code failed;
      if (!std::filesystem::exists(original, failed)) continue;
      if (auto kept = keep_(original.filename()); !kept) return kept;
    }
    return {};
  }

  Result<void> open_old() {
    auto opened = Database::open(file_, {.create = false});
    if (!opened) return beyond_repair(opened.error().message);
    old_ = *std::move(opened);
    const auto version = registry_version_at_once(*old_);
    if (!version) return beyond_repair(version.error().message);
    if (*version == kRegistryVersion) return {};
    return beyond_repair(
        fmt::format("{} has version {}, not {}", file_.native(), *version, kRegistryVersion));
  }

  Result<void> make_new() {
    for (const char* const suffix : kSuffixes) {
      std::error_code failed;
      std::filesystem::remove(made_.native() + suffix, failed);  // what an attempt has left
    }
    auto opened = Database::open(made_, {});
    if (!opened) return opened.error();
    new_ = *std::move(opened);
    if (auto prepared = prepare_registry(*new_); !prepared) return prepared;
    auto transaction = Transaction::begin(*new_, Transaction::Kind::kWrite);
    if (!transaction) return transaction.error();
    // Tables that others refer to come first.
    for (std::size_t i = 0; i < kRegistryTableCount; ++i) {
      const auto table = static_cast<RegistryTable>(i);
      if (table == RegistryTable::kMeta) continue;
      if (auto copied = copy_table(table); !copied) return copied;
    }
    if (auto compared = compare_sum(); !compared) return compared;
    if (auto checked = drop_broken_states(); !checked) return checked;
    if (auto written = write_meta(); !written) return written;
    return transaction->commit();
  }

  // Rows that are missing leave no trace but the sum.
  Result<void> compare_sum() {
    if (!result_.rows.empty()) return {};
    const auto equal = check_registry_sum(*old_, [](const CheckedRows&) {});
    if (!equal) return equal.error();
    if (*equal) return {};
    result_.rows.push_back({"any", "unknown rows", "the checksums of all rows do not add up"});
    return {};
  }

  // From the other end too, if the first end does not lead through.
  Result<void> copy_table(RegistryTable table) {
    std::set<std::string> told;
    const auto forwards = copy_rows(table, "ASC", told);
    if (!forwards) return forwards.error();
    if (forwards->empty()) return {};
    const auto backwards = copy_rows(table, "DESC", told);
    if (!backwards) return backwards.error();
    lose(table, "unknown rows", *forwards);
    return {};
  }

  // Returns why it did not come to the end; empty if it did.
  Result<std::string> copy_rows(RegistryTable table, std::string_view order,
                                std::set<std::string>& told) {
    const RegistryTableInfo& about = info(table);
    const bool has_rowid = about.options.find("WITHOUT ROWID") == std::string_view::npos;
    const std::string_view by =
        has_rowid ? "rowid" : about.columns.substr(0, about.columns.find(','));
    auto rows = CheckedRows::select(*old_, table, fmt::format("ORDER BY {} {}", by, order));
    if (!rows) return rows.error().message;
    while (true) {
      bool bad = false;
      const auto there = rows->next(bad);
      if (!there) return there.error().message;
      if (!*there) return std::string();
      if (bad) {
        if (told.insert(rows->key()).second) {
          lose(table, rows->key(), "the row is not as it was written");
        }
        continue;
      }
      const auto copied = copy_row(about, rows->row());
      if (!copied && copied.error().id != base::ErrorId::kStoreDatabase) return copied.error();
      if (!copied && told.insert(rows->key()).second) {
        lose(table, rows->key(), "it belongs to a row that is lost");
      }
    }
  }

  Result<void> copy_row(const RegistryTableInfo& about, const Statement& row) {
    std::string places = "?1";
    for (int i = 2; i <= about.column_count + 1; ++i) places += fmt::format(", ?{}", i);
    auto insert =
        new_->query(fmt::format("INSERT OR IGNORE INTO {} VALUES ({})", about.name, places));
    if (!insert) return insert.error();
    for (int i = 0; i <= about.column_count; ++i) insert->value_of(row, i);
    return insert->run();
  }

  // A state of which a chunk is lost cannot be used.
  Result<void> drop_broken_states() {
    std::set<std::uint64_t> broken;
    {
      auto query = new_->query("SELECT subscription, chunks FROM checkpoints");
      if (!query) return query.error();
      while (true) {
        const auto there = query->step();
        if (!there) return there.error();
        if (!*there) break;
        const auto whole = has_all_chunks(query->column_number(0), query->column_text(1));
        if (!whole) return whole.error();
        if (!*whole) broken.insert(query->column_number(0));
      }
    }
    for (const std::uint64_t subscription : broken) {
      lose(RegistryTable::kCheckpoints, fmt::format("subscription {}", subscription),
           "a part of the filter's state is lost");
      for (const char* const table : {"checkpoints", "checkpoint_chunks"}) {
        const auto removed = new_->execute(
            fmt::format("DELETE FROM {} WHERE subscription = {}", table, subscription));
        if (!removed) return removed;
      }
    }
    return {};
  }

  Result<bool> has_all_chunks(std::uint64_t subscription, std::string_view names) {
    for (std::size_t i = 0; i + kChunkNameBytes <= names.size(); i += kChunkNameBytes) {
      auto find = new_->query(
          "SELECT count(*) FROM checkpoint_chunks WHERE subscription = ?1 AND name = ?2");
      if (!find) return find.error();
      const auto there = find->number(subscription).blob(names.substr(i, kChunkNameBytes)).step();
      if (!there) return there.error();
      if (find->column_integer(0) == 0) return false;
    }
    return names.size() % kChunkNameBytes == 0;
  }

  Result<void> write_meta() {
    std::map<std::string, std::uint64_t> values = read_meta();
    const auto highest = new_->query_integer("SELECT max(number) FROM subscriptions");
    if (!highest) return highest.error();
    if (!values.contains("checkpoint_sequence")) {
      // States of an unknown event cannot be used.
      lose(RegistryTable::kCheckpoints, "all", "the event that they are as of is not known");
      const auto dropped = new_->execute(
          "DELETE FROM checkpoints; DELETE FROM checkpoint_chunks; DELETE FROM shared_states");
      if (!dropped) return dropped;
    }
    if (!values.contains("identity")) values["identity"] = identity_.value_or(0);
    const std::uint64_t number = values["transaction_number"];
    count_transactions(number);
    values["transaction_number"] = std::max(number, numbers_.highest());
    auto& last = values["last_subscription_number"];
    last = std::max(last, static_cast<std::uint64_t>(*highest));
    for (const auto& [name, value] : values) {
      const auto written = new_->execute(
          fmt::format("UPDATE meta SET value = {0}, checksum = row_checksum('meta', name, {0})"
                      " WHERE name = '{1}'",
                      value, name));
      if (!written) return written;
    }
    number_ = values["transaction_number"];
    return {};
  }

  // The sound values.
  std::map<std::string, std::uint64_t> read_meta() {
    std::map<std::string, std::uint64_t> values;
    auto rows = CheckedRows::select(*old_, RegistryTable::kMeta, "WHERE name <> 'content_sum'");
    while (rows) {
      bool bad = false;
      const auto there = rows->next(bad);
      if (!there || !*there) break;
      if (bad) {
        lose(RegistryTable::kMeta, rows->key(), "the row is not as it was written");
      } else {
        values[rows->row().column_text(0)] = rows->row().column_number(1);
      }
    }
    return values;
  }

  void count_transactions(std::uint64_t number) {
    if (number >= numbers_.highest()) return;
    result_.transaction_count = numbers_.highest() - number;
    TableSet changed = 0;
    for (const auto& [one, tables] : numbers_.recent) changed |= one > number ? tables : 0;
    result_.transaction_tables = table_names(changed);
  }

  // The new one needs no write-ahead log beside it.
  Result<void> replace() {
    old_.reset();
    if (auto alone = new_->execute("PRAGMA journal_mode = DELETE"); !alone) return alone;
    new_.reset();
    std::error_code failed;
    for (const char* const suffix : {"-wal", "-shm"}) {
      std::filesystem::remove(made_.native() + suffix, failed);
      std::filesystem::remove(file_.native() + suffix, failed);
      if (failed) return cannot_replace(failed);
    }
    std::filesystem::rename(made_, file_, failed);
    if (failed) return cannot_replace(failed);
    return replace_numbers(file_, number_);
  }

  base::Error cannot_replace(const std::error_code& failed) const {
    return {base::ErrorId::kStoreIo,
            fmt::format("cannot replace {}: {}", file_.native(), failed.message()), std::nullopt};
  }

  void lose(RegistryTable table, std::string key, std::string reason) {
    result_.rows.push_back({std::string(info(table).name), std::move(key), std::move(reason)});
  }

  path file_;
  path made_;
  const std::optional<std::uint64_t>& identity_;
  const KeepOriginal& keep_;
  RecordedNumbers numbers_;
  std::unique_ptr<Database> old_;
  std::unique_ptr<Database> new_;
  std::uint64_t number_ = 0;
  RegistryRepair result_;
};

}  // namespace

base::Result<RegistryRepair> repair_registry(const std::filesystem::path& directory,
                                             const std::optional<std::uint64_t>& identity,
                                             const KeepOriginal& keep) {
  return Repairer(directory, identity, keep).run();
}

}  // namespace weir::store
