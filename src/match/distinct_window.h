// SPDX-License-Identifier: Apache-2.0
// DistinctWindow: which keys were seen within a sliding window of time.
//
//   exact         keeps the keys; ends exactly after the window         about 140 bytes per key
//   approximate   an ElasticBloom; ends at most a seventh later, and    3 to 15 bytes per key
//                 calls a distinct key seen with at most the
//                 probability asked for
//   verified      keeps hashes and where the events stand in a log;     about 60 bytes per key
//                 a key is called seen only if the event there has it
//
// Bounded: beyond key_count_max keys alive, or without room in the memory account, a new one is let
// through and not remembered, and counted; nothing distinct is dropped for lack of room. Instants
// must not go back. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/memory_account.h"
#include "base/result.h"

namespace weir::match {

enum class DistinctMode : std::uint8_t { kExact, kApproximate, kVerified };

struct DistinctWindowOptions {
  base::Duration within;
  bool refresh = false;  // a duplicate starts its key's window anew
  std::size_t key_count_max = 10'000'000;
  DistinctMode mode = DistinctMode::kExact;
  double false_positives_max = 1e-6;  // approximate
  std::uint64_t seed = 0;             // of hashes; who knows it can make keys collide
  // Verified: whether the event of that sequence has this key; false also if it is gone.
  std::function<bool(std::uint64_t sequence, std::string_view key)> confirm = {};
  base::MemoryAccount::Ptr memory = {};  // null: it may take what it wants

  bool has_memory() const { return !memory || !memory->is_exhausted(); }
};

struct DistinctStats {
  std::uint64_t key_count = 0;  // alive
  std::uint64_t key_count_max = 0;
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> memory_bytes_max = {};  // none: keys may be of any length
  std::uint64_t hits = 0;                              // keys called seen
  std::uint64_t refuted_hits = 0;                      // that a log did not confirm
  std::uint64_t overflow = 0;                          // keys let through for lack of room

  bool operator==(const DistinctStats&) const = default;
};

class DistinctWindow {
 public:
  virtual ~DistinctWindow() = default;
  virtual DistinctMode mode() const = 0;

  // True if the key is distinct now; it is then remembered, with the place of its event in the log.
  virtual bool test_and_set(std::string_view key, base::Instant now, std::uint64_t sequence) = 0;
  // True if the key is distinct now. Remembers nothing.
  virtual bool test(std::string_view key, base::Instant now) const = 0;
  // The key is distinct again. True if it was remembered.
  virtual base::Result<bool> forget(std::string_view key, base::Instant now) = 0;

  // The keys with their ages, the same bytes for the same window. Layout:
  // docs/formats/checkpoint.md.
  virtual void save(base::ByteWriter& writer) const = 0;
  // Takes what save() of a window of this mode, span and refreshing wrote, goes on with its seed
  // and its bounds, and moves `latest` forward to the youngest key's instant. Malformed bytes fail
  // the reader; the result fails where there is more to say. Requires an empty window; after a
  // failure it is of no use.
  virtual base::Result<void> restore(base::ByteReader& reader, base::Instant& latest) = 0;

  virtual DistinctStats stats() const = 0;
};

std::unique_ptr<DistinctWindow> make_distinct_window(const DistinctWindowOptions& options);

// A saved window that has more keys than it may have.
base::Error too_many_keys(std::uint64_t key_count, std::uint64_t key_count_max);

// The most that a window will take; none for an exact one.
std::optional<std::uint64_t> distinct_bytes_max(const DistinctWindowOptions& options);

}  // namespace weir::match
