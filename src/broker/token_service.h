// SPDX-License-Identifier: Apache-2.0
// TokenService: the tokens of a broker that runs. Keeps them as the registry has them, also when
// another process (`weir token`) writes there, and lets admins change them.
//
// A thread of its own looks several times a second whether another process has written to the
// registry, and whether an overlap of two secrets has ended.
//
// Threads: any. `changed` is called from any of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "broker/broker_options.h"
#include "broker/counters.h"
#include "broker/token_admin.h"
#include "broker/tokens.h"
#include "store/registry.h"

namespace weir::broker {

class TokenService final : public TokenAdmin {
 public:
  struct Context {
    const BrokerOptions& options;
    store::Registry& registry;
    Counters& counters;
    std::function<void(const TokenChanges&)> changed;  // some are gone
  };
  explicit TokenService(Context context) : context_(std::move(context)) {}
  ~TokenService() override { stop(); }
  TokenService(const TokenService&) = delete;
  TokenService& operator=(const TokenService&) = delete;

  // Reads all tokens again.
  base::Result<void> reload();
  // Begins and ends to watch the registry.
  void start();
  void stop();

  Tokens& tokens() { return tokens_; }
  const Tokens& tokens() const { return tokens_; }
  // Another number: a token or secret that was good may not be any more.
  std::uint64_t revision() const { return revision_; }
  // Rows that could not be read at the last reload().
  std::vector<base::Error> unreadable() const;

  base::Result<IssuedToken> create(const Principal& admin, const TokenRequest& request) override;
  base::Result<IssuedToken> rotate(const Principal& admin, std::string_view name,
                                   base::Duration overlap) override;
  base::Result<void> revoke(const Principal& admin, std::string_view name) override;
  base::Result<TokenInfo> get(const Principal& admin, std::string_view name) override;
  base::Result<std::vector<TokenInfo>> list(const Principal& admin, std::string_view after_name,
                                            std::size_t count_max) override;

 private:
  void watch(const std::stop_token& stop);
  void look();
  void tell(const TokenChanges& changes);
  base::Result<void> catch_up();
  base::Result<void> check_admin(const Principal& admin) const;
  base::Result<IssuedToken> issued(base::Result<NewToken> token);
  base::Result<store::TokenRow> row_of(std::string_view name);
  TokenInfo info_of(const store::TokenRow& row) const;

  Context context_;
  Tokens tokens_;
  std::atomic<std::uint64_t> revision_{0};
  std::atomic<bool> is_behind_{false};  // a change is written and could not be read yet
  mutable std::mutex mutex_;            // for what follows
  std::vector<base::Error> unreadable_;
  std::condition_variable_any woken_;
  std::jthread thread_;
};

}  // namespace weir::broker
