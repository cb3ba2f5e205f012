// SPDX-License-Identifier: Apache-2.0
// damage_place: where a registry is damaged that SQLite only calls malformed.
//
// SQLite tells the page only if its integrity check comes that far. Else the file's header and
// length are looked at. Costs a read of the whole file.
#pragma once

#include <string>
#include <string_view>

#include "store/database.h"

namespace weir::store {

// "page 7: ...", "offset 4096: ..." or "table sqlite_schema", for damage of which SQLite tells
// this.
std::string damage_place(Database& database, std::string_view told);

}  // namespace weir::store
