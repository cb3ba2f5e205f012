// SPDX-License-Identifier: Apache-2.0
// Which keys the messages of protocol/probe concern.
#pragma once

#include <string_view>

#include "protocol/message_about.h"

namespace weir::protocol::probe {

void tell_about(std::string_view message, MessageAbout& about);

}  // namespace weir::protocol::probe
