// SPDX-License-Identifier: Apache-2.0
// Any bytes as a saved filter are refused, or saved back as they are, and the filter goes on from
// them. The first byte picks the stages and tells whether the rest is a body whose frame is put
// right.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "bloom/bloom_testing.h"
#include "bloom/frame_testing.h"
#include "bloom/growing_bloom.h"

namespace {

using weir::bloom::ClassicBloom;
using weir::bloom::GrowingBloom;
using weir::bloom::TimerBloom;

constexpr std::size_t kKeyCount = 20;
constexpr std::uint8_t kIsBody = 0x80;
constexpr std::uint8_t kIsTimed = 0x01;

void go_on(GrowingBloom<ClassicBloom>& filter) {
  for (const std::uint64_t key : weir::bloom::random_keys(1, kKeyCount)) {
    filter.set(key);
    WEIR_CHECK(!filter.test(key));
  }
}

void go_on(GrowingBloom<TimerBloom>& filter) {
  weir::base::Instant now = filter.stage(0).latest();
  const weir::base::Duration tick = filter.stage(0).options().tick;
  for (const std::uint64_t key : weir::bloom::random_keys(1, kKeyCount)) {
    filter.set(key, now);
    WEIR_CHECK(!filter.test(key, now));
    now = now + tick;
  }
  filter.advance({std::numeric_limits<std::int64_t>::max()});
  filter.advance({0});
}

template <typename Filter>
void try_bytes(const std::string& bytes) {
  auto filter = weir::bloom::restored_or_refused<Filter>(bytes);
  if (!filter) return;
  go_on(*filter);
  WEIR_CHECK(filter->stage_count() <= filter->options().stage_count_max);
  WEIR_CHECK(weir::bloom::restored_or_refused<Filter>(filter->save()).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(data + 1, data + size);
  if ((data[0] & kIsBody) != 0) bytes = framed(weir::bloom::FrameKind::kGrowing, bytes);
  if ((data[0] & kIsTimed) != 0) {
    try_bytes<GrowingBloom<TimerBloom>>(bytes);
  } else {
    try_bytes<GrowingBloom<ClassicBloom>>(bytes);
  }
  return 0;
}
