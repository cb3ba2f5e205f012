// SPDX-License-Identifier: Apache-2.0
#include "store/chunks.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/prng.h"

namespace weir::store {
namespace {

constexpr std::uint64_t kCutMask = std::uint64_t{0xFFFF} << 48U;

using Gear = std::array<std::uint64_t, 256>;

Gear make_gear() {
  Gear gear{};
  base::Prng prng(0x6368756E6B73);
  for (std::uint64_t& value : gear) value = prng.next();
  return gear;
}

// Each byte is shifted out of the hash after 64 more.
std::size_t next_cut(std::string_view bytes) {
  static const Gear kGear = make_gear();
  const std::size_t end = std::min(bytes.size(), kChunkBytesMax);
  std::uint64_t hash = 0;
  for (std::size_t i = kChunkBytesMin; i < end; ++i) {
    hash = (hash << 1U) + kGear[static_cast<std::uint8_t>(bytes[i])];
    if ((hash & kCutMask) == 0) return i + 1;
  }
  return end;
}

}  // namespace

std::vector<std::string_view> cut_chunks(std::string_view bytes) {
  std::vector<std::string_view> chunks;
  while (!bytes.empty()) {
    const std::size_t cut = next_cut(bytes);
    chunks.push_back(bytes.substr(0, cut));
    bytes.remove_prefix(cut);
  }
  return chunks;
}

std::string chunk_name(std::string_view chunk) {
  base::ByteWriter writer;
  writer.u64(base::hash_bytes(chunk, 1));
  writer.u64(base::hash_bytes(chunk, 2));
  return writer.take();
}

}  // namespace weir::store
