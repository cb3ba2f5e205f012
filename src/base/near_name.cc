// SPDX-License-Identifier: Apache-2.0
#include "base/near_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir::base {
namespace {

constexpr std::size_t kWordBytesMax = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cells((a.size() + 1) * width);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return cells[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) cell(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      cell(i, j) =
          std::min({cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
    }
  }
  return cell(a.size(), b.size());
}

}  // namespace

std::string_view near_name(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = 3;
  if (word.size() > kWordBytesMax) return best;
  for (const std::string_view candidate : candidates) {
    const std::size_t slips = distance(word, candidate);
    if (slips < best_distance && slips * 2 < candidate.size() + 1) {
      best = candidate;
      best_distance = slips;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = near_name(word, candidates);
  return near.empty() ? std::string() : fmt::format(": did you mean '{}'?", near);
}

}  // namespace weir::base
