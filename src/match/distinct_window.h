// SPDX-License-Identifier: Apache-2.0
// DistinctWindow: which keys were seen within a sliding window of time, exactly. The oracle of the
// Bloom windows.
//
// A key that was let through at t is a duplicate until t + within, and no longer at that instant.
// Costs the key's bytes and about 100 bytes more per key alive. Bounded: beyond key_count_max keys
// alive a new one is let through and not remembered, and counted; nothing distinct is ever dropped.
// Instants must not go back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/result.h"

namespace weir::match {

struct DistinctWindowOptions {
  base::Duration within;
  bool refresh = false;  // a duplicate starts its key's window anew
  std::size_t key_count_max = 10'000'000;
};

class DistinctWindow {
 public:
  explicit DistinctWindow(DistinctWindowOptions options) : options_(options) {}

  // True if the key is distinct now; it is then remembered.
  bool test_and_set(std::string_view key, base::Instant now);
  // True if the key is distinct now. Remembers nothing.
  bool test(std::string_view key, base::Instant now) const;

  // The keys with their ages, the same bytes for the same window. Layout:
  // docs/formats/checkpoint.md.
  void save(base::ByteWriter& writer) const;
  // Takes what save() wrote, and moves `latest` forward to the youngest key's instant. Malformed
  // bytes fail the reader, more than key_count_max keys the result. Requires an empty window; after
  // a failure it is of no use.
  base::Result<void> restore(base::ByteReader& reader, base::Instant& latest);

  std::size_t key_count() const { return seen_.size(); }
  std::uint64_t overflow_count() const { return overflow_count_; }

 private:
  // Ages hold the keys' own strings by reference: nodes of a map stay where they are.
  struct Seen {
    base::Instant at;
    const std::string* key;
  };
  using Ages = std::list<Seen>;

  void expire(base::Instant now);
  bool append(std::string_view key, base::Instant at);

  DistinctWindowOptions options_;
  Ages ages_;  // oldest first
  std::map<std::string, Ages::iterator, std::less<>> seen_;
  std::uint64_t overflow_count_ = 0;
};

}  // namespace weir::match
