// SPDX-License-Identifier: Apache-2.0
// Summary: a kind of bytes that describe a set of members and can be merged.
//
// Merging is associative and commutative, and identity() is neutral, so the result does not depend
// on the shape of a tree. Tests check this for every summary here.
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
  // Returns false for bytes that neither identity() nor merge() yields.
  virtual bool is_valid(std::string_view bytes) const = 0;
  // Merges into `into`. Returns false and leaves it unchanged if the result is impossible or larger
  // than `bytes_max`.
  // Requires that both are valid.
  virtual bool merge(std::string& into, std::string_view from, std::size_t bytes_max) const = 0;
};

}  // namespace weir::protocol::tree
