// SPDX-License-Identifier: Apache-2.0
// BloomWindow: the approximate DistinctWindow, an ElasticBloom over seeded hashes of the keys.
//
// Keys are remembered for at least the window and at most a seventh longer (while they are few:
// exactly for the window).
#pragma once

#include <cstdint>
#include <string_view>

#include "bloom/elastic_bloom.h"
#include "match/distinct_window.h"

namespace weir::match {

class BloomWindow final : public DistinctWindow {
 public:
  explicit BloomWindow(const DistinctWindowOptions& options);

  DistinctMode mode() const override { return DistinctMode::kApproximate; }
  bool test_and_set(std::string_view key, base::Instant now, std::uint64_t sequence) override;
  bool test(std::string_view key, base::Instant now) const override;
  base::Result<bool> forget(std::string_view key, base::Instant now) override;
  void save(base::ByteWriter& writer) const override;
  base::Result<void> restore(base::ByteReader& reader, base::Instant& latest) override;
  DistinctStats stats() const override;

 private:
  std::uint64_t hash(std::string_view key) const;
  void count_memory();

  std::uint64_t seed_;
  bloom::ElasticBloom seen_;
  std::uint64_t hit_count_ = 0;
  std::uint64_t refused_count_ = 0;  // keys for which the account had no room
  base::MemoryAccount::Ptr account_;
  base::MemoryCharge memory_;
};

}  // namespace weir::match
