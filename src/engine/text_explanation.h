// SPDX-License-Identifier: Apache-2.0
// What an explanation says of a text predicate: its score, each term's share, and which condition
// the text does not meet.
#pragma once

#include <string>

#include "match/text_match.h"

namespace weir::engine {

std::string describe(const match::TextMatchInfo& info);

}  // namespace weir::engine
