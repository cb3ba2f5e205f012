// SPDX-License-Identifier: Apache-2.0
#include "protocol/ring.h"

#include <openssl/evp.h>

#include <array>
#include <cstddef>

#include "base/check.h"

namespace weir::protocol {

Ring::Ring(unsigned bits) : bits_(bits), mask_(~std::uint64_t{0} >> (kRingBitsMax - bits)) {
  WEIR_CHECK(bits >= 1 && bits <= kRingBitsMax);
}

Key Ring::key_of(std::string_view name) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  WEIR_CHECK(EVP_Digest(name.data(), name.size(), digest.data(), nullptr, EVP_sha1(), nullptr) ==
             1);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < sizeof first; ++i) first = first << 8U | digest[i];
  return {first >> (kRingBitsMax - bits_)};
}

bool Ring::contains(KeyArc arc, Key key) const {
  if (arc.after == arc.last) return true;
  const std::uint64_t steps = distance(arc.after, key);
  return steps > 0 && steps <= distance(arc.after, arc.last);
}

bool Ring::is_between(Key from, Key key, Key to) const {
  const std::uint64_t steps = distance(from, key);
  if (from == to) return steps > 0;
  return steps > 0 && steps < distance(from, to);
}

}  // namespace weir::protocol
