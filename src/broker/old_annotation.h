// SPDX-License-Identifier: Apache-2.0
// Annotations as notes of versions 2 and 3 have them: members of JSON, one text per delivery.
#pragma once

#include <string_view>

#include "match/text_finding.h"

namespace weir::broker {

// Score, epoch and shares of terms; snippets are made anew when it is delivered. Nothing if the
// text is empty or tells no score.
match::TextFinding read_old_annotation(std::string_view members);

}  // namespace weir::broker
