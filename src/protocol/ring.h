// SPDX-License-Identifier: Apache-2.0
// Ring: identifiers modulo 2^m, their distances and the arcs between them, clockwise.
//
// The place of a member or a key is the first m bits of its SHA-1. The home of a key is the first
// member at or after it. m is 64; tests also use rings that are small enough to try everything.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field.h"

namespace weir::protocol {

struct Key {
  std::uint64_t value = 0;

  auto operator<=>(const Key&) const = default;
};

// The keys after `after` up to and including `last`, clockwise; the whole ring if both are equal.
struct KeyArc {
  Key after;
  Key last;

  auto operator<=>(const KeyArc&) const = default;

  static constexpr auto fields() { return std::tuple{field(&KeyArc::after), field(&KeyArc::last)}; }
};

inline constexpr unsigned kRingBitsMax = 64;

class Ring {
 public:
  // Requires 1 <= bits <= kRingBitsMax.
  explicit Ring(unsigned bits = kRingBitsMax);

  unsigned bits() const { return bits_; }  // m in the paper
  std::uint64_t mask() const { return mask_; }
  bool has(Key key) const { return key.value <= mask_; }

  // Returns the first m bits of the SHA-1 of a name.
  Key key_of(std::string_view name) const;

  Key plus(Key key, std::uint64_t steps) const { return {(key.value + steps) & mask_}; }
  // Returns the steps clockwise from one key to the other; 0 if they are equal.
  std::uint64_t distance(Key from, Key to) const { return (to.value - from.value) & mask_; }
  bool contains(KeyArc arc, Key key) const;
  // True if the key lies strictly between both ends, clockwise. If the ends are equal, every other
  // key does.
  bool is_between(Key from, Key key, Key to) const;

 private:
  unsigned bits_;
  std::uint64_t mask_;
};

}  // namespace weir::protocol
