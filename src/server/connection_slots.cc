// SPDX-License-Identifier: Apache-2.0
#include "server/connection_slots.h"

#include <algorithm>
#include <utility>

namespace weir::server {
namespace {

// By what connections of one host are counted.
std::string key_of(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string();
}

}  // namespace

void ConnectionSlots::Reserved::on_taken(std::function<void()> close) {
  const std::lock_guard lock(mutex_);
  if (is_taken_) {
    close();
  } else {
    close_ = std::move(close);
  }
}

void ConnectionSlots::Reserved::take_away() {
  const std::lock_guard lock(mutex_);
  is_taken_ = true;
  if (close_) std::exchange(close_, nullptr)();
}

ConnectionSlots::Slot ConnectionSlots::take(const asio::ip::address& address) {
  const std::lock_guard lock(mutex_);
  if (count_ >= options_.connection_count_max) {
    metrics_.count_limit(Limit::kConnectionCount);
    return nullptr;
  }
  std::string key = key_of(address);
  if (options_.connections_per_address_max > 0) {
    std::size_t& of_address = by_address_[key];
    if (of_address >= options_.connections_per_address_max) {
      metrics_.count_limit(Limit::kConnectionsPerAddress);
      return nullptr;
    }
    ++of_address;
  }
  ++count_;
  return {this,
          [key = std::move(key)](void* slots) { static_cast<ConnectionSlots*>(slots)->free(key); }};
}

void ConnectionSlots::free(const std::string& address) {
  const std::lock_guard lock(mutex_);
  --count_;
  const auto found = by_address_.find(address);
  if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
}

std::shared_ptr<ConnectionSlots::Reserved> ConnectionSlots::reserve(
    const asio::ip::address& address) {
  const auto reserved = std::make_shared<Reserved>();
  std::shared_ptr<Reserved> loser;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(places_, [](const Place& place) { return place.reserved.expired(); });
    if (places_.size() >= kReservedCount) loser = make_room();
    places_.push_back({.address = key_of(address), .reserved = reserved});
  }
  if (loser) loser->take_away();
  return reserved;
}

// The oldest place of the address that has most, which is removed. Requires mutex_ and a place.
std::shared_ptr<ConnectionSlots::Reserved> ConnectionSlots::make_room() {
  std::map<std::string, std::size_t> counts;
  for (const Place& place : places_) ++counts[place.address];
  const auto crowd =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  const auto found = std::ranges::find(places_, crowd->first, &Place::address);
  auto loser = found->reserved.lock();
  places_.erase(found);
  return loser;
}

}  // namespace weir::server
