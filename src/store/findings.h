// SPDX-License-Identifier: Apache-2.0
// Findings: what an examination of a directory found, for people to read.
//
// Bounded: beyond kFindingCountMax only the number is kept.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::store {

enum class Severity : std::uint8_t {
  kNote,     // as it should be; good to know
  kWarning,  // a broker starts, but something may be missing or is worth a look
  kDamage,   // a broker does not start, or cannot read something that it needs
};

inline std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kDamage:
      break;
  }
  return "damage";
}

struct Finding {
  Severity severity = Severity::kDamage;
  std::string file;                          // relative to the directory
  std::optional<std::uint64_t> offset = {};  // in bytes
  std::string what;
  std::string consequence;
  std::string advice;
};

inline constexpr std::size_t kFindingCountMax = 1000;

class Findings {
 public:
  void add(Finding finding) {
    worst_ = std::max(worst_, finding.severity);
    if (list_.size() < kFindingCountMax) {
      list_.push_back(std::move(finding));
    } else {
      ++dropped_count_;
    }
  }

  const std::vector<Finding>& list() const { return list_; }
  std::uint64_t dropped_count() const { return dropped_count_; }
  Severity worst() const { return worst_; }  // kNote if there is nothing

 private:
  std::vector<Finding> list_;
  std::uint64_t dropped_count_ = 0;
  Severity worst_ = Severity::kNote;
};

}  // namespace weir::store
