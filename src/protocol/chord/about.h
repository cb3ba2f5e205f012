// SPDX-License-Identifier: Apache-2.0
// Which keys the messages of protocol/chord concern.
#pragma once

#include <string_view>

#include "protocol/message_about.h"

namespace weir::protocol::chord {

void tell_about(std::string_view message, MessageAbout& about);

}  // namespace weir::protocol::chord
