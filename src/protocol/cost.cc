// SPDX-License-Identifier: Apache-2.0
#include "protocol/cost.h"

#include "base/check.h"

namespace weir::protocol {

namespace {

std::size_t index_of(MessageKind kind) {
  WEIR_CHECK(kind.number < kMessageKindsMax);
  return (static_cast<std::size_t>(kind.protocol) * kMessageKindsMax) + kind.number;
}

MessageKind kind_at(std::size_t index) {
  return {.protocol = static_cast<ProtocolId>(index / kMessageKindsMax),
          .number = static_cast<std::uint8_t>(index % kMessageKindsMax)};
}

}  // namespace

CostTable::CostTable() : costs_((kProtocolCount + 1) * kMessageKindsMax) {}

void CostTable::add(const Send& send) {
  Cost& cost = costs_[index_of(send.kind)];
  cost.message_count += send.is_relay ? 0 : 1;
  ++cost.hop_count;
  cost.bytes += send.bytes.size();
}

void CostTable::add(MessageKind kind, std::size_t hop_count, std::size_t bytes) {
  Cost& cost = costs_[index_of(kind)];
  ++cost.message_count;
  cost.hop_count += hop_count;
  cost.bytes += hop_count * bytes;
}

const Cost& CostTable::of(MessageKind kind) const { return costs_[index_of(kind)]; }

Cost CostTable::total() const {
  Cost total;
  for (const Cost& cost : costs_) {
    total.message_count += cost.message_count;
    total.hop_count += cost.hop_count;
    total.bytes += cost.bytes;
  }
  return total;
}

std::vector<MessageKind> CostTable::kinds() const {
  std::vector<MessageKind> kinds;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    if (costs_[i].message_count + costs_[i].hop_count > 0) kinds.push_back(kind_at(i));
  }
  return kinds;
}

}  // namespace weir::protocol
