// SPDX-License-Identifier: Apache-2.0
// Any bytes as a saved filter are refused, or saved back as they are, and the filter goes on from
// them. The first byte tells whether the rest is a body whose frame is put right.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "bloom/bloom_testing.h"
#include "bloom/frame_testing.h"
#include "bloom/generational_bloom.h"

namespace {

using weir::bloom::GenerationalBloom;

// So that what a few bytes claim is quickly made.
constexpr std::uint64_t kBucketCountMax = 300;
constexpr std::uint8_t kIsBody = 0x80;

void go_on(GenerationalBloom& filter) {
  weir::base::Instant now = filter.now();
  const weir::base::Duration step{filter.options().within.nanoseconds / 5};
  for (const std::uint64_t key : weir::bloom::random_keys(1, 20)) {
    filter.first_test_then_set(key, now);
    WEIR_CHECK(!filter.test(key, now));
    WEIR_CHECK(filter.false_positives() >= 0 && filter.false_positives() <= 1);
    now = now + step;
  }
  filter.set(1, {std::numeric_limits<std::int64_t>::max()}, {0});
  filter.advance({std::numeric_limits<std::int64_t>::min()});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(data + 1, data + size);
  if ((data[0] & kIsBody) != 0) bytes = framed(weir::bloom::FrameKind::kGenerational, bytes);
  auto filter = GenerationalBloom::restore(bytes, kBucketCountMax);
  if (!filter) {
    WEIR_CHECK(filter.error().id == weir::base::ErrorId::kStoreCorrupt);
    return 0;
  }
  WEIR_CHECK(filter->save() == bytes);
  go_on(*filter);
  const std::string later = filter->save();
  const auto again = GenerationalBloom::restore(later, kBucketCountMax);
  WEIR_CHECK(again.has_value() && again->save() == later);
  return 0;
}
