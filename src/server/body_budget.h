// SPDX-License-Identifier: Apache-2.0
// BodyBudget: how many bytes the bodies of all requests together may have. Any thread.
#pragma once

#include <atomic>
#include <cstddef>

namespace weir::server {

class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  std::size_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }

  // What one request holds of it; given back when it goes.
  class Share {
   public:
    explicit Share(BodyBudget& budget) : budget_(budget) {}
    ~Share() { clear(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Holds so many bytes, no fewer than before. False, and nothing changes, if they are not there.
    bool grow_to(std::size_t bytes) {
      const std::size_t more = bytes - bytes_;
      if (budget_.held_bytes_.fetch_add(more) + more > budget_.bytes_max_) {
        budget_.held_bytes_.fetch_sub(more);
        return false;
      }
      bytes_ = bytes;
      return true;
    }
    void clear() {
      budget_.held_bytes_.fetch_sub(bytes_);
      bytes_ = 0;
    }

   private:
    BodyBudget& budget_;
    std::size_t bytes_ = 0;
  };

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> held_bytes_ = 0;
};

}  // namespace weir::server
