// SPDX-License-Identifier: Apache-2.0
// The tables of tokens and of their former secrets. Each change is a transaction of its own.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "store/registry.h"
#include "store/registry_numbers.h"

namespace weir::store {

// All as the functions of Registry.
base::Result<void> add_token(Database& database, RegistryNumbers& numbers, const TokenRow& token);
base::Result<bool> revoke_token(Database& database, RegistryNumbers& numbers,
                                std::string_view name);
base::Result<bool> rotate_token(Database& database, RegistryNumbers& numbers,
                                const TokenRotation& rotation);
base::Result<std::vector<TokenRow>> read_tokens(Database& database);

}  // namespace weir::store
