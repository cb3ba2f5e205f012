// SPDX-License-Identifier: Apache-2.0
// Summary: something about a set of members in bytes, that can be merged.
//
// Merging is associative and commutative and identity() is neutral, so that the result does not
// depend on the shape of a tree: tests check it for all that are provided.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::protocol::tree {

class Summary {
 public:
  Summary() = default;
  Summary(const Summary&) = delete;
  Summary& operator=(const Summary&) = delete;
  virtual ~Summary() = default;

  virtual std::string identity() const = 0;
  // False for bytes that neither identity() nor merging can give.
  virtual bool is_valid(std::string_view bytes) const = 0;
  // False if that would have more than `bytes_max`, or cannot be; `into` is then as it was.
  // Requires that both are valid.
  virtual bool merge(std::string& into, std::string_view from, std::size_t bytes_max) const = 0;
};

}  // namespace weir::protocol::tree
