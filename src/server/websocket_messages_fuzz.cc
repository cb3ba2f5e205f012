// SPDX-License-Identifier: Apache-2.0
// Any bytes are a message of weir.v1, or fail with a place inside them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "base/check.h"
#include "event/json_document.h"
#include "server/websocket_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir::server;
  const std::string text(data, data + size);
  const auto message = decode_client_message(text);
  if (message) {
    WEIR_CHECK(weir::event::JsonDocument::parse(text).has_value());
    return 0;
  }
  const weir::base::Error& error = message.error();
  WEIR_CHECK(error.position.has_value() && error.position->offset_bytes <= size);
  std::string answer;
  append_error(error, answer);
  WEIR_CHECK(weir::event::JsonDocument::parse(answer).has_value());
  WEIR_CHECK(close_code(error) >= 1000);
  return 0;
}
