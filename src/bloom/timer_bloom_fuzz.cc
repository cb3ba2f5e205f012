// SPDX-License-Identifier: Apache-2.0
// Any bytes as a saved filter are refused, or saved back as they are, and the filter goes on from
// them. The first byte tells whether the rest is a body whose frame is put right.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "bloom/bloom_testing.h"
#include "bloom/frame_testing.h"
#include "bloom/timer_bloom.h"

namespace {

using weir::bloom::TimerBloom;

constexpr std::size_t kKeyCount = 20;
constexpr std::uint8_t kIsBody = 0x80;

void go_on(TimerBloom& filter) {
  const std::int64_t begin = filter.latest().nanoseconds / 2;
  const std::int64_t step = filter.options().tick.nanoseconds;
  weir::base::Instant now = filter.latest();
  for (const std::uint64_t key : weir::bloom::random_keys(1, kKeyCount)) {
    filter.set(key, now);
    WEIR_CHECK(filter.equal_count(key, now) == filter.shape().probe_count);
    WEIR_CHECK(!filter.test(key, now));
    filter.first_test_then_set(key + 1, now, {begin});
    WEIR_CHECK(filter.live_cell_count() <= filter.shape().cell_count);
    now = now + weir::base::Duration{step};
  }
  filter.advance({std::numeric_limits<std::int64_t>::max()});
  filter.advance({0});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(data + 1, data + size);
  if ((data[0] & kIsBody) != 0) bytes = framed(weir::bloom::FrameKind::kTimer, bytes);
  auto filter = weir::bloom::restored_or_refused<TimerBloom>(bytes);
  if (!filter) return 0;
  go_on(*filter);
  WEIR_CHECK(weir::bloom::restored_or_refused<TimerBloom>(filter->save()).has_value());
  return 0;
}
