// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "store/row_checksum.h"

namespace weir::store {
namespace {

using base::ErrorId;

constexpr sqlite3_destructor_type kStatic = nullptr;

// Tokens and secrets are for the owner's eyes only, from the first byte on. A file that was made
// wider, with what SQLite keeps beside it, is narrowed; one of another user stays as it is. By
// name: closing a descriptor of its own would end the locks that this process has on the file.
void keep_private(const std::filesystem::path& path) {
  constexpr ::mode_t kOwner = 0600;
  constexpr ::mode_t kBeyond = 0177;
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwner);
  if (made >= 0) ::close(made);
  for (const char* const suffix : {"", "-wal", "-shm", "-numbers"}) {
    const std::string name = path.string() + suffix;
    struct ::stat found = {};
    if (::stat(name.c_str(), &found) != 0 || (found.st_mode & kBeyond) == 0) continue;
    ::chmod(name.c_str(), found.st_mode & kOwner);
  }
}

// Of the last operation on this file that failed.
int last_error(sqlite3_file* file) {
  int system_error = 0;
  if (file == nullptr || file->pMethods == nullptr) return 0;
  file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &system_error);
  return system_error;
}

// SQLite knows a full disk by ENOSPC alone, and what it does after a failure may replace the
// system's error: so the file and its write-ahead log are asked too.
bool is_disk_full(sqlite3* handle, int code) {
  if ((code & 0xff) == SQLITE_FULL) return true;
  if ((code & 0xff) != SQLITE_IOERR || handle == nullptr) return false;
  sqlite3_file* file = nullptr;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
  const auto errors = {sqlite3_system_errno(handle), last_error(file), last_error(log)};
  return std::ranges::any_of(errors, [](int system_error) {
    return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
  });
}

ErrorId error_id(sqlite3* handle, int code) {
  if (is_disk_full(handle, code)) return ErrorId::kStoreFull;
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorId::kStoreCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorId::kStoreLocked;
    default:
      return ErrorId::kStoreDatabase;
  }
}

int open_flags(const Database::Options& options) {
  if (options.read_only) return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int create = options.create ? SQLITE_OPEN_CREATE : 0;
  return SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | create;
}

// A file whose write-ahead log is empty is read alone, lest SQLite makes the files that go with it.
std::string read_only_uri(const std::filesystem::path& path, bool alone) {
  std::string uri = "file:";
  for (const char byte : path.native()) {
    if (byte == '%' || byte == '?' || byte == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(byte));
    } else {
      uri += byte;
    }
  }
  std::error_code failed;
  const auto log_bytes = std::filesystem::file_size(path.native() + "-wal", failed);
  const bool is_whole = alone && (failed || log_bytes == 0);
  return uri + (is_whole ? "?mode=ro&immutable=1" : "?mode=ro");
}

}  // namespace

void Statement::Release::operator()(sqlite3_stmt* statement) const {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

Statement::Statement(const Database& database, sqlite3_stmt* statement)
    : database_(&database), statement_(statement) {}

Statement& Statement::bound(int code) {
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
  return *this;
}

Statement& Statement::integer(std::int64_t value) {
  return bound(sqlite3_bind_int64(statement_.get(), ++bind_index_, value));
}

Statement& Statement::number(std::uint64_t value) {
  return integer(std::bit_cast<std::int64_t>(value));
}

Statement& Statement::text(std::string_view value) {
  const char* const bytes = value.empty() ? "" : value.data();  // a null pointer would be NULL
  return bound(sqlite3_bind_text64(statement_.get(), ++bind_index_, bytes, value.size(), kStatic,
                                   SQLITE_UTF8));
}

Statement& Statement::blob(std::string_view value) {
  const char* const bytes = value.empty() ? "" : value.data();
  return bound(sqlite3_bind_blob64(statement_.get(), ++bind_index_, bytes, value.size(), kStatic));
}

Statement& Statement::null() { return bound(sqlite3_bind_null(statement_.get(), ++bind_index_)); }

Statement& Statement::value_of(const Statement& row, int column) {
  return bound(sqlite3_bind_value(statement_.get(), ++bind_index_,
                                  sqlite3_column_value(row.statement_.get(), column)));
}

base::Result<bool> Statement::step() {
  if (bind_code_ != SQLITE_OK) return database_->error(bind_code_);
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->error(code);
}

base::Result<void> Statement::run() {
  while (true) {
    const auto row = step();
    if (!row) return row.error();
    if (!*row) return {};
  }
}

std::int64_t Statement::column_integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::uint64_t Statement::column_number(int column) const {
  return std::bit_cast<std::uint64_t>(column_integer(column));
}

std::string Statement::column_text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return {static_cast<const char*>(bytes), size};
}

