// SPDX-License-Identifier: Apache-2.0
#include "server/authenticator.h"

#include <functional>
#include <utility>

#include "broker/token_text.h"

namespace weir::server {
namespace {

constexpr std::size_t kTextsPerLookupMax = 8;

}  // namespace

using Answer = base::Result<broker::PrincipalPtr>;

Task<Answer> Authenticator::authenticate(std::string token) {
  Answer answer = co_await find(token);
  if (!answer && answer.error().id == base::ErrorId::kBrokerUnauthenticated) {
    metrics_.count_refused_token();
  }
  co_return answer;
}

Task<Answer> Authenticator::find(const std::string& token) {
  if (auto known = broker_.recall(token)) co_return *std::move(known);
  const auto parts = broker::split_token(token);
  const std::string lookup(parts ? parts->lookup : std::string_view());
  const std::uint64_t text_hash = base::hash_bytes(token);
  if (!enter(lookup, text_hash)) {
    metrics_.count_limit(Limit::kAuthenticationQueue);
    co_return base::Error{base::ErrorId::kBrokerBusy,
                          "too many requests wait with this token; try again later", std::nullopt};
  }
  std::function<Answer()> call = [this, &token] { return broker_.authenticate(token); };
  Answer answer = co_await slow_calls_.run<broker::PrincipalPtr>(std::move(call));
  leave(lookup, text_hash);
  co_return answer;
}

bool Authenticator::enter(const std::string& lookup, std::uint64_t text_hash) {
  const std::lock_guard lock(mutex_);
  auto& texts = waiting_[lookup];
  if (texts.size() >= kTextsPerLookupMax && !texts.contains(text_hash)) return false;
  ++texts[text_hash];
  return true;
}

void Authenticator::leave(const std::string& lookup, std::uint64_t text_hash) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(lookup);
  const auto text = found->second.find(text_hash);
  if (--text->second == 0) found->second.erase(text);
  if (found->second.empty()) waiting_.erase(found);
}

}  // namespace weir::server
