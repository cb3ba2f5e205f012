// SPDX-License-Identifier: Apache-2.0
// The registry's file: other versions, damage, crashes, several processes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "store/database.h"
#include "store/registry.h"

namespace weir::store {
namespace {

using base::describe;
using base::Instant;

std::unique_ptr<Registry> open(const std::filesystem::path& file) {
  auto registry = Registry::open(file);
  EXPECT_EQ(describe(registry), "ok");
  return std::move(registry).value();
}

SubscriptionRow subscription(std::uint64_t number) {
  return {.number = number,
          .id = "subscription " + std::to_string(number),
          .owner = "",
          .definition = std::string(500, 'x'),
          .created = Instant{1}};
}

void fill(Registry& registry, std::uint64_t count) {
  std::vector<RegistryChange> changes;
  for (std::uint64_t number = 1; number <= count; ++number) {
    changes.emplace_back(subscription(number));
    changes.emplace_back(CursorRow{number, 0, 0});
  }
  ASSERT_EQ(describe(registry.apply(changes)), "ok");
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

void execute(const std::filesystem::path& file, const std::string& sql) {
  const auto database = Database::open(file, {});
  ASSERT_EQ(describe((*database)->execute(sql)), "ok");
}

class RegistryFileTest : public testing::Test {
 protected:
  // What opening the file comes to, its name cut to the last part.
  std::string opening() const {
    const auto registry = Registry::open(file_);
    if (registry) return "ok";
    std::string text = describe(registry.error());
    const std::string directory = directory_.path().string() + "/";
    return text.replace(text.find(directory), directory.size(), "");
  }

  base::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_ / "registry.db";
};

TEST_F(RegistryFileTest, TellsPeopleWhoseItIs) {
  open(file_);
  const auto database = Database::open(file_, {});
  EXPECT_EQ((*database)->query_integer("PRAGMA user_version").value(), 4);
  EXPECT_EQ((*database)->query_integer("PRAGMA application_id").value(), 0x57656972);
  EXPECT_EQ((*database)->query_text("PRAGMA journal_mode").value(), "wal");
}

// Of the file and what SQLite keeps beside it, as far as that is there.
std::vector<unsigned> modes_of(const std::filesystem::path& file) {
  std::vector<unsigned> modes;
  for (const char* const suffix : {"", "-wal", "-shm", "-numbers"}) {
    const std::filesystem::path name = file.string() + suffix;
    if (!std::filesystem::exists(name)) continue;
    modes.push_back(static_cast<unsigned>(std::filesystem::status(name).permissions()));
  }
  return modes;
}

TEST_F(RegistryFileTest, IsItsOwnersAlone) {
  const ::mode_t before = ::umask(0);
  {
    const auto registry = open(file_);
    fill(*registry, 1);
    EXPECT_EQ(modes_of(file_), std::vector<unsigned>(4, 0600));
  }
  ::umask(before);
  const auto holder = open(file_);
  for (const char* const suffix : {"", "-wal", "-shm", "-numbers"}) {
    std::filesystem::permissions(file_.string() + suffix, std::filesystem::perms(0644));
  }
  const auto again = open(file_);
  EXPECT_EQ(modes_of(file_), std::vector<unsigned>(4, 0600)) << "a wider one is narrowed";
  fill(*again, 2);
  EXPECT_EQ(holder->contents().value().subscriptions.size(), 2U);
}

TEST_F(RegistryFileTest, RefusesAnotherVersion) {
  open(file_);
  execute(file_, "PRAGMA user_version = 5");
  EXPECT_EQ(opening(),
            "store.version - registry.db: a registry of version 5; expected a registry of version "
            "4");
}

// As a broker of version 3 left it, with one of its triggers.
constexpr std::string_view kVersion3 = R"sql(
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('checkpoint_sequence', 0), ('last_subscription_number', 0);
CREATE TABLE tokens (
  name TEXT PRIMARY KEY,
  lookup TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  grants TEXT NOT NULL,
  created_ns INTEGER NOT NULL,
  expires_ns INTEGER,
  revoked INTEGER NOT NULL CHECK (revoked IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE TABLE subscriptions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  definition TEXT NOT NULL,
  created_ns INTEGER NOT NULL,
  since_sequence INTEGER NOT NULL
) STRICT;
CREATE TABLE cursors (
  subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
  settled_through INTEGER NOT NULL,
  settled_beyond BLOB NOT NULL,
  scan_sequence INTEGER NOT NULL,
  acknowledged INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  expired INTEGER NOT NULL,
  conflated INTEGER NOT NULL,
  dead_letters INTEGER NOT NULL,
  withheld INTEGER NOT NULL
) STRICT;
CREATE TABLE shared_states (
  name TEXT PRIMARY KEY,
  state BLOB NOT NULL
) STRICT;
CREATE TABLE dead_letters (
  subscription INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  delivery INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  reason TEXT NOT NULL,
  events TEXT NOT NULL,
  PRIMARY KEY (subscription, delivery)
) STRICT;
CREATE TABLE checkpoints (
  subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
  chunks BLOB NOT NULL
) STRICT;
CREATE TABLE checkpoint_chunks (
  subscription INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  name BLOB NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (subscription, name)
) STRICT;
CREATE TABLE token_secrets (
  lookup TEXT PRIMARY KEY,
  name TEXT NOT NULL REFERENCES tokens ON DELETE CASCADE,
  hash TEXT NOT NULL,
  until_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sink_secrets (
  subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
  secrets TEXT NOT NULL
) STRICT;
CREATE TABLE replays (
  subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
  next_sequence INTEGER NOT NULL,
  last_delivery INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  state BLOB NOT NULL
) STRICT;
INSERT OR IGNORE INTO meta (name, value) VALUES ('identity', 0), ('log_sequence', 0);
CREATE TRIGGER IF NOT EXISTS dead_letters_insert_sum AFTER insert ON dead_letters BEGIN UPDATE meta
  SET value = value + NEW.delivery WHERE name = 'content_sum'; END;
INSERT INTO meta VALUES ('content_sum', 77);
PRAGMA application_id = 0x57656972; PRAGMA user_version = 3;
)sql";

TEST_F(RegistryFileTest, GoesOnFromVersionThree) {
  execute(file_, std::string(kVersion3) + R"sql(
      INSERT INTO subscriptions VALUES (1, 'a', 'o', '{}', 5, 1), (2, 'b', '', '{}', 6, 1);
      INSERT INTO cursors VALUES (1, 7, x'0102', 5, 4, 3, 0, 1, 0, 0);
      INSERT INTO tokens VALUES ('t', 'l', 'h', '{}', 1, NULL, 0), ('u', 'm', 'i', '{}', 2, 3, 1);
      INSERT INTO token_secrets VALUES ('k', 't', 'g', 9);
      INSERT INTO sink_secrets VALUES (2, '{}');
      INSERT INTO replays VALUES (2, 3, 4, 5, x'06');
      INSERT INTO dead_letters VALUES (1, 2, 3, 'r', '[]');
      INSERT INTO shared_states VALUES ('s', x'07');
      INSERT INTO checkpoint_chunks VALUES (2, x'00', x'08');
      INSERT INTO checkpoints VALUES (2, x'00');
      UPDATE meta SET value = 11 WHERE name = 'identity';
      PRAGMA journal_mode = WAL)sql");
  write(directory_ / "registry.db-wal", "");
  for (int times = 0; times < 2; ++times) {
    const auto registry = open(file_);
    const auto contents = registry->contents();
    ASSERT_EQ(describe(contents), "ok");
    EXPECT_EQ(contents->subscriptions.size(), 2U);
    EXPECT_EQ(contents->cursors.at(0).settled_beyond, "\x01\x02");
    EXPECT_EQ(contents->checkpoints.at(0).state, "\x08");
    EXPECT_EQ(contents->replays.at(0).state, "\x06");
    EXPECT_EQ(contents->shared_states.at(0).state, "\x07");
    EXPECT_EQ(contents->sink_secrets.size(), 1U);
    EXPECT_EQ(registry->tokens()->size(), 2U);
    EXPECT_EQ(registry->tokens()->at(0).former.size(), 1U);
    EXPECT_EQ(registry->dead_letter_count(1).value(), 1U);
    EXPECT_EQ(registry->identity().value(), 11U);
    const std::vector<RegistryChange> changes = {RemoveSubscription{2}, subscription(2)};
    EXPECT_EQ(describe(registry->apply(changes)), "ok");
    if (times == 0) EXPECT_EQ(registry->contents()->replays.size(), 0U) << "they went with it";
    const std::vector<RegistryChange> back = {ReplayRow{2, 3, 4, 5, "\x06"},
                                              CheckpointRow{2, "\x08"}, SinkSecretsRow{2, "{}"}};
    EXPECT_EQ(describe(registry->apply(back)), "ok");
  }
}

constexpr std::string_view kBackToVersion2 =
    "DROP TABLE token_secrets; DROP TABLE sink_secrets; DROP TABLE replays; DROP TABLE cursors;"
    "CREATE TABLE cursors (subscription INTEGER PRIMARY KEY REFERENCES subscriptions"
    " ON DELETE CASCADE, acknowledged INTEGER NOT NULL, scan_sequence INTEGER NOT NULL) STRICT;"
    "PRAGMA user_version = 2;";

TEST_F(RegistryFileTest, GoesOnFromVersionTwo) {
  execute(file_, std::string(kVersion3) + std::string(kBackToVersion2) +
                     "INSERT INTO subscriptions VALUES (1, 'a', '', '{}', 0, 1);"
                     "INSERT INTO cursors VALUES (1, 7, 5)");
  const CursorRow cursor{
      .subscription = 1, .settled_through = 7, .scan_sequence = 5, .counts = {.acknowledged = 7}};
  for (int times = 0; times < 2; ++times) {
    const auto registry = Registry::open(file_);
    ASSERT_TRUE(registry.has_value());
    EXPECT_EQ((*registry)->contents()->cursors, std::vector{cursor});
  }
}

TEST_F(RegistryFileTest, GoesOnFromVersionOne) {
  execute(file_,
          std::string(kVersion3) + std::string(kBackToVersion2) +
              "INSERT INTO subscriptions VALUES (1, 'a', '', '{}', 0, 1), (2, 'b', '', '{}', 0, 1);"
              "DROP TABLE checkpoints; DROP TABLE checkpoint_chunks;"
              "CREATE TABLE checkpoints (subscription INTEGER PRIMARY KEY REFERENCES subscriptions"
              " ON DELETE CASCADE, state BLOB NOT NULL) STRICT;"
              "INSERT INTO checkpoints VALUES (1, x'0102'), (2, zeroblob(300000));"
              "PRAGMA user_version = 1");
  for (int times = 0; times < 2; ++times) {
    const auto registry = Registry::open(file_);
    ASSERT_TRUE(registry.has_value());
    const auto contents = (*registry)->contents();
    ASSERT_EQ(contents->checkpoints.size(), 2U);
    EXPECT_EQ(contents->checkpoints[0].state, "\x01\x02");
    EXPECT_EQ(contents->checkpoints[1].state, std::string(300'000, '\0'));
  }
}

TEST_F(RegistryFileTest, RefusesTheDatabaseOfAnotherProgramAndLeavesItAlone) {
  execute(file_, "CREATE TABLE t (x INTEGER)");
  const std::string before = read(file_);
  EXPECT_EQ(opening(),
            "store.version - registry.db: a database of another program; expected a registry of "
            "version 4");
  EXPECT_TRUE(read(file_) == before);
}

TEST_F(RegistryFileTest, RefusesAFileThatIsNoDatabase) {
  for (const std::string& bytes : {std::string("xy"), std::string(5000, 'x')}) {
    write(file_, bytes);
    EXPECT_EQ(
        opening(),
        "store.corrupt - registry.db: file is not a database (offset 0: no header of SQLite); copy "
        "registry.db and registry.db-wal again, both while no broker runs, or restore a backup; "
        "weir doctor "
        "tells more");
    EXPECT_TRUE(read(file_) == bytes);
  }
}

TEST_F(RegistryFileTest, RefusesAFileWithoutItsWriteAheadLogAndLeavesItAlone) {
  fill(*open(file_), 3);
  std::filesystem::remove(directory_ / "registry.db-wal");
  const std::string before = read(file_);
  EXPECT_TRUE(opening().starts_with("store.corrupt - registry.db-wal is missing")) << opening();
  EXPECT_TRUE(read(file_) == before);
  write(directory_ / "registry.db-wal", "");
  EXPECT_EQ(open(file_)->contents()->subscriptions.size(), 3U);
}

TEST_F(RegistryFileTest, RefusesAWriteAheadLogWithoutItsFile) {
  const auto registry = open(file_);
  fill(*registry, 3);
  const std::string log = read(directory_ / "registry.db-wal");
  base::TemporaryDirectory copy;
  write(copy / "registry.db-wal", log);
  EXPECT_EQ(Registry::open(copy / "registry.db").error().id, base::ErrorId::kStoreCorrupt);
  EXPECT_EQ(read(copy / "registry.db-wal"), log) << "SQLite would remove it";
}

TEST_F(RegistryFileTest, RefusesRowsThatAreMissingByTheirSum) {
  fill(*open(file_), 3);
  execute(file_, "UPDATE meta SET value = value + 1 WHERE name = 'content_sum'");
  EXPECT_TRUE(opening().starts_with("store.mismatch - registry.db: rows are missing")) << opening();
}

TEST_F(RegistryFileTest, KeepsTheSumOfEveryChange) {
  fill(*open(file_), 5);
  const std::vector<RegistryChange> changes = {
      CursorRow{2, 7, 9},
      DeadLetterRow{.subscription = 3, .delivery = 4, .at = {}, .reason = "r", .events = "[]"},
      RemoveSubscription{3},
      SubscriptionRow{.number = 4, .id = "other", .owner = "o", .definition = "{}", .created = {}},
      CheckpointRow{5, "state"},
      LogMark{8}};
  {
    const auto registry = open(file_);
    ASSERT_EQ(describe(registry->apply(changes)), "ok");
    const TokenRow row{.name = "a", .lookup = "l", .hash = "h", .grants = "{}", .created = {}};
    ASSERT_EQ(describe(registry->add_token(row)), "ok");
    ASSERT_TRUE(registry->revoke_token("a").value());
    EXPECT_EQ(registry->contents()->log_sequence, 8U);
  }
  EXPECT_EQ(opening(), "ok");
}

TEST_F(RegistryFileTest, RefusesADirectory) {
  std::filesystem::create_directory(file_);
  EXPECT_EQ(opening(), "store.database - registry.db: unable to open database file");
}

// SQLite takes a file of one byte for an empty one.
TEST_F(RegistryFileTest, RefusesATruncatedDatabaseWhereverItIsCut) {
  fill(*open(file_), 100);
  const std::string whole = read(file_);
  ASSERT_GT(whole.size(), 50'000U);
  for (std::size_t size = 2; size < whole.size(); size += 1021) {
    write(file_, whole.substr(0, size));
    EXPECT_TRUE(opening().starts_with("store.corrupt - registry.db: ")) << size;
  }
  write(file_, whole);
  EXPECT_EQ(opening(), "ok");
}

TEST_F(RegistryFileTest, RefusesADatabaseWithAPageOverwritten) {
  fill(*open(file_), 100);
  std::string bytes = read(file_);
  bytes.replace(bytes.size() - 4096, 4096, 4096, '\x5a');
  write(file_, bytes);
  EXPECT_TRUE(opening().starts_with("store.corrupt - registry.db: ")) << opening();
}

TEST_F(RegistryFileTest, HasWhatWasAppliedAfterACrash) {
  const auto registry = open(file_);
  for (std::uint64_t number = 1; number <= 20; ++number) {
    const std::vector<RegistryChange> changes = {subscription(number)};
    ASSERT_EQ(describe(registry->apply(changes)), "ok");
    base::TemporaryDirectory crashed;
    std::filesystem::copy(directory_.path(), crashed.path(),
                          std::filesystem::copy_options::recursive);
    EXPECT_EQ(open(crashed / "registry.db")->contents()->subscriptions.size(), number);
  }
}

TEST_F(RegistryFileTest, LosesOnlyWhatTheTornEndOfItsLogHeld) {
  const auto registry = open(file_);
  fill(*registry, 1);
  const auto log = directory_ / "registry.db-wal";
  const std::size_t kept = read(log).size();
  const std::string numbers = read(directory_ / "registry.db-numbers");
  fill(*registry, 50);
  const std::string main_bytes = read(file_);
  const std::string log_bytes = read(log);
  for (std::size_t size = kept; size < log_bytes.size(); size += 2039) {
    base::TemporaryDirectory crashed;
    write(crashed / "registry.db", main_bytes);
    write(crashed / "registry.db-wal", log_bytes.substr(0, size));
    write(crashed / "registry.db-numbers", numbers);
    EXPECT_EQ(open(crashed / "registry.db")->contents()->subscriptions.size(), 1U) << size;
  }
}

// One bad bit in the write-ahead log, and SQLite leaves out everything behind it.
TEST_F(RegistryFileTest, TellsThatConfirmedTransactionsAreMissing) {
  const auto registry = open(file_);
  fill(*registry, 1);
  const std::string before = read(directory_ / "registry.db-wal");
  fill(*registry, 2);
  const TokenRow row{.name = "a", .lookup = "l", .hash = "h", .grants = "{}", .created = {}};
  ASSERT_EQ(describe(registry->add_token(row)), "ok");
  base::TemporaryDirectory crashed;
  std::filesystem::copy(directory_.path(), crashed.path(),
                        std::filesystem::copy_options::recursive);
  std::string log = read(crashed / "registry.db-wal");
  const auto changed = std::ranges::mismatch(log, before).in1;
  ASSERT_NE(changed, log.end());
  *changed = static_cast<char>(*changed ^ 1);
  write(crashed / "registry.db-wal", log);
  const std::string told = describe(Registry::open(crashed / "registry.db"));
  EXPECT_TRUE(told.starts_with("store.incomplete")) << told;
  EXPECT_NE(told.find("ends with transaction 1, but 3 was confirmed: 2 transactions are missing"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("tokens, token_secrets, subscriptions, cursors"), std::string::npos) << told;
}

TEST_F(RegistryFileTest, TellsThatTheRegistryOrItsNumbersAreGone) {
  fill(*open(file_), 3);
  const std::string numbers = read(directory_ / "registry.db-numbers");
  std::filesystem::remove(directory_ / "registry.db-numbers");
  EXPECT_TRUE(opening().starts_with("store.incomplete")) << opening();
  write(directory_ / "registry.db-numbers", std::string(numbers.size(), '\0'));
  EXPECT_TRUE(opening().starts_with("store.incomplete")) << opening();
  write(directory_ / "registry.db-numbers", numbers.substr(0, 100));
  EXPECT_EQ(opening(), "ok") << "the slots that are there tell of nothing that is missing";
  write(directory_ / "registry.db-numbers", numbers);
  std::filesystem::remove(file_);
  EXPECT_TRUE(opening().starts_with("store.incomplete")) << opening();
}

TEST_F(RegistryFileTest, TellsWhichRowIsNotAsItWasWritten) {
  fill(*open(file_), 3);
  for (const auto& [sql, place] : {
           std::pair("UPDATE cursors SET scan_sequence = 9 WHERE subscription = 2",
                     "table cursors, subscription 2: the row"),
           std::pair("UPDATE subscriptions SET definition = 'y' WHERE number = 3",
                     "table subscriptions, number 3: the row"),
           std::pair("UPDATE meta SET value = 9 WHERE name = 'log_sequence'",
                     "table meta, name log_sequence: the row"),
           std::pair("UPDATE cursors SET subscription = -subscription WHERE subscription <> 2;"
                     "UPDATE cursors SET subscription = 4 + subscription WHERE subscription < 0",
                     "table cursors, subscription 1: the row"),
           std::pair("DELETE FROM meta WHERE name = 'identity'", "meta has no row 'identity'"),
           std::pair("DROP TRIGGER cursors_update_sum", "the schema of 'cursors_update_sum'"),
       }) {
    const std::string before = read(file_);
    execute(file_, sql);
    EXPECT_TRUE(opening().starts_with("store.corrupt")) << opening();
    EXPECT_NE(opening().find(place), std::string::npos) << opening();
    write(file_, before);
    write(directory_ / "registry.db-wal", "");
  }
}

TEST_F(RegistryFileTest, ShowsTheChangesOfOneProcessToAnother) {
  const auto server = open(file_);
  const auto command = open(file_);
  const TokenRow row{.name = "a", .lookup = "l", .hash = "h", .grants = "{}", .created = {}};
  ASSERT_EQ(describe(command->add_token(row)), "ok");
  EXPECT_EQ(server->tokens().value(), std::vector{row});
  fill(*server, 3);
  EXPECT_EQ(command->contents()->subscriptions.size(), 3U);
  EXPECT_TRUE(command->revoke_token("a").value());
  EXPECT_TRUE(server->tokens()->at(0).revoked);
}

TEST_F(RegistryFileTest, IsMadeOnceByManyAtTheSameTime) {
  for (int round = 0; round < 5; ++round) {
    const auto file = directory_ / ("registry" + std::to_string(round));
    std::vector<std::jthread> threads;
    for (std::uint64_t number = 1; number <= 4; ++number) {
      threads.emplace_back([file, number] {
        const auto registry = open(file);
        const std::vector<RegistryChange> changes = {subscription(number)};
        EXPECT_EQ(describe(registry->apply(changes)), "ok");
      });
    }
    threads.clear();
    EXPECT_EQ(open(file)->contents()->subscriptions.size(), 4U);
  }
}

TEST_F(RegistryFileTest, TakesCallsFromSeveralThreads) {
  const auto registry = open(file_);
  fill(*registry, 4);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t number = 1; number <= 4; ++number) {
      threads.emplace_back([&registry, number] {
        for (std::uint64_t step = 1; step <= 20; ++step) {
          const std::vector<RegistryChange> changes = {CursorRow{number, step, step}};
          EXPECT_EQ(describe(registry->apply(changes)), "ok");
          EXPECT_EQ(registry->contents()->cursors.at(number - 1).settled_through, step);
        }
      });
    }
  }
  const RegistryContents contents = registry->contents().value();
  for (const CursorRow& row : contents.cursors) EXPECT_EQ(row.settled_through, 20U);
}

}  // namespace
}  // namespace weir::store
