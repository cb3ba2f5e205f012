// SPDX-License-Identifier: Apache-2.0
// CostTable: what a protocol costs, for each kind of message.
//
// A message that is relayed, or split on its way to several homes, counts once as a message and
// with every hop and its bytes.
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
  // One message that the runtime brings to this many members.
  void add(MessageKind kind, std::size_t hop_count, std::size_t bytes);
  void add(DropReason reason) { ++drops_[static_cast<std::size_t>(reason)]; }

  const Cost& of(MessageKind kind) const;
  std::uint64_t dropped(DropReason reason) const {
    return drops_[static_cast<std::size_t>(reason)];
  }
  Cost total() const;
  // The kinds that cost something, in their order.
  std::vector<MessageKind> kinds() const;

 private:
  std::vector<Cost> costs_;  // by protocol, then by kind
  std::array<std::uint64_t, kDropReasonCount> drops_{};
};

}  // namespace weir::protocol
