// SPDX-License-Identifier: Apache-2.0
// Definitions as they come back from the registry.
#pragma once

#include <string_view>

#include "base/result.h"
#include "broker/definition.h"

namespace weir::broker {

// Without limits: a definition that was once accepted stays readable when limits are lowered.
base::Result<DefinitionPtr> parse_stored_definition(std::string_view json);

}  // namespace weir::broker
