// SPDX-License-Identifier: Apache-2.0
// row_checksum: the SQL function whose value every row of the registry carries.
//
//   row_checksum(table, column, column, ...)
//
// 63 bits of XXH3 over the table's name and all columns in the order of the table, each with its
// type and length. The key is among the columns, so that a row in the place of another is found
// too. Costs about 10 ns per column and 0.1 ns per byte.
#pragma once

struct sqlite3;

namespace weir::store {

// Makes the function known to a connection; a code of SQLite.
int add_row_checksum(sqlite3* connection);

}  // namespace weir::store
