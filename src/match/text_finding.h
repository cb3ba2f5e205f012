// SPDX-License-Identifier: Apache-2.0
// TextFinding: why a text predicate holds of an event, in few bytes.
//
// The score of a term in a document is the same for every query, so it is kept once per event and
// corpus (TextShares) and all subscriptions refer to it. A finding and its query give the score,
// the epoch and each term's share again, also when the corpus has moved on.
//
// Numbers are kept in ten-thousandths, as they are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace weir::match {

// Scores of an event's terms in one corpus, as far as queries that hold ask for them.
struct TextShares {
  std::uint64_t epoch = 0;
  std::map<std::string, std::uint64_t, std::less<>> terms = {};  // ten-thousandths

  bool operator==(const TextShares&) const = default;
};

struct TextFinding {
  std::shared_ptr<const TextShares> shares = {};  // null: there is nothing to say
  std::uint32_t about = 0;                        // index of the text predicate in its filter
  std::uint64_t score = 0;                        // ten-thousandths

  explicit operator bool() const { return shares != nullptr; }
  bool operator==(const TextFinding& other) const {
    const bool same_shares =
        shares == other.shares || (shares && other.shares && *shares == *other.shares);
    return same_shares && about == other.about && score == other.score;
  }
};

// Rounded; what is negative, too large or no number counts as the nearest that can be kept.
std::uint64_t to_ten_thousandths(double value);

}  // namespace weir::match
