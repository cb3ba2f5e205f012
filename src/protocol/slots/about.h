// SPDX-License-Identifier: Apache-2.0
// Which keys the messages of protocol/slots concern.
#pragma once

#include <string_view>

#include "protocol/message_about.h"

namespace weir::protocol::slots {

void tell_about(std::string_view message, MessageAbout& about);

}  // namespace weir::protocol::slots
