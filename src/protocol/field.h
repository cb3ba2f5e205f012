// SPDX-License-Identifier: Apache-2.0
// Field: one member of a message, with its limits and its role in traces.
//
// A struct that travels lists its fields once, in the order of their bytes. The list yields the
// encoder and the decoder (codec.h) and the traced keys (catalogue/traced_keys.h):
//
//   struct Tell {
//     std::uint64_t number = 0;
//     Key key;
//     std::vector<Peer> successors;
//
//     static constexpr auto fields() {
//       return std::tuple{field(&Tell::number), field(&Tell::key).traced(),
//                         field(&Tell::successors).sized(0, kSuccessorsMax)};
//     }
//   };
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace weir::protocol {

// The largest hop count that a message can hold.
inline constexpr unsigned kHopCountMax = 65'535;

template <typename Struct, typename Value>
struct Field {
  Value Struct::* member;
  // Limits of a list (in elements) or a text (in bytes).
  std::size_t size_min = 0;
  std::size_t size_max = std::numeric_limits<std::size_t>::max();
  bool is_traced = false;     // a trace of these keys shows the message
  bool is_hop_count = false;  // a trace shows it; at most kHopCountMax
  bool may_be_user = false;   // an address that may be kUser, which means nobody

  constexpr Field sized(std::size_t least, std::size_t most) const {
    Field copy = *this;
    copy.size_min = least;
    copy.size_max = most;
    return copy;
  }
  // Value is a key, keys, an arc, items with keys, or a whole message with fields of its own.
  constexpr Field traced() const {
    Field copy = *this;
    copy.is_traced = true;
    return copy;
  }
  constexpr Field hop_count() const {
    Field copy = *this;
    copy.is_hop_count = true;
    return copy;
  }
  constexpr Field or_nobody() const {
    Field copy = *this;
    copy.may_be_user = true;
    return copy;
  }
};

template <typename Struct, typename Value>
constexpr Field<Struct, Value> field(Value Struct::* member) {
  return {.member = member};
}

}  // namespace weir::protocol
