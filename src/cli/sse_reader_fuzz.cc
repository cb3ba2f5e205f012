// SPDX-License-Identifier: Apache-2.0
// Any lines as a stream: a message that they make, written again, is the same message.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cli/sse_reader.h"

namespace {

using namespace weir::cli;

// Calls visit(line) for each line, without its end.
template <typename Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void check_again(const SseMessage& message) {
  WEIR_CHECK(message.type.find('\n') == std::string::npos);
  WEIR_CHECK(message.id.find('\0') == std::string::npos);
  SseReader reader;
  WEIR_CHECK(!reader.take("event: " + message.type));
  WEIR_CHECK(!reader.take("id: " + message.id));
  for_each_line(message.data + '\n', [&](std::string_view line) {
    WEIR_CHECK(!reader.take("data: " + std::string(line)));
  });
  WEIR_CHECK(reader.take("") == message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  SseReader reader;
  for_each_line(text, [&](std::string_view line) {
    if (const auto message = reader.take(line)) check_again(*message);
  });
  return 0;
}
