// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

namespace weir::cli {

std::string_view version() { return WEIR_VERSION; }

}  // namespace weir::cli
