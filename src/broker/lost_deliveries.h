// SPDX-License-Identifier: Apache-2.0
// LostDeliveryFinder: reads a repaired log as a broker's recovery does, and tells which deliveries
// that were pending will not come.
//
// Costs a read of the whole log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "broker/match_note.h"
#include "broker/number_ranges.h"
#include "store/file_system.h"
#include "store/log_repair.h"
#include "store/registry.h"
#include "store/segment_format.h"

namespace weir::broker {

// Deliveries of a subscription that were pending, and whose event or note is lost.
struct LostDeliveries {
  std::uint64_t subscription = 0;  // its number
  std::string id;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // first and last number
};

// Events whose deliveries may have been noted in lost records only. Such deliveries are lost: they
// are listed by number if a later delivery of their subscription is noted; else their numbers are
// given again.
struct LostNotes {
  std::uint64_t first_sequence = 0;
  std::uint64_t last_sequence = 0;
  // Events behind the last note are matched again, but not for filters with state that is newer.
  bool is_of_states_only = false;
};

class LostDeliveryFinder {
 public:
  // Both must outlive it. The records are those that the repair went on without.
  LostDeliveryFinder(const store::RegistryContents& contents,
                     const std::vector<store::LostRecords>& records)
      : contents_(contents), records_(records) {}

  // Requires that the log is sound.
  base::Result<void> read(store::FileSystem& files, const std::filesystem::path& log);

  std::vector<LostDeliveries> deliveries() const;
  std::vector<LostNotes> notes() const;

 private:
  // The numbers of one subscription, as Outbox::restore() takes them.
  class Numbers {
   public:
    static base::Result<Numbers> from(const store::CursorRow& cursor);
    // Numbers before it that are neither settled nor noted have lost their notes: to damage, or
    // to retention.
    void take(std::uint64_t number, bool is_event_lost, bool is_skipped_lost);
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& lost() const { return lost_; }

   private:
    void lose(std::uint64_t number);

    std::uint64_t settled_through_ = 0;
    std::uint64_t noted_through_ = 0;
    NumberRanges beyond_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lost_;
  };

  base::Result<void> prepare();
  void take(const std::string& file, std::uint64_t offset_bytes, const store::RecordView& record);
  void take_notes(const store::RecordView& record);
  void take_match(const NotedMatch& match);
  bool is_lost(const NotedMatch& match) const;
  bool is_new_gap(const std::string& file, std::uint64_t offset_bytes) const;

  const store::RegistryContents& contents_;
  const std::vector<store::LostRecords>& records_;
  std::map<std::uint64_t, Numbers> numbers_;  // by subscription
  std::vector<MatchNote> partial_;            // wait for the last of them
  std::vector<LostNotes> gaps_;
  std::uint64_t noted_sequence_ = 0;  // all deliveries up to it are noted, or settled
  std::uint64_t last_sequence_ = 0;   // of the last event that was read, or is lost
  bool has_begun_ = false;
  bool has_gap_ = false;  // records before the one that is read are lost
  std::optional<base::Error> unreadable_;
};

}  // namespace weir::broker
