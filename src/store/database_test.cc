// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"

namespace weir::store {
namespace {

using base::describe;

class DatabaseTest : public testing::Test {
 protected:
  std::unique_ptr<Database> open(base::Duration busy_wait = base::Duration::milliseconds(20)) {
    auto database = Database::open(file_, {.busy_wait = busy_wait});
    EXPECT_EQ(describe(database), "ok");
    return std::move(database).value();
  }

  // An error as one line, with the test's directory left out of it.
  template <typename T>
  std::string failure(const base::Result<T>& result) {
    std::string text = describe(result);
    const std::string directory = directory_.path().string() + "/";
    for (auto at = text.find(directory); at != std::string::npos; at = text.find(directory)) {
      text.erase(at, directory.size());
    }
    return text;
  }

  base::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_ / "test.db";
};

void execute(Database& database, const std::string& sql) {
  ASSERT_EQ(describe(database.execute(sql)), "ok") << sql;
}

std::int64_t integer_of(Database& database, std::string_view sql) {
  const auto result = database.query_integer(sql);
  EXPECT_EQ(describe(result), "ok") << sql;
  return result.value_or(-1);
}

TEST_F(DatabaseTest, ReadsBackEveryKindOfValue) {
  const auto database = open();
  execute(*database, "CREATE TABLE t (i INTEGER, n INTEGER, x TEXT, b BLOB, z TEXT) STRICT");
  const std::string bytes("\0\xff\n", 3);
  auto put = database->query("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)");
  ASSERT_EQ(describe(put), "ok");
  put->integer(std::numeric_limits<std::int64_t>::min());
  put->number(std::numeric_limits<std::uint64_t>::max()).text("naïve").blob(bytes).null();
  ASSERT_EQ(describe(put->run()), "ok");
  EXPECT_EQ(database->changed_count(), 1);

  auto query = database->query("SELECT * FROM t");
  ASSERT_TRUE(query->step().value());
  EXPECT_EQ(query->column_integer(0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(query->column_number(1), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(query->column_text(2), "naïve");
  EXPECT_EQ(query->column_text(3), bytes);
  EXPECT_FALSE(query->column_is_null(3));
  EXPECT_TRUE(query->column_is_null(4));
  EXPECT_FALSE(query->step().value());
}

TEST_F(DatabaseTest, KeepsEmptyTextsAndBlobsApartFromNull) {
  const auto database = open();
  execute(*database, "CREATE TABLE t (x TEXT NOT NULL, b BLOB NOT NULL) STRICT");
  auto put = database->query("INSERT INTO t VALUES (?1, ?2)");
  EXPECT_EQ(describe(put->text({}).blob({}).run()), "ok");
}

TEST_F(DatabaseTest, ForgetsTheValuesOfTheLastUse) {
  const auto database = open();
  execute(*database, "CREATE TABLE t (x TEXT) STRICT");
  constexpr std::string_view kPut = "INSERT INTO t VALUES (?1)";
  ASSERT_EQ(describe(database->query(kPut)->text("a").run()), "ok");
  ASSERT_EQ(describe(database->query(kPut)->run()), "ok");
  EXPECT_EQ(integer_of(*database, "SELECT count(*) FROM t WHERE x IS NULL"), 1);
}

TEST_F(DatabaseTest, NamesTheFileInEveryFailure) {
  const auto database = open();
  EXPECT_EQ(failure(database->query("SELEC 1")),
            "store.database - test.db: near \"SELEC\": syntax error");
  EXPECT_EQ(failure(database->execute("SELECT * FROM t")),
            "store.database - test.db: no such table: t");
  auto query = database->query("SELECT ?1");
  EXPECT_EQ(failure(query->integer(1).integer(2).step()),
            "store.database - test.db: column index out of range");
  EXPECT_EQ(failure(Database::open(directory_ / "no/such/dir/test.db", {})),
            "store.database - no/such/dir/test.db: unable to open database file");
}

TEST_F(DatabaseTest, TakesAnyNameForAFile) {
  const auto database = Database::open("", {});
  ASSERT_FALSE(database.has_value());
  EXPECT_EQ(database.error().id, base::ErrorId::kStoreDatabase);
}

TEST_F(DatabaseTest, RollsBackATransactionThatIsNotCommitted) {
  const auto database = open();
  execute(*database, "CREATE TABLE t (x INTEGER PRIMARY KEY) STRICT");
  {
    const auto transaction = Transaction::begin(*database, Transaction::Kind::kWrite);
    ASSERT_EQ(describe(transaction), "ok");
    execute(*database, "INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(integer_of(*database, "SELECT count(*) FROM t"), 0);
  {
    auto transaction = Transaction::begin(*database, Transaction::Kind::kWrite);
    execute(*database, "INSERT INTO t VALUES (1)");
    ASSERT_EQ(describe(transaction->commit()), "ok");
  }
  EXPECT_EQ(integer_of(*database, "SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, TellsThatTheDiskIsFullAndStaysUsable) {
  const auto database = open();
  execute(*database, "CREATE TABLE t (b BLOB) STRICT; PRAGMA max_page_count = 20");
  {
    const auto transaction = Transaction::begin(*database, Transaction::Kind::kWrite);
    const auto full = database->execute("INSERT INTO t VALUES (zeroblob(1000000))");
    EXPECT_EQ(failure(full), "store.full - test.db: database or disk is full");
  }
  execute(*database, "INSERT INTO t VALUES (zeroblob(10))");
  EXPECT_EQ(integer_of(*database, "SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, TellsThatAnotherConnectionHoldsIt) {
  const auto first = open();
  const auto second = open();
  execute(*first, "PRAGMA journal_mode = WAL; CREATE TABLE t (x INTEGER) STRICT");
  {
    const auto transaction = Transaction::begin(*first, Transaction::Kind::kWrite);
    EXPECT_EQ(failure(Transaction::begin(*second, Transaction::Kind::kWrite)),
              "store.locked - test.db: database is locked");
    EXPECT_EQ(integer_of(*second, "SELECT count(*) FROM t"), 0);
  }
  EXPECT_EQ(describe(Transaction::begin(*second, Transaction::Kind::kWrite)), "ok");
}

TEST_F(DatabaseTest, ReadsOneStateThroughoutATransaction) {
  const auto first = open();
  const auto second = open();
  execute(*first, "PRAGMA journal_mode = WAL; CREATE TABLE t (x INTEGER) STRICT");
  {
    const auto snapshot = Transaction::begin(*second, Transaction::Kind::kRead);
    EXPECT_EQ(integer_of(*second, "SELECT count(*) FROM t"), 0);
    execute(*first, "INSERT INTO t VALUES (1)");
    EXPECT_EQ(integer_of(*second, "SELECT count(*) FROM t"), 0);
  }
  EXPECT_EQ(integer_of(*second, "SELECT count(*) FROM t"), 1);
}

}  // namespace
}  // namespace weir::store
