// SPDX-License-Identifier: Apache-2.0
#include "store/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include "store/checkpoint_table.h"
#include "store/database.h"
#include "store/registry_changes.h"
#include "store/registry_file.h"
#include "store/registry_numbers.h"
#include "store/registry_place.h"
#include "store/registry_schema.h"
#include "store/registry_tables.h"
#include "store/registry_transaction.h"
#include "store/token_table.h"

namespace weir::store {
namespace {

using base::Instant;
using base::Result;

// The largest integer of SQLite.
constexpr std::uint64_t kIntegerMax = std::numeric_limits<std::int64_t>::max();

// Appends what `read` makes of each row to come.
template <typename Row, typename Read>
Result<void> read_rows(CheckedRows& found, Read read, std::vector<Row>& rows) {
  while (true) {
    const auto there = found.next();
    if (!there) return there.error();
    if (!*there) return {};
    rows.push_back(read(found.row()));
  }
}

template <typename Row, typename Read>
Result<void> read_table(Database& database, RegistryTable table, std::string_view rest, Read read,
                        std::vector<Row>& rows) {
  auto found = CheckedRows::select(database, table, rest);
  if (!found) return found.error();
  return read_rows(*found, read, rows);
}

SubscriptionRow read_subscription(const Statement& row) {
  return {.number = row.column_number(0),
          .id = row.column_text(1),
          .owner = row.column_text(2),
          .definition = row.column_text(3),
          .created = Instant{row.column_integer(4)},
          .since_sequence = row.column_number(5)};
}

CursorRow read_cursor(const Statement& row) {
  return {.subscription = row.column_number(0),
          .settled_through = row.column_number(1),
          .scan_sequence = row.column_number(3),
          .settled_beyond = row.column_text(2),
          .counts = {.acknowledged = row.column_number(4),
                     .dropped = row.column_number(5),
                     .expired = row.column_number(6),
                     .conflated = row.column_number(7),
                     .dead_letters = row.column_number(8),
                     .withheld = row.column_number(9)}};
}

ReplayRow read_replay(const Statement& row) {
  return {.subscription = row.column_number(0),
          .next_sequence = row.column_number(1),
          .last_delivery = row.column_number(2),
          .skipped = row.column_number(3),
          .state = row.column_text(4)};
}

SinkSecretsRow read_sink_secrets(const Statement& row) {
  return {.subscription = row.column_number(0), .secrets = row.column_text(1)};
}

SharedState read_shared_state(const Statement& row) {
  return {.name = row.column_text(0), .state = row.column_text(1)};
}

DeadLetterRow read_dead_letter(const Statement& row) {
  return {.subscription = row.column_number(0),
          .delivery = row.column_number(1),
          .at = Instant{row.column_integer(2)},
          .reason = row.column_text(3),
          .events = row.column_text(4)};
}

Result<void> read_contents(Database& database, RegistryContents& contents) {
  using enum RegistryTable;
  constexpr const char* kByNumber = "ORDER BY subscription";
  const auto subscriptions = read_table(database, kSubscriptions, "ORDER BY number",
                                        read_subscription, contents.subscriptions);
  if (!subscriptions) return subscriptions.error();
  const auto cursors = read_table(database, kCursors, kByNumber, read_cursor, contents.cursors);
  if (!cursors) return cursors.error();
  const auto replays = read_table(database, kReplays, kByNumber, read_replay, contents.replays);
  if (!replays) return replays.error();
  const auto secrets =
      read_table(database, kSinkSecrets, kByNumber, read_sink_secrets, contents.sink_secrets);
  if (!secrets) return secrets.error();
  auto checkpoints = read_checkpoints(database);
  if (!checkpoints) return checkpoints.error();
  contents.checkpoints = std::move(*checkpoints);
  return read_table(database, kSharedStates, "ORDER BY name", read_shared_state,
                    contents.shared_states);
}

Result<void> read_meta(Database& database, RegistryContents& contents) {
  auto found = CheckedRows::select(database, RegistryTable::kMeta, "WHERE name <> 'content_sum'");
  if (!found) return found.error();
  while (true) {
    const auto there = found->next();
    if (!there) return there.error();
    if (!*there) return {};
    const std::string name = found->row().column_text(0);
    const std::uint64_t value = found->row().column_number(1);
    if (name == "checkpoint_sequence") contents.checkpoint_sequence = value;
    if (name == "last_subscription_number") contents.last_subscription_number = value;
    if (name == "log_sequence") contents.log_sequence = value;
  }
}

class SqliteRegistry final : public Registry {
 public:
  SqliteRegistry(std::unique_ptr<Database> database, RegistryNumbers numbers,
                 std::int64_t data_version)
      : database_(std::move(database)), numbers_(std::move(numbers)), data_version_(data_version) {}

