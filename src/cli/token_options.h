// SPDX-License-Identifier: Apache-2.0
// TokenOptions: what the command line of `weir token` asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "broker/grants.h"
#include "cli/serve_options.h"

namespace weir::cli {

enum class TokenVerb : std::uint8_t { kCreate, kList, kRevoke };

struct TokenOptions {
  TokenVerb verb = TokenVerb::kList;
  std::string name = {};  // of create and revoke
  broker::Grants grants = {};
  std::optional<base::Duration> expires = {};
  std::string config_path = {};       // where the data directory comes from, as for `weir serve`
  std::vector<FlagValue> flags = {};  // --data
  bool json = false;
};

}  // namespace weir::cli
