// SPDX-License-Identifier: Apache-2.0
// SizeReport: what several structures need for the same keys, side by side, by the formulas of
// src/bloom; nothing is built or measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "cli/size_options.h"

namespace weir::cli {

struct StructureSize {
  std::string name;
  double bits_per_key = 0;
  double bytes = 0;
  double false_positives = 0;            // at the worst moment
  std::optional<base::Duration> longer;  // remembered beyond the window by up to; of windows
  std::uint32_t line_count = 0;          // cache lines that an operation reads; 0: unknown
  std::string note = {};
};

struct SizeReport {
  std::vector<StructureSize> structures;  // the first is the one to take
  // Distinct events per day that the first structure takes for seen; of windows.
  std::optional<double> dropped_per_day;
};

SizeReport size_report(const SizeOptions& options);

// For people: a table and a few lines.
std::string to_text(const SizeReport& report, const SizeOptions& options);
// One line.
std::string to_json(const SizeReport& report, const SizeOptions& options);

}  // namespace weir::cli
