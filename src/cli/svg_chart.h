// SPDX-License-Identifier: Apache-2.0
// SvgChart: a small chart as an SVG document: lines over time, or bars.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weir::cli {

struct ChartSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // ascending by x
};

struct Chart {
  std::string title;
  std::string x_title;
  std::string y_title;
  bool has_bars = false;  // one for each point of the first series
  std::vector<ChartSeries> series;
};

// Both axes are linear; that of y begins at 0. Texts are escaped.
std::string to_svg(const Chart& chart);

}  // namespace weir::cli
