// SPDX-License-Identifier: Apache-2.0
#include "002/adversary.h"

#include <array>
#include <span>

#include "base/check.h"

namespace weir::lab {
namespace {

constexpr std::array<Value, 3> kItems{4, 8, 9};
constexpr std::array<Value, 2> kAfterTaken{5, 9};
constexpr std::array<Value, 2> kAfterLeft{12, 6};

std::span<const Value> items_of(Opening opening) {
  return std::span(kItems).subspan(opening == Opening::kPaper ? 0 : 1);
}

bool reveal(Value value, OnlineAlgorithm& algorithm, Duel& duel) {
  const bool is_delivered = algorithm.deliver(value);
  if (is_delivered) duel.delivered.push_back(duel.stream.size());
  duel.stream.push_back(value);
  return is_delivered;
}

}  // namespace

std::string_view name_of(Opening opening) { return opening == Opening::kPaper ? "4 8 9" : "8 9"; }

std::size_t opening_length(Opening opening) { return items_of(opening).size(); }

Duel play(OnlineAlgorithm& algorithm, Opening opening, std::size_t length) {
  WEIR_CHECK(length >= opening_length(opening));
  Duel duel;
  for (const Value value : items_of(opening)) duel.took_bait = reveal(value, algorithm, duel);
  const auto& rest = duel.took_bait ? kAfterTaken : kAfterLeft;
  for (std::size_t i = 0; duel.stream.size() < length; ++i) reveal(rest[i % 2], algorithm, duel);
  return duel;
}

}  // namespace weir::lab
