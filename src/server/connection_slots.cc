// SPDX-License-Identifier: Apache-2.0
#include "server/connection_slots.h"

namespace weir::server {
namespace {

constexpr std::size_t kRefusalCountMax = 64;

}  // namespace

ConnectionSlots::Slot ConnectionSlots::take(const std::string& address) {
  const std::lock_guard lock(mutex_);
  if (count_ >= options_.connection_count_max) {
    metrics_.count_limit(Limit::kConnectionCount);
    return nullptr;
  }
  if (options_.connections_per_address_max > 0) {
    std::size_t& of_address = by_address_[address];
    if (of_address >= options_.connections_per_address_max) {
      metrics_.count_limit(Limit::kConnectionsPerAddress);
      return nullptr;
    }
    ++of_address;
  }
  ++count_;
  return {this, [address](void* slots) { static_cast<ConnectionSlots*>(slots)->free(address); }};
}

ConnectionSlots::Slot ConnectionSlots::take_for_refusal() {
  const std::lock_guard lock(mutex_);
  if (refusal_count_ >= kRefusalCountMax) return nullptr;
  ++refusal_count_;
  return {this, [](void* pointer) {
            auto* const slots = static_cast<ConnectionSlots*>(pointer);
            const std::lock_guard free_lock(slots->mutex_);
            --slots->refusal_count_;
          }};
}

void ConnectionSlots::free(const std::string& address) {
  const std::lock_guard lock(mutex_);
  --count_;
  const auto found = by_address_.find(address);
  if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
}

}  // namespace weir::server
