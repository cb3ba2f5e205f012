// SPDX-License-Identifier: Apache-2.0
// Quota: how many subscriptions each owner may have, and all together. Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"

namespace weir::broker {

class Quota : public std::enable_shared_from_this<Quota> {
 public:
  struct Limits {
    std::size_t total_max = 0;
    std::size_t per_owner_max = 0;
  };
  explicit Quota(Limits limits) : limits_(limits) {}

  // A place that counts until its last holder lets it go; kBrokerTooManySubscriptions if there is
  // none left.
  base::Result<std::shared_ptr<const void>> take(const std::string& owner);
  // A place instead of one that another owner has: only the limit of the new owner counts.
  base::Result<std::shared_ptr<const void>> take_over(const std::string& owner);
  // The same without asking whether there is one left.
  std::shared_ptr<const void> take_anyway(const std::string& owner);

 private:
  // These require mutex_.
  std::size_t owned_by(const std::string& owner) const;
  std::shared_ptr<const void> add(const std::string& owner);
  void give_back(const std::string& owner);

  Limits limits_;
  std::mutex mutex_;
  std::map<std::string, std::size_t> counts_;
  std::size_t total_ = 0;
};

}  // namespace weir::broker
