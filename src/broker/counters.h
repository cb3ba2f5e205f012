// SPDX-License-Identifier: Apache-2.0
// Counters: what the broker's threads count while they work; broker_stats.h is what others see.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "match/distinct_window.h"
#include "store/registry.h"

namespace weir::broker {

using Counter = std::atomic<std::uint64_t>;

struct Counters {
  Counter received{0};
  Counter accepted{0};
  Counter duplicates{0};
  Counter rejected{0};
  Counter unavailable{0};
  Counter refused_busy{0};
  Counter refused_blocked{0};
  Counter commits{0};
  Counter commit_failures{0};
  Counter commit_nanoseconds{0};
  Counter matched{0};
  Counter dispatched{0};
  Counter acknowledged{0};
  Counter redelivered{0};
  Counter dropped{0};
  Counter conflated{0};
  Counter expired{0};
  Counter withheld{0};
  Counter buried{0};
  Counter nacked{0};
  Counter timed_out{0};
  Counter transit_waits{0};
  Counter in_flight{0};
  Counter checkpoints{0};
  Counter token_read_failures{0};
  Counter subscriptions_durable{0};
  Counter subscriptions_ephemeral{0};
  Counter sessions{0};
  Counter pending{0};
  Counter blocking{0};
  Counter window_keys{0};
  Counter window_bytes{0};
  Counter window_hits{0};
  Counter window_refuted_hits{0};
  Counter window_overflow{0};
  Counter match_candidates{0};
  Counter match_signature_rejects{0};
  Counter match_verified{0};
  Counter match_matches{0};
  Counter match_moves{0};
  Counter match_placements{0};
  Counter match_conjunctions{0};
  Counter match_unindexed{0};
  Counter match_always{0};
  Counter matcher_bytes{0};
  Counter text_scanned{0};
  Counter text_verified{0};
  Counter text_matched{0};
  Counter text_filters{0};
  Counter text_bytes{0};
  Counter change_readings{0};
  Counter change_quiet{0};
  Counter change_fired{0};
  Counter change_sources{0};
  Counter change_pieces{0};
  Counter change_bytes{0};
  Counter work_steps{0};
  Counter over_budget{0};
  Counter dedup_keys{0};
  Counter dedup_bytes{0};
  Counter dedup_forgotten{0};
  Counter recovered_events{0};
  Counter recovered_deliveries{0};
  Counter recovered_skipped{0};
};

// What became of the deliveries of a subscription: deliveries == pending + settled.total().
struct DeliveryCounts {
  std::uint64_t deliveries = 0;  // ever made
  std::uint64_t pending = 0;
  std::uint64_t settled_through = 0;  // no delivery up to this number is pending
  store::SettledCounts settled = {};
};

// How far a subscription has come that still reads old events.
struct ReplayProgress {
  std::uint64_t next_sequence = 0;
  std::uint64_t last_sequence = 0;  // the newest event there is
  std::uint64_t skipped = 0;        // events that were gone before they were read
};

// How one subscription stands. Written by its shard, read by anyone.
struct SubscriptionGauges {
  Counter delivered{0};
  Counter redelivered{0};
  Counter letters_kept{0};          // dead letters in the list
  Counter in_flight{0};             // of a shared subscription
  Counter consumers{0};             // connected
  Counter over_budget{0};           // events that were too costly to be judged
  std::atomic<bool> allowed{true};  // its owner's token is neither revoked nor expired

  void set_trouble(std::string text) {
    const std::scoped_lock lock(mutex_);
    trouble_ = std::move(text);
  }
  void set_counts(const DeliveryCounts& counts) {
    const std::scoped_lock lock(mutex_);
    counts_ = counts;
  }
  // All as of one moment.
  DeliveryCounts counts() {
    const std::scoped_lock lock(mutex_);
    return counts_;
  }
  // Nullopt: it reads no old events.
  void set_replay(const std::optional<ReplayProgress>& progress) {
    const std::scoped_lock lock(mutex_);
    replay_ = progress;
  }
  std::optional<ReplayProgress> replay() {
    const std::scoped_lock lock(mutex_);
    return replay_;
  }
  // Of a distinct clause.
  void set_window(const std::optional<match::DistinctStats>& stats) {
    const std::scoped_lock lock(mutex_);
    window_ = stats;
  }
  std::optional<match::DistinctStats> window() {
    const std::scoped_lock lock(mutex_);
    return window_;
  }
  std::string trouble() {
    const std::scoped_lock lock(mutex_);
    return trouble_;
  }

 private:
  std::mutex mutex_;
  DeliveryCounts counts_;
  std::optional<ReplayProgress> replay_;
  std::string trouble_;
  std::optional<match::DistinctStats> window_;
};

}  // namespace weir::broker
