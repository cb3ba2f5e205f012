// SPDX-License-Identifier: Apache-2.0
// FakeTokenAdmin: tokens for tests of the server, in memory. The secret of a token is its name and
// how often it was issued. The name "taken" is, and "wide" is beyond everybody's grants.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "broker/token_admin.h"

namespace weir::server {

class FakeTokenAdmin final : public broker::TokenAdmin {
 public:
  base::Result<broker::IssuedToken> create(const broker::Principal& admin,
                                           const broker::TokenRequest& request) override;
  base::Result<broker::IssuedToken> rotate(const broker::Principal& admin, std::string_view name,
                                           base::Duration overlap) override;
  base::Result<void> revoke(const broker::Principal& admin, std::string_view name) override;
  base::Result<broker::TokenInfo> get(const broker::Principal& admin,
                                      std::string_view name) override;
  base::Result<std::vector<broker::TokenInfo>> list(const broker::Principal& admin,
                                                    std::string_view after_name,
                                                    std::size_t count_max) override;

  std::thread::id last_thread() const;  // that made the last call
  base::Duration last_overlap() const;

 private:
  broker::IssuedToken issue(const broker::TokenInfo& info);  // requires mutex_

  mutable std::mutex mutex_;
  std::map<std::string, broker::TokenInfo, std::less<>> tokens_;
  int issued_count_ = 0;
  std::thread::id last_thread_;
  base::Duration last_overlap_;
};

}  // namespace weir::server
