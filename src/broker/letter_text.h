// SPDX-License-Identifier: Apache-2.0
// The events of a dead letter as the registry has them: a JSON array of the texts as they were
// delivered.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/delivery.h"
#include "broker/grants.h"

namespace weir::broker {

std::string letter_text(std::span<const EventText> events);
// The inverse. kStoreCorrupt if the text is no array, or an empty one.
base::Result<std::vector<EventText>> read_letter(std::string text);

// Whether the grants cover all events of the letter.
bool may_see_letter(const Grants& grants, std::string_view text);

}  // namespace weir::broker
