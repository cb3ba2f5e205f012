// SPDX-License-Identifier: Apache-2.0
// Any bytes as a saved window are refused, or saved back as they are, and the window goes on from
// them. The first byte tells whether the rest is a body whose frame is put right.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "bloom/bloom_testing.h"
#include "bloom/elastic_bloom.h"
#include "bloom/frame_testing.h"

namespace {

using weir::bloom::ElasticBloom;

constexpr std::uint8_t kIsBody = 0x80;
const weir::bloom::ElasticOptions kOptions = {.within = {70'000}, .refresh = true};

void go_on(ElasticBloom& window) {
  weir::base::Instant now = window.now();
  for (const std::uint64_t key : weir::bloom::random_keys(1, 300)) {
    window.first_test_then_set(key, now);
    now = now + weir::base::Duration{50};
  }
  static_cast<void>(window.forget(weir::bloom::random_keys(1, 1)[0], now));
  WEIR_CHECK(window.memory_bytes() <= window.memory_bytes_max());
  window.first_test_then_set(1, {std::numeric_limits<std::int64_t>::max()});
  window.first_test_then_set(1, {std::numeric_limits<std::int64_t>::min()});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(data + 1, data + size);
  if ((data[0] & kIsBody) != 0) bytes = framed(weir::bloom::FrameKind::kElastic, bytes);
  auto window = ElasticBloom::restore(kOptions, bytes);
  if (!window) {
    WEIR_CHECK(window.error().id == weir::base::ErrorId::kStoreCorrupt);
    return 0;
  }
  WEIR_CHECK(window->save() == bytes);
  go_on(*window);
  const std::string later = window->save();
  const auto again = ElasticBloom::restore(kOptions, later);
  WEIR_CHECK(again.has_value() && again->save() == later);
  return 0;
}
