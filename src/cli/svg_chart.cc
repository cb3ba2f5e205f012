// SPDX-License-Identifier: Apache-2.0
#include "cli/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/markup.h"

namespace weir::cli {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 420;
constexpr double kLeft = 80;
constexpr double kRight = 170;  // room for the names of the series
constexpr double kTop = 40;
constexpr double kBottom = 50;
constexpr int kTickCount = 5;
constexpr std::array<std::string_view, 8> kColours = {"#1f6f8b", "#c8553d", "#5b8c5a", "#8e6c8a",
                                                      "#d9a441", "#4a4e69", "#7f9172", "#b56576"};

std::string escaped(std::string_view text) {
  std::string markup;
  base::append_escaped(text, markup);
  return markup;
}

// 1, 2 or 5 times a power of ten, so that some five of them make the span.
double tick_step(double span) {
  const double rough = span / kTickCount;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

struct Bounds {
  double x_min = 0;
  double x_max = 1;
  double y_max = 1;

  double x(double value) const {
    return kLeft + ((value - x_min) / (x_max - x_min) * (kWidth - kLeft - kRight));
  }
  double y(double value) const {
    return kHeight - kBottom - (value / y_max * (kHeight - kTop - kBottom));
  }
};

Bounds bounds_of(const Chart& chart) {
  Bounds bounds;
  bool is_first = true;
  for (const ChartSeries& series : chart.series) {
    for (const auto& [x, y] : series.points) {
      bounds.x_min = is_first ? x : std::min(bounds.x_min, x);
      bounds.x_max = is_first ? x : std::max(bounds.x_max, x);
      bounds.y_max = std::max(bounds.y_max, y);
      is_first = false;
    }
  }
  if (chart.has_bars) {
    bounds.x_min -= 0.5;
    bounds.x_max += 0.5;
  }
  if (bounds.x_max <= bounds.x_min) bounds.x_max = bounds.x_min + 1;
  return bounds;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string axes(const Chart& chart, const Bounds& bounds) {
  std::string out;
  const double y_step = tick_step(bounds.y_max);
  for (double value = 0; value <= bounds.y_max * 1.0001; value += y_step) {
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
        bounds.y(value), kWidth - kRight, bounds.y(value));
    out += text_at(kLeft - 6, bounds.y(value) + 4, "end", fmt::format("{:.6g}", value));
  }
  const double x_step = tick_step(bounds.x_max - bounds.x_min);
  for (double value = std::ceil(bounds.x_min / x_step) * x_step; value <= bounds.x_max * 1.0001;
       value += x_step) {
    out += text_at(bounds.x(value), kHeight - kBottom + 18, "middle", fmt::format("{:.6g}", value));
  }
  out += text_at(kLeft, 22, "start", chart.title);
  out += text_at((kLeft + kWidth - kRight) / 2, kHeight - 10, "middle", chart.x_title);
  out += text_at(kLeft - 6, kTop - 6, "end", chart.y_title);
  return out;
}

std::string bars(const ChartSeries& series, const Bounds& bounds) {
  std::string out;
  for (const auto& [x, y] : series.points) {
    const double width = bounds.x(0.8) - bounds.x(0);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
        bounds.x(x) - (width / 2), bounds.y(y), width, bounds.y(0) - bounds.y(y), kColours[0]);
  }
  return out;
}

std::string line(const ChartSeries& series, const Bounds& bounds, std::string_view colour) {
  std::string points;
  for (const auto& [x, y] : series.points) {
    points += fmt::format("{:.1f},{:.1f} ", bounds.x(x), bounds.y(y));
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                     points, colour);
}

}  // namespace

std::string to_svg(const Chart& chart) {
  const Bounds bounds = bounds_of(chart);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  out += axes(chart, bounds);
  if (chart.has_bars) {
    if (!chart.series.empty()) out += bars(chart.series[0], bounds);
    return out + "</svg>\n";
  }
  double legend_y = kTop + 10;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string_view colour = kColours[i % kColours.size()];
    out += line(chart.series[i], bounds, colour);
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                       kWidth - kRight + 12, legend_y - 9, colour);
    out += text_at(kWidth - kRight + 28, legend_y, "start", chart.series[i].name);
    legend_y += 18;
  }
  return out + "</svg>\n";
}

}  // namespace weir::cli
