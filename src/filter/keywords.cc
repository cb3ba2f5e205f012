// SPDX-License-Identifier: Apache-2.0
#include "filter/keywords.h"

#include <algorithm>

namespace weir::filter {

bool is_keyword(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, [](char w, char k) {
    return (w >= 'A' && w <= 'Z' ? static_cast<char>(w + ('a' - 'A')) : w) == k;
  });
}

bool is_reserved(std::string_view word) {
  return std::ranges::any_of(
      kReservedWords, [word](std::string_view keyword) { return is_keyword(word, keyword); });
}

}  // namespace weir::filter
