// SPDX-License-Identifier: Apache-2.0
#include "match/change/change_testing.h"

namespace weir::match {

const std::vector<Movement>& all_movements() {
  static const std::vector<Movement> movements = [] {
    std::vector<Movement> all;
    for (const Direction direction : {Direction::kChanges, Direction::kRises, Direction::kFalls}) {
      for (const bool percent : {false, true}) {
        for (const bool inclusive : {false, true}) all.push_back({direction, percent, inclusive});
      }
    }
    return all;
  }();
  return movements;
}

std::ostream& operator<<(std::ostream& out, const Movement& movement) {
  const char* const names[] = {"changes", "rises", "falls"};
  return out << names[static_cast<int>(movement.direction)] << (movement.inclusive ? " >=" : " >")
             << (movement.percent ? " %" : "");
}

}  // namespace weir::match
