// SPDX-License-Identifier: Apache-2.0
// Names of the pieces in which a shard's corpora are saved.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::broker {

// "text/0", "text/0/1", "text/0/2": the first is named as the only one was before there were
// several. A piece that is no longer used is empty.
inline std::string text_piece_name(std::size_t shard, std::size_t piece) {
  const std::string name = "text/" + std::to_string(shard);
  return piece == 0 ? name : name + '/' + std::to_string(piece);
}

inline bool is_text_piece(std::string_view name) { return name.starts_with("text/"); }

}  // namespace weir::broker
