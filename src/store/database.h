// SPDX-License-Identifier: Apache-2.0
// Database: a SQLite file, as far as the registry needs one: statements, values, transactions.
//
// Every failure is an Error that names the file: kStoreFull if the disk is full, kStoreCorrupt if
// the file is no database or a damaged one, kStoreLocked if another process holds it longer than
// the time to wait, kStoreDatabase for the rest. Statements are prepared once and kept by their
// text. They may use row_checksum() (store/row_checksum.h).
//
// Threads: one at a time.
//
//   auto query = database.query("SELECT name FROM tokens WHERE lookup = ?1");
//   if (!query) return query.error();
//   auto row = query->text(lookup).step();
//   if (!row) return row.error();
//   if (*row) use(query->column_text(0));
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace weir::store {

class Database;

// One use of a prepared statement; its end makes the statement free for the next.
class Statement {
 public:
  // Values for ?1, ?2 and so on, in turn. Texts and blobs must live until the last step.
  Statement& integer(std::int64_t value);
  Statement& number(std::uint64_t value);  // kept as the signed integer of the same bits
  Statement& text(std::string_view value);
  Statement& blob(std::string_view value);
  Statement& null();
  // The column of a row that is there, of any database, as it is.
  Statement& value_of(const Statement& row, int column);

  // True: there is a row, which the columns (from 0) are of until the next step.
  base::Result<bool> step();
  // Steps to the end.
  base::Result<void> run();

  std::int64_t column_integer(int column) const;
  std::uint64_t column_number(int column) const;
  std::string column_text(int column) const;  // a blob's bytes too
  bool column_is_null(int column) const;

 private:
  friend class Database;
  struct Release {
    void operator()(sqlite3_stmt* statement) const;
  };

  Statement(const Database& database, sqlite3_stmt* statement);
  Statement& bound(int code);

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Release> statement_;
  int bind_index_ = 0;
  int bind_code_ = 0;  // the first failure to bind
};

class Database {
 public:
  struct Options {
    base::Duration busy_wait = base::Duration::seconds(5);  // for another process, per statement
    bool create = true;                                     // the file, if it is not there
    bool read_only = false;  // neither the file nor its write-ahead log is written
    bool alone = false;      // of one that is read only: nobody writes it meanwhile
  };

  // Creates the file if need be, and makes it its owner's alone. Reads nothing of it yet.
  static base::Result<std::unique_ptr<Database>> open(const std::filesystem::path& file,
                                                      const Options& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Requires that no use of the same statement is under way.
  base::Result<Statement> query(std::string_view sql);
  // One or several statements, whose rows nobody wants.
  base::Result<void> execute(const std::string& sql);
  // The first column of the first row.
  base::Result<std::int64_t> query_integer(std::string_view sql);
  base::Result<std::string> query_text(std::string_view sql);
  // Writes what a transaction of this connection sees, or else what is there now, to a new file,
  // which needs no write-ahead log beside it. Others may write meanwhile.
  base::Result<void> copy_to(const std::filesystem::path& file);
  // Rows that the last statement changed.
  std::int64_t changed_count() const;

  const std::string& file() const { return file_; }
  // What the last failed call came to.
  base::Error error(int code) const;

 private:
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using StatementPtr = std::unique_ptr<sqlite3_stmt, Finalize>;

  Database(std::string file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}

  std::string file_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<std::string, StatementPtr, std::less<>> statements_;  // by their text
};

// A transaction that is rolled back unless it was committed.
class Transaction {
 public:
  // kWrite waits for other writers at the start, so that nothing in it has to; kRead sees one state
  // throughout.
  enum class Kind : std::uint8_t { kRead, kWrite };

  static base::Result<Transaction> begin(Database& database, Kind kind);
  base::Result<void> commit();

 private:
  struct RollBack {
    void operator()(Database* database) const;
  };

  explicit Transaction(Database& database) : database_(&database) {}

  std::unique_ptr<Database, RollBack> database_;
};

}  // namespace weir::store
