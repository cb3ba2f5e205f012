// SPDX-License-Identifier: Apache-2.0
// The metrics of `weir member`, as Prometheus reads them.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "protocol/slots/messages.h"
#include "runtime/nats/nats_runtime.h"

namespace weir::cli {

std::string metrics_text(const runtime::nats::NatsStats& stats, const protocol::slots::View& view);

// The whole text or the one before, whenever somebody reads it. Fails with kCliFile.
base::Result<void> replace_file(const std::string& path, const std::string& text);

}  // namespace weir::cli
