// SPDX-License-Identifier: Apache-2.0
// CostTable: messages, hops and bytes of a protocol, for each kind of message.
//
// A message that is relayed, or split on its way to several homes, counts as one message, with all
// its hops and the bytes of each hop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/effects.h"

namespace weir::protocol {

struct Cost {
  std::uint64_t message_count = 0;
  std::uint64_t hop_count = 0;
  std::uint64_t bytes = 0;
};

class CostTable {
 public:
  CostTable();

  void add(const Send& send);
  // Counts one message that the runtime brings to this many members.
  void add(MessageKind kind, std::size_t hop_count, std::size_t bytes);
  void add(DropReason reason) { ++drops_[static_cast<std::size_t>(reason)]; }

  const Cost& of(MessageKind kind) const;
  std::uint64_t dropped(DropReason reason) const {
    return drops_[static_cast<std::size_t>(reason)];
  }
  Cost total() const;
  // Returns the kinds that were counted, ascending.
  std::vector<MessageKind> kinds() const;

 private:
  std::vector<Cost> costs_;  // by protocol, then by kind
  std::array<std::uint64_t, kDropReasonCount> drops_{};
};

}  // namespace weir::protocol
