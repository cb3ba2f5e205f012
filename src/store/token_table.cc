// SPDX-License-Identifier: Apache-2.0
#include "store/token_table.h"

#include <algorithm>
#include <utility>

#include "store/registry_tables.h"
#include "store/registry_transaction.h"

namespace weir::store {
namespace {

using base::Instant;
using base::Result;

constexpr TableSet kTokenTables =
    table_bit(RegistryTable::kTokens) | table_bit(RegistryTable::kTokenSecrets);

TokenRow read_token(const Statement& row) {
  TokenRow token{.name = row.column_text(0),
                 .lookup = row.column_text(1),
                 .hash = row.column_text(2),
                 .grants = row.column_text(3),
                 .created = Instant{row.column_integer(4)},
                 .revoked = row.column_integer(6) != 0};
  if (!row.column_is_null(5)) token.expires = Instant{row.column_integer(5)};
  return token;
}

Result<void> read_rows(Database& database, std::vector<TokenRow>& rows) {
  auto found = CheckedRows::select(database, RegistryTable::kTokens, "ORDER BY name");
  if (!found) return found.error();
  while (true) {
    const auto there = found->next();
    if (!there) return there.error();
    if (!*there) return {};
    rows.push_back(read_token(found->row()));
  }
}

Result<void> read_former(Database& database, std::vector<TokenRow>& rows) {
  auto found = CheckedRows::select(database, RegistryTable::kTokenSecrets, "ORDER BY name, lookup");
  if (!found) return found.error();
  while (true) {
    const auto there = found->next();
    if (!there) return there.error();
    if (!*there) return {};
    const Statement& row = found->row();
    const auto token = std::ranges::lower_bound(rows, row.column_text(1), {}, &TokenRow::name);
    if (token == rows.end() || token->name != row.column_text(1)) continue;
    token->former.push_back({.lookup = row.column_text(0),
                             .hash = row.column_text(2),
                             .until = Instant{row.column_integer(3)}});
  }
}

Result<void> keep_former(Database& database, const TokenRotation& rotation) {
  auto keep = database.query(
      "INSERT INTO token_secrets"
      " SELECT lookup, name, hash, ?2, row_checksum('token_secrets', lookup, name, hash, ?2)"
      " FROM tokens WHERE name = ?1 AND revoked = 0");
  if (!keep) return keep.error();
  return keep->text(rotation.name).integer(rotation.former_until.nanoseconds).run();
}

Result<void> remove_expired(Database& database, Instant now) {
  auto remove = database.query("DELETE FROM token_secrets WHERE until_ns <= ?1");
  if (!remove) return remove.error();
  return remove->integer(now.nanoseconds).run();
}

Result<bool> set_secret(Database& database, const TokenRotation& rotation) {
  auto set = database.query(
      "UPDATE tokens SET lookup = ?2, hash = ?3, checksum = row_checksum('tokens', name, ?2, ?3,"
      " grants, created_ns, expires_ns, revoked) WHERE name = ?1 AND revoked = 0");
  if (!set) return set.error();
  const auto done = set->text(rotation.name).text(rotation.lookup).text(rotation.hash).run();
  if (!done) return done.error();
  return database.changed_count() > 0;
}

Result<bool> set_revoked(Database& database, std::string_view name) {
  auto revoke = database.query(
      "UPDATE tokens SET revoked = 1, checksum = row_checksum('tokens', name, lookup, hash,"
      " grants, created_ns, expires_ns, 1) WHERE name = ?1");
  if (!revoke) return revoke.error();
  const auto done = revoke->text(name).run();
  if (!done) return done.error();
  return database.changed_count() > 0;
}

}  // namespace

Result<void> add_token(Database& database, RegistryNumbers& numbers, const TokenRow& token) {
  auto transaction = RegistryTransaction::begin(database, numbers);
  if (!transaction) return transaction.error();
  auto add = database.query(
      "INSERT INTO tokens VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
      " row_checksum('tokens', ?1, ?2, ?3, ?4, ?5, ?6, ?7))");
  if (!add) return add.error();
  add->text(token.name).text(token.lookup).text(token.hash).text(token.grants);
  add->integer(token.created.nanoseconds);
  if (token.expires) {
    add->integer(token.expires->nanoseconds);
  } else {
    add->null();
  }
  if (auto added = add->integer(token.revoked ? 1 : 0).run(); !added) return added;
  return transaction->commit(kTokenTables);
}

Result<bool> revoke_token(Database& database, RegistryNumbers& numbers, std::string_view name) {
  auto transaction = RegistryTransaction::begin(database, numbers);
  if (!transaction) return transaction.error();
  auto revoked = set_revoked(database, name);
  if (!revoked || !*revoked) return revoked;
  auto remove = database.query("DELETE FROM token_secrets WHERE name = ?1");
  if (!remove) return remove.error();
  if (const auto removed = remove->text(name).run(); !removed) return removed.error();
  if (const auto committed = transaction->commit(kTokenTables); !committed)
    return committed.error();
  return true;
}

Result<bool> rotate_token(Database& database, RegistryNumbers& numbers,
                          const TokenRotation& rotation) {
  auto transaction = RegistryTransaction::begin(database, numbers);
  if (!transaction) return transaction.error();
  if (rotation.former_until > rotation.now) {
    if (const auto kept = keep_former(database, rotation); !kept) return kept.error();
  }
  auto rotated = set_secret(database, rotation);
  if (!rotated || !*rotated) return rotated;
  if (const auto removed = remove_expired(database, rotation.now); !removed) {
    return removed.error();
  }
  if (const auto committed = transaction->commit(kTokenTables); !committed)
    return committed.error();
  return true;
}

Result<std::vector<TokenRow>> read_tokens(Database& database) {
  const auto snapshot = Transaction::begin(database, Transaction::Kind::kRead);
  if (!snapshot) return snapshot.error();
  std::vector<TokenRow> rows;
  if (const auto read = read_rows(database, rows); !read) return read.error();
  if (const auto read = read_former(database, rows); !read) return read.error();
  return rows;
}

}  // namespace weir::store