  Result<void> apply(std::span<const RegistryChange> changes) override {
    if (changes.empty()) return {};
    const std::lock_guard lock(mutex_);
    auto transaction = RegistryTransaction::begin(*database_, numbers_);
    if (!transaction) return transaction.error();
    TableSet changed = 0;
    for (const RegistryChange& change : changes) {
      const auto written = write_change(*database_, change);
      if (!written) return written.error();
      changed |= changed_tables(change);
    }
    return transaction->commit(changed);
  }

  Result<RegistryContents> contents() override {
    const std::lock_guard lock(mutex_);
    const auto snapshot = Transaction::begin(*database_, Transaction::Kind::kRead);
    if (!snapshot) return snapshot.error();
    RegistryContents contents;
    const auto rows = read_contents(*database_, contents);
    if (!rows) return rows.error();
    const auto meta = read_meta(*database_, contents);
    if (!meta) return meta.error();
    return contents;
  }

  Result<std::uint64_t> identity() override {
    const std::lock_guard lock(mutex_);
    const auto found = database_->query_integer("SELECT value FROM meta WHERE name = 'identity'");
    if (!found) return found.error();
    return static_cast<std::uint64_t>(*found);
  }

  Result<void> add_token(const TokenRow& token) override {
    const std::lock_guard lock(mutex_);
    return store::add_token(*database_, numbers_, token);
  }

  Result<bool> revoke_token(std::string_view name) override {
    const std::lock_guard lock(mutex_);
    return store::revoke_token(*database_, numbers_, name);
  }

  Result<bool> rotate_token(const TokenRotation& rotation) override {
    const std::lock_guard lock(mutex_);
    return store::rotate_token(*database_, numbers_, rotation);
  }

  Result<std::vector<TokenRow>> tokens() override {
    const std::lock_guard lock(mutex_);
    return read_tokens(*database_);
  }

  // SQLite does not count what this connection itself has written.
  Result<bool> changed_by_others() override {
    const std::lock_guard lock(mutex_);
    const auto version = database_->query_integer("PRAGMA data_version");
    if (!version) return version.error();
    return std::exchange(data_version_, *version) != *version;
  }

  Result<std::vector<DeadLetterRow>> dead_letters(std::uint64_t subscription,
                                                  std::uint64_t after_delivery,
                                                  std::size_t count_max) override {
    const std::lock_guard lock(mutex_);
    auto found =
        CheckedRows::select(*database_, RegistryTable::kDeadLetters,
                            "WHERE subscription = ?1 AND delivery > ?2 ORDER BY delivery LIMIT ?3");
    if (!found) return found.error();
    found->values().number(subscription).number(std::min(after_delivery, kIntegerMax));
    found->values().number(std::min<std::uint64_t>(count_max, kIntegerMax));
    std::vector<DeadLetterRow> rows;
    const auto read = read_rows(*found, read_dead_letter, rows);
    if (!read) return read.error();
    return rows;
  }

  Result<std::optional<DeadLetterRow>> dead_letter(std::uint64_t subscription,
                                                   std::uint64_t delivery) override {
    const std::lock_guard lock(mutex_);
    auto found = CheckedRows::select(*database_, RegistryTable::kDeadLetters,
                                     "WHERE subscription = ?1 AND delivery = ?2");
    if (!found) return found.error();
    // A number beyond SQLite's is none of a letter.
    found->values().number(subscription).number(std::min(delivery, kIntegerMax));
    const auto there = found->next();
    if (!there) return there.error();
    if (!*there) return std::optional<DeadLetterRow>();
    return std::optional(read_dead_letter(found->row()));
  }

