// SPDX-License-Identifier: Apache-2.0
// Path: where in an event a value stands: an attribute, or a place inside JSON data.
//
//   type   subject   myextension   "in"   data   data.a.b[0]   data['odd name'].x   data.a[*].b
//
// [*] is every element of an array, so a path with it may lead to several values.
// An attribute is written in lower case; in double quotes where its name is a word of the filter
// language or starts with a digit. Members of data that are not plain identifiers are written in
// brackets and single quotes, a quote inside doubled.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace weir::event {

inline constexpr std::size_t kPathStepCountMax = 32;

// The attributes of the CloudEvents core, which every event keeps at a fixed place.
enum class CoreAttribute : std::uint8_t {
  kSpecversion,
  kId,
  kSource,
  kType,
  kSubject,
  kTime,
  kDatacontenttype,
  kDataschema,
  kNone,  // an extension
};
inline constexpr std::size_t kCoreAttributeCount = 8;

CoreAttribute core_attribute(std::string_view name);
std::string_view to_string(CoreAttribute attribute);

// The step [*].
struct EveryElement {
  auto operator<=>(const EveryElement&) const = default;
};

class Path {
 public:
  // Member, element from 0, or all elements.
  using Step = std::variant<std::string, std::uint32_t, EveryElement>;

  // Requires a name of [a-z0-9]+.
  static Path attribute(std::string_view name);
  static Path data(std::vector<Step> steps = {});

  bool is_data() const { return attribute_.empty(); }
  // Empty for data.
  const std::string& attribute_name() const { return attribute_; }
  CoreAttribute core() const { return core_; }
  const std::vector<Step>& steps() const { return steps_; }
  // True if a step is [*].
  bool is_many() const { return is_many_; }

  // The canonical text, which parses to the same path.
  std::string to_string() const;

  std::strong_ordering operator<=>(const Path& other) const;
  bool operator==(const Path& other) const = default;

 private:
  std::string attribute_;
  CoreAttribute core_ = CoreAttribute::kNone;
  std::vector<Step> steps_;
  bool is_many_ = false;
};

// Parses a text that is exactly one path.
base::Result<Path> parse_path(std::string_view text);

// Parses the longest path at `offset_bytes`; `end_bytes` tells where it ends. Errors carry the
// position in `text`. Whether a bare word is a keyword is the caller's business.
struct PathPrefix {
  Path path;
  std::size_t end_bytes;
};
base::Result<PathPrefix> parse_path_prefix(std::string_view text, std::size_t offset_bytes);

}  // namespace weir::event
