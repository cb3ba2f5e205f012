// SPDX-License-Identifier: Apache-2.0
// BodyBudget: how many bytes the bodies of all requests together may have, and those of one owner.
//
// An owner may hold as much as is left for all others, and always one body of the longest kind.
// One owner that sends bodies and never ends them gets half of the budget, two get a third each: n
// of them leave an (n+1)th part to everybody else, without a setting. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace weir::server {

class BodyBudget {
 public:
  struct Options {
    std::size_t bytes_max = 0;       // of all bodies
    std::size_t body_bytes_max = 0;  // of one body
  };
  explicit BodyBudget(Options options) : options_(options) {}

  std::size_t held_bytes() const {
    const std::scoped_lock lock(mutex_);
    return held_bytes_;
  }

  // What one request holds of it; given back when it goes.
  class Share {
   public:
    explicit Share(BodyBudget& budget) : budget_(budget) {}
    ~Share() { clear(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Holds so many bytes, no fewer than before, in the owner's name. False, and nothing changes,
    // if they are not there. The owner stays the same until clear().
    bool grow_to(std::size_t bytes, std::string_view owner) {
      if (bytes == bytes_) return true;
      if (bytes_ == 0) owner_ = owner;
      if (!budget_.take(bytes - bytes_, owner_)) return false;
      bytes_ = bytes;
      return true;
    }
    void clear() {
      if (bytes_ > 0) budget_.give_back(bytes_, owner_);
      bytes_ = 0;
    }

   private:
    BodyBudget& budget_;
    std::string owner_;
    std::size_t bytes_ = 0;
  };

 private:
  bool take(std::size_t bytes, const std::string& owner) {
    const std::scoped_lock lock(mutex_);
    if (bytes > options_.bytes_max - held_bytes_) return false;
    const auto found = by_owner_.find(owner);
    const std::size_t owned_bytes = (found == by_owner_.end() ? 0 : found->second) + bytes;
    const std::size_t left_bytes = options_.bytes_max - held_bytes_ - bytes;
    if (owned_bytes > std::max(left_bytes, options_.body_bytes_max)) return false;
    by_owner_[owner] = owned_bytes;
    held_bytes_ += bytes;
    return true;
  }

  void give_back(std::size_t bytes, const std::string& owner) {
    const std::scoped_lock lock(mutex_);
    held_bytes_ -= bytes;
    const auto found = by_owner_.find(owner);
    found->second -= bytes;
    if (found->second == 0) by_owner_.erase(found);
  }

  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t, std::less<>> by_owner_;
  std::size_t held_bytes_ = 0;
};

}  // namespace weir::server
