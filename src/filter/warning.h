// SPDX-License-Identifier: Apache-2.0
// Warning: something in a filter that is allowed but probably not meant, with its place in the
// text.
#pragma once

#include <string>

#include "base/error.h"

namespace weir::filter {

struct Warning {
  base::Position position;
  std::string message;
};

}  // namespace weir::filter
