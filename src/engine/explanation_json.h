// SPDX-License-Identifier: Apache-2.0
// Explanations for people and programs: the reason as a sentence, and all of it as JSON.
//
//   {"delivered":false,"outcome":"within_threshold","reason":"Not delivered: ...",
//    "filter":{"text":"...","holds":false,"decided":true,"detail":"...","parts":[]},
//    "distinct":"...","note":"..."}
//
// distinct and note are there if they say anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace weir::engine {

// "Delivered: ..." or "Not delivered: ...".
std::string reason(const EventExplanation& explanation);

void append_json(const EventExplanation& explanation, std::string& out);
// What append_json() wrote; nothing if it is none of that.
std::optional<EventExplanation> read_explanation(std::string_view json);

}  // namespace weir::engine
