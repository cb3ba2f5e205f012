// SPDX-License-Identifier: Apache-2.0
// Grants as one writes them on a command line, one text for each thing granted:
//
//   publish                                any event        block     the outbox policy `block`
//   publish=type:quote.                    by type          admin     others' subscriptions,
//   metrics publish=source:/nyse/                  by source subscribe=source:/nyse/,type:quote. by
//   both
//
// A prefix reaches to the next comma or the end; a comma of its own is written twice. An empty
// prefix is an error: whoever means any source leaves `source:` out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/grants.h"

namespace weir::broker {

// Adds what the text grants; kBrokerToken with the place if it is none.
base::Result<void> add_grant(std::string_view text, Grants& grants);

// The texts that add up to these grants.
std::vector<std::string> grant_texts(const Grants& grants);

}  // namespace weir::broker
