// SPDX-License-Identifier: Apache-2.0
#include "engine/counters.h"

namespace weir::engine {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kNoMatch:
      return "no match";
    case Outcome::kBelowScore:
      return "below score";
    case Outcome::kNoValue:
      return "no value";
    case Outcome::kWithinThreshold:
      return "within threshold";
    case Outcome::kHeld:
      return "held";
    case Outcome::kDuplicate:
      return "duplicate";
  }
  return "unknown";
}

}  // namespace weir::engine
