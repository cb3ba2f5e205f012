// SPDX-License-Identifier: Apache-2.0
// The report of `weir doctor --repair`: what was changed, and everything that is lost.
#pragma once

#include <string>

#include "broker/repair.h"

namespace weir::cli {

// Lines of text.
std::string repair_text(const broker::RepairReport& report, const std::string& directory);
// One line.
std::string repair_json(const broker::RepairReport& report, const std::string& directory);

}  // namespace weir::cli
