// SPDX-License-Identifier: Apache-2.0
// MemberOptions: what the command line of `weir member` asks for.
#pragma once

#include <string>

#include "base/instant.h"

namespace weir::cli {

struct MemberOptions {
  std::string url = "nats://127.0.0.1:4222";
  std::string cluster = "weir";
  std::string name;
  std::string metrics_path;  // empty: none are written
  base::Duration heartbeat_interval = base::Duration::milliseconds(500);
  base::Duration lease = base::Duration::milliseconds(2500);
  bool json = false;
};

}  // namespace weir::cli
