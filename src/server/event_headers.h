// SPDX-License-Identifier: Apache-2.0
// CloudEvents in HTTP requests: which of the three content modes a request is in, and the binary
// mode, where attributes are ce- headers and the body is the data.
//
// A header's value is unquoted if it is quoted, then percent-decoded once, and must be UTF-8. All
// attributes of the binary mode are strings. The data becomes JSON if Content-Type says so, a
// string if it is text in UTF-8, else base64; an empty body is no data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/event.h"
#include "server/request.h"

namespace weir::server {

enum class ContentMode : std::uint8_t { kBinary, kStructured, kBatch };

// By the Content-Type. Another event format than JSON, or another charset than UTF-8, fails.
base::Result<ContentMode> content_mode(std::span<const Field> fields);

// An error's position is one in the body.
base::Result<event::EventPtr> decode_binary_event(std::span<const Field> fields,
                                                  std::string_view body,
                                                  const event::EventLimits& limits = {});

// The value of a ce- header as the text that it stands for.
base::Result<std::string> decode_event_header(std::string_view name, std::string_view value);

// The text as it may stand in a ce- header: what is not printable ASCII, and space, '"' and '%',
// percent-encoded. decode_event_header() is its inverse.
std::string encode_event_header(std::string_view text);

}  // namespace weir::server
