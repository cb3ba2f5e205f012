// SPDX-License-Identifier: Apache-2.0
// VerifiedWindow: the DistinctWindow that confirms what it finds in a log of the events.
//
// Keeps of each key a 64-bit hash, the instant, and the sequence of its event: 40 bytes, and about
// 20 for the table's free places. A key whose hash is there is called seen only if the event at
// that sequence has the same key; if it does not, or is gone from the log, the key is distinct,
// takes the place, and is counted. So nothing distinct is ever dropped. Ends exactly after the
// window.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "match/distinct_window.h"

namespace weir::match {

class VerifiedWindow final : public DistinctWindow {
 public:
  // Requires options.confirm.
  explicit VerifiedWindow(const DistinctWindowOptions& options);

  DistinctMode mode() const override { return DistinctMode::kVerified; }
  bool test_and_set(std::string_view key, base::Instant now, std::uint64_t sequence) override;
  bool test(std::string_view key, base::Instant now) const override;
  base::Result<bool> forget(std::string_view key, base::Instant now) override;
  void save(base::ByteWriter& writer) const override;
  base::Result<void> restore(base::ByteReader& reader, base::Instant& latest) override;
  DistinctStats stats() const override;

 private:
  struct Seen {
    base::Instant at;
    std::uint64_t sequence;
  };
  // Of a key that was seen again or forgotten since, the age is stale: its instant is another.
  struct Age {
    base::Instant at;
    std::uint64_t hash;
  };
  struct Identity {
    using is_avalanching = void;
    std::size_t operator()(std::uint64_t hash) const { return static_cast<std::size_t>(hash); }
  };
  using Table = boost::unordered_flat_map<std::uint64_t, Seen, Identity>;

  std::uint64_t hash(std::string_view key) const;
  void expire(base::Instant now);
  bool is_current(const Age& age) const;
  void remember(std::uint64_t hash, const Seen& seen);
  void drop_stale_ages();
  std::size_t memory_bytes() const;

  // A place in the table is used for at least three eighths; an age is a little more than itself.
  static constexpr std::size_t kPlaceBytes = sizeof(Table::value_type) + 1;

  DistinctWindowOptions options_;
  Table seen_;
  std::deque<Age> ages_;  // oldest first
  std::uint64_t hit_count_ = 0;
  std::uint64_t refuted_count_ = 0;
  std::uint64_t overflow_count_ = 0;
  base::MemoryCharge memory_;
};

}  // namespace weir::match
