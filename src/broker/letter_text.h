// SPDX-License-Identifier: Apache-2.0
// The events of a dead letter as the registry has them: a JSON array of the texts as they were
// delivered. A group is an array in that array, so that it is sent again as a group.
//
//   [{...}]                one event
//   [[{...}]]              a group, even if it is one event
//   [{...},{...}]          a group, as earlier versions wrote it
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/delivery.h"
#include "broker/grants.h"

namespace weir::broker {

std::string letter_text(const Dispatch& dispatch);

struct Letter {
  bool is_group = false;
  std::vector<EventText> events;
};
// The inverse. kStoreCorrupt if the text is no such array, or an empty one.
base::Result<Letter> read_letter(std::string text);

// The events as one array, whether they are a group or not. Returns the text itself if it cannot
// be read.
std::string_view letter_events(std::string_view text);

// Whether the grants cover all events of the letter.
bool may_see_letter(const Grants& grants, std::string_view text);

}  // namespace weir::broker
