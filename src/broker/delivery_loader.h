// SPDX-License-Identifier: Apache-2.0
// DeliveryLoader: the texts of a delivery's events, from memory or from the log.
//
// A delivery is gone when the log no longer has its newest event. Older events of a group that are
// gone are left out; weirmissing on the newest one tells how many. Events that the subscriber was
// given before are marked with weirrepeated (event/annotation.h).
//
// Costs a read of the log for each event that is not in memory. Single-threaded.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "broker/delivery.h"
#include "broker/grants.h"
#include "broker/outbox.h"
#include "broker/recent_events.h"
#include "engine/text_annotator.h"
#include "store/event_log.h"

namespace weir::broker {

enum class Loaded : std::uint8_t { kThere, kGone, kHidden };

class DeliveryLoader {
 public:
  DeliveryLoader(const RecentEvents& recent, const store::EventLog& log)
      : recent_(recent), log_(log) {}

  // Fills in the dispatch if the delivery is there, and if the reader may see all its events. A
  // delivery whose text matched needs an annotator, which says why.
  base::Result<Loaded> load(const OutboxEntry& entry, const Grants& reader,
                            engine::TextAnnotator* annotator, Dispatch& dispatch) const;

 private:
  struct Event {
    EventText text;
    event::EventPtr decoded;  // null if nobody needs it
  };
  base::Result<Loaded> load_group(const OutboxEntry& entry, const Grants& reader,
                                  engine::TextAnnotator* annotator, Dispatch& dispatch) const;
  base::Result<Loaded> load_event(std::uint64_t sequence, const Grants& reader, bool decodes,
                                  Event& event) const;

  const RecentEvents& recent_;
  const store::EventLog& log_;
};

}  // namespace weir::broker
