// SPDX-License-Identifier: Apache-2.0
// SubscriptionMap: something small for each subscription, by its id.
//
// Ids are mostly given one after the other, so 32 values are kept side by side in a page, and the
// pages in a hash table: it is small, and quickly copied when it grows. Of values of four bytes,
// about six bytes per subscription where all of a page are in use, 150 where each has a page of its
// own. A page goes with its last subscription. References stay valid until the subscription goes.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/heap_bytes.h"
#include "match/matcher.h"

namespace weir::match {

template <typename Value>
class SubscriptionMap {
 public:
  // Null, and no change, if the subscription is there already.
  Value* add(SubscriptionId id, Value value) {
    Page& page = page_for(id.value / kPageSize);
    const std::uint32_t bit = bit_of(id);
    if ((page.used & bit) != 0) return nullptr;
    page.used |= bit;
    ++size_;
    return &(page.values[id.value % kPageSize] = std::move(value));
  }
  // Null if there is none.
  Value* find(SubscriptionId id) {
    const auto page = pages_.find(id.value / kPageSize);
    return page == pages_.end() ? nullptr : page->second->find(id);
  }
  const Value* find(SubscriptionId id) const {
    const auto page = pages_.find(id.value / kPageSize);
    return page == pages_.end() ? nullptr : page->second->find(id);
  }
  // For a find() some steps later.
  void prefetch(SubscriptionId id) const {
    const auto page = pages_.find(id.value / kPageSize);
    if (page != pages_.end()) __builtin_prefetch(&page->second->values[id.value % kPageSize]);
  }
  // Gives its value; nothing if there is none.
  std::optional<Value> remove(SubscriptionId id) {
    const auto page = pages_.find(id.value / kPageSize);
    if (page == pages_.end()) return std::nullopt;
    Value* const value = page->second->find(id);
    if (value == nullptr) return std::nullopt;
    std::optional<Value> removed(std::exchange(*value, Value()));
    --size_;
    page->second->used &= ~bit_of(id);
    if (page->second->used == 0) {
      if (page->second.get() == last_page_) last_page_ = nullptr;
      pages_.erase(page);
    }
    return removed;
  }
  // In no particular order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [number, page] : pages_) {
      for (std::size_t i = 0; i < kPageSize; ++i) {
        const SubscriptionId id{number * kPageSize + i};
        if (const Value* const value = page->find(id)) visit(id, *value);
      }
    }
  }

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const {
    return pages_.size() * base::heap_bytes(sizeof(Page)) + base::heap_bytes(pages_);
  }

 private:
  static constexpr std::size_t kPageSize = 32;
  static std::uint32_t bit_of(SubscriptionId id) {
    return std::uint32_t{1} << (id.value % kPageSize);
  }
  struct Page {
    std::array<Value, kPageSize> values{};
    std::uint32_t used = 0;  // a bit for each

    Value* find(SubscriptionId id) {
      return (used & bit_of(id)) == 0 ? nullptr : &values[id.value % kPageSize];
    }
  };
  using Pages = boost::unordered_flat_map<std::uint64_t, std::unique_ptr<Page>>;

  Page& page_for(std::uint64_t number) {
    if (last_page_ == nullptr || number != last_number_) {
      auto& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      last_page_ = page.get();
      last_number_ = number;
    }
    return *last_page_;
  }

  Pages pages_;  // by id / kPageSize
  // Where a subscription was added last; null: unknown.
  Page* last_page_ = nullptr;
  std::uint64_t last_number_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::match
