// SPDX-License-Identifier: Apache-2.0
#include "match/distinct_window.h"

#include <fmt/format.h>

#include "match/bloom_window.h"
#include "match/exact_window.h"
#include "match/verified_window.h"

namespace weir::match {

std::unique_ptr<DistinctWindow> make_distinct_window(const DistinctWindowOptions& options) {
  switch (options.mode) {
    case DistinctMode::kApproximate:
      return std::make_unique<BloomWindow>(options);
    case DistinctMode::kVerified:
      return std::make_unique<VerifiedWindow>(options);
    case DistinctMode::kExact:
      break;
  }
  return std::make_unique<ExactWindow>(options);
}

base::Error too_many_keys(std::uint64_t key_count, std::uint64_t key_count_max) {
  return {base::ErrorId::kStoreCorrupt,
          fmt::format("the distinct window has {} keys, the limit is {}", key_count, key_count_max),
          std::nullopt};
}

std::optional<std::uint64_t> distinct_bytes_max(const DistinctWindowOptions& options) {
  return make_distinct_window(options)->stats().memory_bytes_max;
}

}  // namespace weir::match
