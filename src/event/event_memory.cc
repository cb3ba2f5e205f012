// SPDX-License-Identifier: Apache-2.0
#include "event/event_memory.h"

#include <string_view>

namespace weir::event {
namespace {

constexpr std::size_t kControlBytes = 64;  // of the allocator and of the shared pointer

// Every node but the first stands behind one of these. Some inside strings are counted too.
std::size_t node_count_max(std::string_view text) {
  std::size_t count = 1;
  for (const char c : text) {
    count += static_cast<std::size_t>((c == ',') | (c == ':') | (c == '[') | (c == '{'));
  }
  return count;
}

}  // namespace

std::size_t memory_bytes(const Event& event) {
  return sizeof(Event) + kControlBytes + event.json().size() +
         event.attributes().size() * sizeof(Attribute) +
         node_count_max(event.json()) * sizeof(JsonNode);
}

}  // namespace weir::event
