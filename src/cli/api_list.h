// SPDX-License-Identifier: Apache-2.0
// Lists and objects of a broker's answers, as commands show them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api_client.h"
#include "cli/output.h"
#include "event/json_document.h"

namespace weir::cli {

// A member as people read it: a text without quotes, anything else as JSON; empty if there is none.
std::string text_of(const event::JsonRef& object, std::string_view name);

// Calls visit for each element of the list of that name, page by page.
base::Result<void> for_each_listed(ApiClient& client, const std::string& target,
                                   std::string_view list,
                                   const std::function<void(const event::JsonRef&)>& visit);

// Writes an answer that is an object: a line for each member, or as it is. Warnings about `sent`,
// the document that it answers, go to stderr.
base::Result<void> show_object(const server::HttpAnswer& answer, bool json, Streams& streams,
                               std::string_view sent = {});

}  // namespace weir::cli
