// SPDX-License-Identifier: Apache-2.0
// TokenOptions: what the command line of `weir token` asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "broker/grants.h"
#include "broker/tokens.h"
#include "cli/serve_options.h"

namespace weir::cli {

enum class TokenVerb : std::uint8_t { kCreate, kList, kRotate, kRevoke };

struct TokenOptions {
  TokenVerb verb = TokenVerb::kList;
  std::string name = {};  // but for list
  broker::Grants grants = {};
  std::optional<base::Duration> expires = {};
  base::Duration overlap = broker::kOverlapDefault;  // of rotate
  std::string config_path = {};       // where the data directory comes from, as for `weir serve`
  std::vector<FlagValue> flags = {};  // --data
  bool json = false;
};

}  // namespace weir::cli
