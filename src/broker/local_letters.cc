// SPDX-License-Identifier: Apache-2.0
// The local broker's dead letters.
#include <fmt/format.h>

#include <utility>

#include "broker/letter_text.h"
#include "broker/local_broker.h"
#include "broker/read_refusal.h"

namespace weir::broker {
namespace {

constexpr std::size_t kReadCount = 1;  // letters that are read at a time: one may be large

base::Error no_such_letter(std::string_view id, std::uint64_t delivery) {
  return {base::ErrorId::kBrokerNoSuchDeadLetter,
          fmt::format("'{}' has no dead letter {}", id, delivery), std::nullopt};
}

}  // namespace

base::Result<std::vector<store::DeadLetterRow>> LocalBroker::dead_letters(
    const PrincipalPtr& principal, std::string_view id, std::uint64_t after_delivery,
    std::size_t count_max) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return entry.error();
  if (const auto refused = refusal_to_read(*principal, *entry)) return *refused;
  std::vector<store::DeadLetterRow> seen;
  std::size_t bytes = 0;
  while (seen.size() < count_max && bytes < kLetterPageBytesMax) {
    auto letters = registry_->dead_letters(entry->number, after_delivery, kReadCount);
    if (!letters) return letters.error();
    if (letters->empty()) break;
    after_delivery = letters->back().delivery;
    for (store::DeadLetterRow& letter : *letters) {
      if (!may_see_letter(principal->grants, letter.events)) continue;
      bytes += letter.events.size();
      seen.push_back(std::move(letter));
    }
  }
  return seen;
}

base::Result<std::vector<std::uint64_t>> LocalBroker::letter_numbers(
    const Principal& principal, const DirectoryEntry& entry,
    std::optional<std::uint64_t> delivery) {
  if (delivery) {
    const auto letter = registry_->dead_letter(entry.number, *delivery);
    if (!letter) return letter.error();
    if (!*letter || !may_see_letter(principal.grants, (*letter)->events)) {
      return no_such_letter(entry.id, *delivery);
    }
    return std::vector{*delivery};
  }
  if (principal.grants.may_see_all()) return registry_->dead_letter_numbers(entry.number);
  std::vector<std::uint64_t> seen;
  for (std::uint64_t after = 0;;) {
    const auto letters = registry_->dead_letters(entry.number, after, kReadCount);
    if (!letters) return letters.error();
    if (letters->empty()) return seen;
    after = letters->back().delivery;
    for (const store::DeadLetterRow& letter : *letters) {
      if (may_see_letter(principal.grants, letter.events)) seen.push_back(letter.delivery);
    }
  }
}

void LocalBroker::resend_dead_letters(const PrincipalPtr& principal, std::string_view id,
                                      std::optional<std::uint64_t> delivery, LettersDone done) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return done(entry.error());
  if (const auto refused = refusal_to_read(*principal, *entry)) return done(*refused);
  auto letters = letter_numbers(*principal, *entry, delivery);
  if (!letters) return done(letters.error());
  auto answer = [is_one = delivery.has_value(),
                 done = std::move(done)](const base::Result<LetterCounts>& counts) {
    if (!counts || !is_one || counts->left == 0) return done(counts);
    done(base::Error{base::ErrorId::kBrokerOutboxFull,
                     "the outbox of the subscription has no room for the letter", std::nullopt});
  };
  entry->shard->post([shard = entry->shard, number = entry->number, letters = *std::move(letters),
                      answer = std::move(answer)] { shard->resend(number, letters, answer); });
}

void LocalBroker::purge_dead_letters(const PrincipalPtr& principal, std::string_view id,
                                     std::optional<std::uint64_t> delivery, LettersDone done) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return done(entry.error());
  if (const auto refused = refusal_to_read(*principal, *entry)) return done(*refused);
  auto letters = letter_numbers(*principal, *entry, delivery);
  if (!letters) return done(letters.error());
  auto answer = [is_one = delivery.has_value(),
                 done = std::move(done)](const base::Result<LetterCounts>& counts) {
    if (!counts || !is_one || counts->left == 0) return done(counts);
    done(base::Error{base::ErrorId::kBrokerInUse, "the letter is being delivered again",
                     std::nullopt});
  };
  entry->shard->post([shard = entry->shard, number = entry->number, letters = *std::move(letters),
                      answer = std::move(answer)] { shard->purge(number, letters, answer); });
}

}  // namespace weir::broker