bool Statement::column_is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

void Database::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::~Database() = default;

base::Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file,
                                                       const Options& options) {
  // A name of its own meaning to SQLite, such as :memory:, is a file's all the same.
  const std::filesystem::path path = std::filesystem::path(".") / file;
  if (!options.read_only) keep_private(path);
  sqlite3* handle = nullptr;
  const std::string name = options.read_only ? read_only_uri(path, options.alone) : path.string();
  const int code = sqlite3_open_v2(name.c_str(), &handle, open_flags(options), nullptr);
  std::unique_ptr<Database> database(new Database(file.string(), handle));
  if (code != SQLITE_OK) return database->error(code);
  sqlite3_extended_result_codes(handle, 1);
  if (const int added = add_row_checksum(handle); added != SQLITE_OK) return database->error(added);
  sqlite3_busy_timeout(handle, static_cast<int>(options.busy_wait.nanoseconds / 1'000'000));
  // The write-ahead log stays when the file is closed: a copy without it is known as incomplete.
  int stays = 1;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &stays);
  return database;
}

base::Error Database::error(int code) const {
  sqlite3* const handle = handle_.get();
  const bool is_last = handle != nullptr && sqlite3_extended_errcode(handle) == code;
  const char* const reason = is_last ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  return {error_id(handle, code), fmt::format("{}: {}", file_, reason), {}};
}

base::Result<Statement> Database::query(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return error(code);
    found = statements_.emplace(std::string(sql), StatementPtr(statement)).first;
  }
  WEIR_CHECK(sqlite3_stmt_busy(found->second.get()) == 0);
  return Statement(*this, found->second.get());
}

base::Result<void> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

base::Result<std::int64_t> Database::query_integer(std::string_view sql) {
  auto statement = query(sql);
  if (!statement) return statement.error();
  const auto row = statement->step();
  if (!row) return row.error();
  return *row ? statement->column_integer(0) : 0;
}

base::Result<std::string> Database::query_text(std::string_view sql) {
  auto statement = query(sql);
  if (!statement) return statement.error();
  const auto row = statement->step();
  if (!row) return row.error();
  return *row ? statement->column_text(0) : std::string();
}

base::Result<void> Database::copy_to(const std::filesystem::path& file) {
  auto target = open(file, {});
  if (!target) return target.error();
  sqlite3* const to = (*target)->handle_.get();
  sqlite3_backup* const backup = sqlite3_backup_init(to, "main", handle_.get(), "main");
  if (backup == nullptr) return (*target)->error(sqlite3_extended_errcode(to));
  const int copied = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (copied != SQLITE_DONE) return finished == SQLITE_OK ? error(copied) : error(finished);
  int stays = 0;
  sqlite3_file_control(to, "main", SQLITE_FCNTL_PERSIST_WAL, &stays);
  return (*target)->execute("PRAGMA journal_mode = DELETE");
}

std::int64_t Database::changed_count() const { return sqlite3_changes64(handle_.get()); }

base::Result<Transaction> Transaction::begin(Database& database, Kind kind) {
  auto begin = database.query(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
  if (!begin) return begin.error();
  const auto done = begin->run();
  if (!done) return done.error();
  return Transaction(database);
}

base::Result<void> Transaction::commit() {
  auto commit = database_->query("COMMIT");
  if (!commit) return commit.error();
  const auto done = commit->run();
  if (!done) return done.error();
  static_cast<void>(database_.release());
  return {};
}

void Transaction::RollBack::operator()(Database* database) const {
  // Some failures have rolled back already.
  if (sqlite3_get_autocommit(database->handle_.get()) == 0) {
    static_cast<void>(sqlite3_exec(database->handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr));
  }
}

}  // namespace weir::store