  Result<std::vector<std::uint64_t>> dead_letter_numbers(std::uint64_t subscription) override {
    const std::lock_guard lock(mutex_);
    auto query = database_->query(
        "SELECT delivery FROM dead_letters WHERE subscription = ?1 ORDER BY delivery");
    if (!query) return query.error();
    query->number(subscription);
    std::vector<std::uint64_t> numbers;
    while (true) {
      const auto there = query->step();
      if (!there) return there.error();
      if (!*there) return numbers;
      numbers.push_back(query->column_number(0));
    }
  }

  Result<std::uint64_t> dead_letter_count(std::uint64_t subscription) override {
    const std::lock_guard lock(mutex_);
    auto query = database_->query("SELECT count(*) FROM dead_letters WHERE subscription = ?1");
    if (!query) return query.error();
    const auto there = query->number(subscription).step();
    if (!there) return there.error();
    return query->column_number(0);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Database> database_;
  RegistryNumbers numbers_;
  std::int64_t data_version_;  // as it was last seen
};

// Adds the place and what to do to what SQLite says of a damaged file.
base::Error advised(base::Error error, Database& database, const std::filesystem::path& file) {
  if (error.id != base::ErrorId::kStoreCorrupt) return error;
  const bool is_placed = error.message.find("page ") != std::string::npos ||
                         error.message.find(": table ") != std::string::npos;
  if (!is_placed) error.message += fmt::format(" ({})", damage_place(database, error.message));
  error.message += fmt::format(
      "; copy {0} and {0}-wal again, both while no broker runs, or restore a backup; weir doctor "
      "tells more",
      file.filename().native());
  return error;
}

// A registry that had transactions is not made anew. The numbers come first: another process may be
// making the registry.
Result<void> check_presence(const std::filesystem::path& file) {
  const auto numbers = read_numbers(file);
  if (!numbers) return numbers.error();
  const auto found = inspect_registry_file(file);
  if (!found) return found.error();
  if (*found != RegistryFile::kNew || !*numbers) return {};
  return check_number(file, 0, **numbers);
}

// The numbers are there before the first transaction that has one.
Result<void> prepare_numbers(const std::filesystem::path& file, std::int64_t version) {
  const auto numbers = read_numbers(file);
  if (!numbers) return numbers.error();
  if (*numbers) return {};
  if (version < kRegistryVersion) return create_numbers(file);
  return base::Error{
      base::ErrorId::kStoreIncomplete,
      fmt::format("{0} is missing: nothing tells whether {1} has all its transactions. Copy it "
                  "from where {1} came from, or restore a backup",
                  numbers_file(file).native(), file.filename().native()),
      std::nullopt};
}

Result<RegistryNumbers> compare_numbers(const std::filesystem::path& file, Database& database) {
  const auto recorded = read_numbers(file);
  if (!recorded) return recorded.error();
  const auto last = last_transaction_number(database);
  if (!last) return last.error();
  if (auto checked = check_number(file, *last, (*recorded).value()); !checked) {
    return checked.error();
  }
  auto numbers = RegistryNumbers::open(file);
  if (!numbers || *last == (*recorded)->highest()) return numbers;
  // A crash came between the transaction and its number.
  if (auto kept = numbers->record(*last, 0); !kept) return kept.error();
  return numbers;
}

}  // namespace

Result<std::unique_ptr<Registry>> Registry::open(const std::filesystem::path& file) {
  if (auto checked = check_presence(file); !checked) return checked.error();
  auto database = Database::open(file, {});
  if (!database) return database.error();
  const auto found = registry_version_at_once(**database);
  if (!found) return advised(found.error(), **database, file);
  if (auto made = prepare_numbers(file, *found); !made) return made.error();
  auto prepared = prepare_registry(**database);
  if (!prepared) return advised(std::move(prepared.error()), **database, file);
  auto numbers = compare_numbers(file, **database);
  if (!numbers) return numbers.error();
  const auto version = (*database)->query_integer("PRAGMA data_version");
  if (!version) return version.error();
  return std::make_unique<SqliteRegistry>(std::move(*database), *std::move(numbers), *version);
}

}  // namespace weir::store
