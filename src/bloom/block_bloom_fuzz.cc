// SPDX-License-Identifier: Apache-2.0
// Any bytes as a saved filter are refused, or saved back as they are, and the filter goes on from
// them. The first byte tells whether the rest is a body whose frame is put right.
#include <cstddef>
#include <cstdint>
#include <string>

#include "bloom/block_bloom.h"
#include "bloom/bloom_testing.h"
#include "bloom/frame_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using weir::bloom::BlockBloom;
  constexpr std::uint8_t kIsBody = 0x80;
  if (size == 0) return 0;
  std::string bytes(data + 1, data + size);
  if ((data[0] & kIsBody) != 0) bytes = framed(weir::bloom::FrameKind::kBlock, bytes);
  auto filter = weir::bloom::restored_or_refused<BlockBloom>(bytes);
  if (!filter) return 0;
  for (const std::uint64_t key : weir::bloom::random_keys(1, 20)) {
    filter->set(key);
    WEIR_CHECK(!filter->test(key));
  }
  WEIR_CHECK(weir::bloom::restored_or_refused<BlockBloom>(filter->save()).has_value());
  return 0;
}
