// SPDX-License-Identifier: Apache-2.0
// The version of this build, as CMake's project() names it.
#pragma once

#include <string_view>

namespace weir::cli {

std::string_view version();

}  // namespace weir::cli
