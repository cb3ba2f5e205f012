// SPDX-License-Identifier: Apache-2.0
// The registry's file: other versions, damage, crashes, several processes.
#include <gtest/gtest.h>

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
  EXPECT_EQ((*database)->query_integer("PRAGMA user_version").value(), 2);
  EXPECT_EQ((*database)->query_integer("PRAGMA application_id").value(), 0x57656972);
  EXPECT_EQ((*database)->query_text("PRAGMA journal_mode").value(), "wal");
}

TEST_F(RegistryFileTest, RefusesAnotherVersion) {
  open(file_);
  execute(file_, "PRAGMA user_version = 3");
  EXPECT_EQ(opening(),
            "store.version - registry.db: a registry of version 3; expected a registry of version "
            "2");
}

TEST_F(RegistryFileTest, GoesOnFromVersionOne) {
  open(file_);
  execute(file_,
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
            "version 2");
  EXPECT_TRUE(read(file_) == before);
}

TEST_F(RegistryFileTest, RefusesAFileThatIsNoDatabase) {
  for (const std::string& bytes : {std::string("xy"), std::string(5000, 'x')}) {
    write(file_, bytes);
    EXPECT_EQ(opening(), "store.corrupt - registry.db: file is not a database");
    EXPECT_TRUE(read(file_) == bytes);
  }
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
  fill(*registry, 50);
  const std::string main_bytes = read(file_);
  const std::string log_bytes = read(log);
  for (std::size_t size = kept; size < log_bytes.size(); size += 2039) {
    base::TemporaryDirectory crashed;
    write(crashed / "registry.db", main_bytes);
    write(crashed / "registry.db-wal", log_bytes.substr(0, size));
    EXPECT_EQ(open(crashed / "registry.db")->contents()->subscriptions.size(), 1U) << size;
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
          EXPECT_EQ(registry->contents()->cursors.at(number - 1).acknowledged, step);
        }
      });
    }
  }
  const RegistryContents contents = registry->contents().value();
  for (const CursorRow& row : contents.cursors) EXPECT_EQ(row.acknowledged, 20U);
}

}  // namespace
}  // namespace weir::store
