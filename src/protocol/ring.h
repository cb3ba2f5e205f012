// SPDX-License-Identifier: Apache-2.0
// Ring: identifiers modulo 2^m, and what lies between two of them clockwise.
//
// Members and keys have their place on it by SHA-1, whose first m bits are the identifier. A key's
// home is the first member at or after it. m is 64 unless a test wants a ring small enough to try
// everything.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace weir::protocol {

struct Key {
  std::uint64_t value = 0;

  auto operator<=>(const Key&) const = default;
};

// The keys after `after` up to and with `last`, clockwise; the whole ring if the two are equal.
struct KeyArc {
  Key after;
  Key last;

  auto operator<=>(const KeyArc&) const = default;
};

inline constexpr unsigned kRingBitsMax = 64;

class Ring {
 public:
  // Requires 1 <= bits <= kRingBitsMax.
  explicit Ring(unsigned bits = kRingBitsMax);

  unsigned bits() const { return bits_; }  // m in the paper
  std::uint64_t mask() const { return mask_; }
  bool has(Key key) const { return key.value <= mask_; }

  // The identifier of a name: the first m bits of its SHA-1.
  Key key_of(std::string_view name) const;

  Key plus(Key key, std::uint64_t steps) const { return {(key.value + steps) & mask_}; }
  // Steps clockwise from one to the other, 0 if they are the same.
  std::uint64_t distance(Key from, Key to) const { return (to.value - from.value) & mask_; }
  bool contains(KeyArc arc, Key key) const;
  // Strictly between the two, clockwise; everything but `from` if they are the same.
  bool is_between(Key from, Key key, Key to) const;

 private:
  unsigned bits_;
  std::uint64_t mask_;
};

}  // namespace weir::protocol
