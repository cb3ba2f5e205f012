// SPDX-License-Identifier: Apache-2.0
// read_events: events of the log by their sequences.
//
// Costs: one pread per run of sequences that lie within some kilobytes of each other, and a scan of
// what it reads. The first look into an old segment reads it through once, for its index.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "store/event_log.h"
#include "store/segment_list.h"

namespace weir::store {

// Requires ascending sequences. Nothing in the place of one that is not there.
base::Result<std::vector<std::optional<LogRecord>>> read_events(
    const SegmentList& segments, std::span<const std::uint64_t> sequences);

LogRecord to_log_record(const RecordView& view);

}  // namespace weir::store
