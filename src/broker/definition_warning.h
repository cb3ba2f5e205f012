// SPDX-License-Identifier: Apache-2.0
// DefinitionWarning: a warning about one of the filters of a subscription, with its place in the
// document that was sent.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "event/json_document.h"
#include "filter/warning.h"

namespace weir::broker {

struct DefinitionWarning {
  filter::Warning warning;
  std::size_t filter_index = 0;  // in `filters`
};

// From warnings whose places are in the text of `filters` to places in the whole document, where
// that text begins at offset_bytes.
std::vector<DefinitionWarning> place_warnings(std::span<const filter::Warning> warnings,
                                              const event::JsonRef& filters,
                                              std::string_view document, std::size_t offset_bytes);

}  // namespace weir::broker
