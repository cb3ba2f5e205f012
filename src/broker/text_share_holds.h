// SPDX-License-Identifier: Apache-2.0
// TextShareHolds: counts the memory of the scores that the deliveries of one event share, once for
// each account that holds some of these deliveries.
//
// A hold counts until the last delivery that has it is settled. Single-threaded.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/heap_bytes.h"
#include "base/memory_account.h"
#include "match/text_finding.h"

namespace weir::broker {

class TextShareHolds {
 public:
  // Null if there is no text, or nobody counts.
  std::shared_ptr<const void> hold(const match::TextFinding& text,
                                   const base::MemoryAccount::Ptr& account) {
    if (!text || !account) return nullptr;
    Hold& known = holds_[{text.shares.get(), account.get()}];
    if (!known.charge) {
      known.shares = text.shares;
      known.charge = std::make_shared<base::MemoryCharge>(account);
      known.charge->grow(bytes_of(*text.shares));
    }
    return known.charge;
  }
  // The next deliveries are of other events.
  void clear() { holds_.clear(); }

  static std::size_t bytes_of(const match::TextShares& shares) {
    constexpr std::size_t kNodeBytes = 48;
    std::size_t bytes = base::heap_bytes(sizeof(shares) + 2 * sizeof(void*));
    for (const auto& [term, score] : shares.terms) {
      bytes += kNodeBytes + sizeof(std::string) + sizeof(score) + base::heap_bytes(term);
    }
    return bytes;
  }

 private:
  struct Hold {
    std::shared_ptr<const match::TextShares> shares;  // so that nothing else has its address
    std::shared_ptr<base::MemoryCharge> charge;
  };
  std::map<std::pair<const void*, const void*>, Hold> holds_;
};

}  // namespace weir::broker
