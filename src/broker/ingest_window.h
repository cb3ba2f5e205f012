// SPDX-License-Identifier: Apache-2.0
// IngestWindow: which events were accepted lately, by source and id.
//
// Keeps 128 bits of SipHash-2-4 of each identity, under a key that nobody outside knows: two
// different events are taken for one with a probability of 10^-24 among 10^7 events, and nobody can
// choose them so. The window is filled from the log at a start, so each start has a key of its own.
// A key costs 80 ns. About 64 bytes per event. Bounded: when it is full the oldest identity is
// forgotten early, and counted.
//
// Or, with false_positives_max above 0, an approximate window: 3 to 20 bytes per event, and an
// event that never was there is taken for a duplicate with at most that probability. Full, it does
// not remember new events.
//
// A check does not remember; an event counts as seen once it is on disk. Single-threaded.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>

#include "base/instant.h"
#include "event/event.h"
#include "match/distinct_window.h"

namespace weir::broker {

class IngestWindow {
 public:
  using Secret = std::array<unsigned char, 16>;
  struct Options {
    base::Duration within;
    std::size_t key_count_max = 0;
    Secret secret = {};
    std::uint64_t seed = 0;  // of the approximate window
    double false_positives_max = 0;
  };
  struct Key {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    using is_avalanching = void;
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
  };

  explicit IngestWindow(Options options);

  static Secret random_secret();

  Key key_of(const event::Event& event) const { return key_of(event.source(), event.id()); }
  Key key_of(std::string_view source, std::string_view id) const;
  bool contains(const Key& key, base::Instant now) const;
  // Requires that the key is not contained; instants must not go back.
  void insert(const Key& key, base::Instant now);

  std::size_t size() const;
  std::uint64_t forgotten_count() const;
  std::size_t memory_bytes() const;

 private:
  struct Age {
    base::Instant at;
    Key key;
  };

  void forget_oldest();

  Options options_;
  std::unique_ptr<match::DistinctWindow> approximate_;  // null: what follows
  boost::unordered_flat_map<Key, base::Instant, KeyHash> seen_;
  std::deque<Age> ages_;  // oldest first
  std::uint64_t forgotten_count_ = 0;
};

}  // namespace weir::broker
