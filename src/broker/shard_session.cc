// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "broker/shard.h"

namespace weir::broker {
namespace {

// Twice what a consumer can have in flight by default limits.
constexpr std::size_t kUnheardAnswerCountMax = 20'000;

}  // namespace

void ShardSession::add_credit(std::uint64_t delivery_count) { say({.credit = delivery_count}); }

void ShardSession::acknowledge(std::uint64_t number) { say({.acknowledged = number}); }

void ShardSession::answer(Answer answer) {
  const std::size_t count = std::max<std::size_t>(answer.numbers.size(), 1);
  Said said{.answers = {}, .answer_count = count};
  said.answers.push_back(std::move(answer));
  say(std::move(said));
}

void ShardSession::say(Said more) {
  {
    const std::scoped_lock lock(mutex_);
    said_.credit += std::min(more.credit, UINT64_MAX - said_.credit);
    said_.acknowledged = std::max(said_.acknowledged, more.acknowledged);
    std::ranges::move(more.buried, std::back_inserter(said_.buried));
    said_.answer_count += more.answer_count;
    if (said_.answer_count > kUnheardAnswerCountMax) {
      said_.answers.clear();
    } else {
      std::ranges::move(more.answers, std::back_inserter(said_.answers));
    }
    if (std::exchange(is_posted_, true)) return;
  }
  shard_->post([self = shared_from_this()] { self->hear(); });
}

void ShardSession::hear() {
  Said said;
  {
    const std::scoped_lock lock(mutex_);
    said = std::exchange(said_, {});
    is_posted_ = false;
  }
  if (said.answer_count > kUnheardAnswerCountMax) {
    return shard_->end(*this,
                       {base::ErrorId::kBrokerAcknowledge,
                        "more deliveries were answered than can have been sent", std::nullopt});
  }
  // An acknowledgement that was said later must not settle what was buried before it.
  for (Buried& buried : said.buried) {
    const std::uint64_t before = std::min(said.acknowledged, buried.number - 1);
    if (before > 0) shard_->acknowledge(*this, before);
    shard_->bury(*this, buried.number, std::move(buried.reason));
  }
  if (said.acknowledged > 0) shard_->acknowledge(*this, said.acknowledged);
  for (const Answer& answer : said.answers) shard_->answer(*this, answer);
  if (said.credit > 0) shard_->add_credit(*this, said.credit);
}

void ShardSession::bury(std::uint64_t number, std::string reason) {
  WEIR_CHECK(number > 0);
  Said said;
  said.buried.push_back({number, std::move(reason)});
  say(std::move(said));
}

void ShardSession::close() {
  shard_->post([self = shared_from_this()] { self->shard_->detach(*self); });
}

}  // namespace weir::broker
