// SPDX-License-Identifier: Apache-2.0
// CompositeMember: what is known of one subscription to several changes, besides its values in the
// index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/memory_account.h"
#include "event/event.h"
#include "filter/filter.h"
#include "match/change/composite_index.h"
#include "match/matcher.h"

namespace weir::engine {

using StreamNumber = std::uint32_t;

struct CompositeMember {
  struct Leaf {
    match::SourceNumber source = 0;
    base::Instant last_at = {};
  };
  // The event of a value that a restored leaf has of its own; null if it was delivered and is not
  // known.
  struct OwnEvent {
    match::LeafPlace place;
    std::uint64_t order = 0;
    event::EventPtr event;
  };
  // The changes of one key.
  struct Instance {
    CompositeMember* member = nullptr;
    std::string_view key = {};
    std::uint32_t number = 0;  // in the index
    std::vector<std::vector<Leaf>> conjunctions = {};
    std::vector<match::SourceNumber> sources = {};           // ascending, each once
    std::vector<std::optional<base::Instant>> read_at = {};  // by conjunction, as restored
    std::vector<OwnEvent> own_events = {};                   // by place
    std::vector<std::uint64_t> delivered = {};               // orders of current events, ascending
    std::vector<match::SourceNumber> held_sources = {};      // of conjunctions that are held
    std::uint64_t held_before = 0;                           // readings there before they were
    std::uint32_t tuning = 0;                                // of the member, that its leaves have
  };
  // Of a stream with keys: where the member is on the list of those who came.
  struct Entry {
    StreamNumber stream = 0;
    std::uint64_t place = 0;
  };

  match::SubscriptionId id = {};
  filter::FilterPtr filter = {};
  match::Initial initial = match::Initial::kDeliver;
  base::Instant floor = {};                // time does not go back behind it
  std::vector<StreamNumber> leaf_streams;  // of all leaves, conjunction by conjunction
  std::vector<StreamNumber> streams;       // ascending, each once
  std::vector<Entry> entries;              // none without keys
  std::map<std::string, Instance, std::less<>> instances;  // by key
  bool must_leave = false;                                 // it has come to its limit of keys
  bool is_limited = false;                                 // some change has `at most every`
  base::MemoryCharge memory;                               // of the instances
  std::uint64_t held_count = 0;  // events that were held, without those that held_sources tell
  std::uint32_t tuning = 0;      // grows with each change of thresholds
  std::vector<match::LeafCondition> conditions;  // of all leaves, as leaf_streams
  std::optional<std::string> retuned_before;     // keys from this one on may have older thresholds
  bool is_gone = false;                          // nothing is delivered to it any more
};

}  // namespace weir::engine
