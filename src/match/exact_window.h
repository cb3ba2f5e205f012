// SPDX-License-Identifier: Apache-2.0
// ExactWindow: the DistinctWindow that keeps the keys themselves. The oracle of the others.
//
// A key that was let through at t is a duplicate until t + within, and no longer at that instant.
// Costs the key's bytes and about 100 bytes more per key alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>

#include "match/distinct_window.h"

namespace weir::match {

class ExactWindow final : public DistinctWindow {
 public:
  explicit ExactWindow(const DistinctWindowOptions& options)
      : options_(options), memory_(options.memory) {}

  DistinctMode mode() const override { return DistinctMode::kExact; }
  bool test_and_set(std::string_view key, base::Instant now, std::uint64_t sequence) override;
  bool test(std::string_view key, base::Instant now) const override;
  base::Result<bool> forget(std::string_view key, base::Instant now) override;
  void save(base::ByteWriter& writer) const override;
  base::Result<void> restore(base::ByteReader& reader, base::Instant& latest) override;
  DistinctStats stats() const override;

 private:
  // Ages hold the keys' own strings by reference: nodes of a map stay where they are.
  struct Seen {
    base::Instant at;
    const std::string* key;
  };
  using Ages = std::list<Seen>;

  void expire(base::Instant now);
  bool append(std::string_view key, base::Instant at);
  void erase(Ages::iterator seen);

  DistinctWindowOptions options_;
  Ages ages_;  // oldest first
  std::map<std::string, Ages::iterator, std::less<>> seen_;
  std::size_t key_bytes_ = 0;
  std::uint64_t hit_count_ = 0;
  std::uint64_t overflow_count_ = 0;
  base::MemoryCharge memory_;
};

}  // namespace weir::match
