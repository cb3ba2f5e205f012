// SPDX-License-Identifier: Apache-2.0
#include "broker/definition_warning.h"

namespace weir::broker {
namespace {

// The index of the element that a place in the text of the array lies in.
std::size_t element_at(const event::JsonRef& array, std::size_t offset_bytes) {
  std::size_t count = 0;
  array.for_each_element([&](const event::JsonRef& element) {
    if (element.offset_bytes() - array.offset_bytes() <= offset_bytes) ++count;
  });
  return count == 0 ? 0 : count - 1;
}

}  // namespace

std::vector<DefinitionWarning> place_warnings(std::span<const filter::Warning> warnings,
                                              const event::JsonRef& filters,
                                              std::string_view document, std::size_t offset_bytes) {
  std::vector<DefinitionWarning> placed;
  for (const filter::Warning& warning : warnings) {
    const std::size_t inside = warning.position.offset_bytes;
    placed.push_back({warning, element_at(filters, inside)});
    placed.back().warning.position = base::position_at(document, offset_bytes + inside);
  }
  return placed;
}

}  // namespace weir::broker
