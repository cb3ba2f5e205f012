// SPDX-License-Identifier: Apache-2.0
// Any bytes as a compressed filter are refused, or compressed back to the same bytes. The first
// byte tells whether the rest is a body whose head and checksum are put right, or all of the bytes,
// or the cells of a filter that comes back from its compressed form.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "bloom/compressed_bloom.h"
#include "bloom/frame.h"

namespace {

using weir::bloom::ClassicBloom;

constexpr std::uint64_t kCellCountMax = std::uint64_t{1} << 16;

void try_bytes(const std::string& bytes) {
  const auto filter = weir::bloom::decompress(bytes, kCellCountMax);
  if (!filter) {
    WEIR_CHECK(filter.error().id == weir::base::ErrorId::kStoreCorrupt);
    return;
  }
  WEIR_CHECK(filter->shape().cell_count <= kCellCountMax);
  WEIR_CHECK(weir::bloom::compress(*filter) == bytes);
}

void try_body(const std::string& body) {
  weir::base::ByteWriter writer = weir::bloom::begin_frame(weir::bloom::FrameKind::kCompressed);
  writer.raw(body);
  try_bytes(weir::bloom::finish_frame(std::move(writer)));
}

void try_cells(const std::string& cells) {
  ClassicBloom filter({cells.size() * 8 + 1, 3});
  for (std::size_t i = 0; i < cells.size() * 8; ++i) {
    if ((static_cast<unsigned char>(cells[i / 8]) >> (i % 8) & 1U) != 0) filter.set_cell(i);
  }
  const auto back = weir::bloom::decompress(weir::bloom::compress(filter));
  WEIR_CHECK(back.has_value() && *back == filter);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(data + 1, data + size);
  switch (data[0] % 3) {
    case 0:
      try_bytes(bytes);
      break;
    case 1:
      try_body(bytes);
      break;
    default:
      try_cells(bytes);
  }
  return 0;
}
