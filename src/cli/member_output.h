// SPDX-License-Identifier: Apache-2.0
// What `weir member` writes: deliveries of its node as JSON lines.
//
//   {"kind":"got","key":"0beec7b5ea3f0fdb","word":"foo","text":"hello"}
//   {"kind":"view","state":"active","settled":true,"slots":341,"members":[{"name":"a",...}]}
#pragma once

#include <string>

#include "cli/member_input.h"
#include "protocol/effects.h"
#include "protocol/slots/messages.h"

namespace weir::cli {

// A line with its end; nothing for a delivery that is for no user.
std::string member_line(const protocol::Deliver& deliver, const MemberInput& input);

std::string slots_line(const protocol::slots::View& view);

}  // namespace weir::cli
