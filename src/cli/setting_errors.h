// SPDX-License-Identifier: Apache-2.0
// Errors that show only when a setting is used: they name it like those of its value.
//
//   server.listen: 127.0.0.1:80: Permission denied
#pragma once

#include "base/error.h"
#include "cli/settings.h"

namespace weir::cli {

// Puts the name of the setting before the message, if the error is about the value of one.
base::Error name_setting(base::Error error, const Settings& settings);

}  // namespace weir::cli
