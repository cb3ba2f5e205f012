// SPDX-License-Identifier: Apache-2.0
// Chunks: bytes cut where their content says so, so that a part that stays the same is cut into the
// same chunks wherever it stands.
//
// For states that are saved again and again, of which most stays as it is: only chunks that are new
// are written. A cut is made where a rolling hash of the last 64 bytes has 16 zero bits, in any
// chunk of 16 to 256 KiB, 80 KiB on average. About 1 ns per byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::store {

inline constexpr std::size_t kChunkBytesMin = std::size_t{16} << 10U;
inline constexpr std::size_t kChunkBytesMax = std::size_t{256} << 10U;

// Views into the bytes, in order; none of no bytes.
std::vector<std::string_view> cut_chunks(std::string_view bytes);

// The name of a chunk: 16 bytes of hash. Two chunks of one name are taken for the same.
inline constexpr std::size_t kChunkNameBytes = 16;
std::string chunk_name(std::string_view chunk);

}  // namespace weir::store
