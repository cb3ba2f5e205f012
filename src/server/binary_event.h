// SPDX-License-Identifier: Apache-2.0
// An event as an HTTP request in binary mode: attributes are ce- headers, the data is the body.
// decode_binary_event() of event_headers.h reads it back.
#pragma once

#include "event/event.h"
#include "server/http_client_message.h"

namespace weir::server {

// Adds the headers and sets the body. False, with the call as it was, if the event's
// datacontenttype cannot be the Content-Type of a binary event.
bool put_binary_event(const event::Event& event, HttpCall& call);

}  // namespace weir::server
