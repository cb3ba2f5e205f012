// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cli/svg_chart.h"
#include "protocol/catalogue/kind_name.h"

namespace weir::cli {

namespace sim = runtime::sim;

namespace {

constexpr std::size_t kKindsShown = 8;

double seconds(base::Duration duration) { return static_cast<double>(duration.nanoseconds) * 1e-9; }

Chart over_time(const sim::Report& report, std::string_view what, std::string y_title) {
  return {.title = fmt::format("{}, seed {}: {}", report.name, report.seed, what),
          .x_title = "virtual time in seconds",
          .y_title = std::move(y_title),
          .series = {}};
}

template <typename Value>
Chart one_line(const sim::Report& report, std::string_view what, std::string y_title, Value value) {
  Chart chart = over_time(report, what, std::move(y_title));
  ChartSeries& series = chart.series.emplace_back();
  series.name = std::string(what);
  for (const sim::Sample& sample : report.samples) {
    series.points.emplace_back(seconds(sample.at), static_cast<double>(value(sample)));
  }
  return chart;
}

// The kinds with the most messages, those first.
std::vector<std::size_t> busiest_kinds(const sim::Report& report) {
  std::vector<std::size_t> order(report.kinds.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const std::uint64_t count = report.costs.of(report.kinds[i]).hop_count;
    return std::pair(UINT64_MAX - count, i);
  });
  if (order.size() > kKindsShown) order.resize(kKindsShown);
  return order;
}

Chart messages_chart(const sim::Report& report) {
  Chart chart = over_time(report, "messages a second", "per second");
  for (const std::size_t kind : busiest_kinds(report)) {
    ChartSeries& series = chart.series.emplace_back();
    series.name = protocol::catalogue::kind_name(report.kinds[kind]);
    for (std::size_t i = 1; i < report.samples.size(); ++i) {
      const sim::Sample& before = report.samples[i - 1];
      const sim::Sample& now = report.samples[i];
      const auto count = static_cast<double>(now.hops_by_kind[kind] - before.hops_by_kind[kind]);
      series.points.emplace_back(seconds(now.at), count / (seconds(now.at) - seconds(before.at)));
    }
  }
  return chart;
}

Chart hops_chart(const sim::Report& report) {
  Chart chart{.title = fmt::format("{}, seed {}: hops of lookups in calm, mean {:.2f}", report.name,
                                   report.seed, report.mean_hops()),
              .x_title = "hops",
              .y_title = "lookups",
              .has_bars = true,
              .series = {}};
  ChartSeries& series = chart.series.emplace_back();
  for (std::size_t i = 0; i < report.hops_histogram.size(); ++i) {
    series.points.emplace_back(static_cast<double>(i),
                               static_cast<double>(report.hops_histogram[i]));
  }
  return chart;
}

}  // namespace

std::vector<SimPlot> sim_plots(const sim::Report& report) {
  std::vector<SimPlot> plots;
  const auto add = [&](std::string_view what, const Chart& chart) {
    plots.push_back({.file_name = fmt::format("{}-{}-{}.svg", report.name, report.seed, what),
                     .svg = to_svg(chart)});
  };
  add("members", one_line(report, "members up", "members",
                          [](const sim::Sample& sample) { return sample.up_count; }));
  add("messages", messages_chart(report));
  add("unsettled", one_line(report, "unsettled keys", fmt::format("of {}", report.sample_key_count),
                            [](const sim::Sample& sample) { return sample.unsettled_count; }));
  if (!report.hops_histogram.empty()) add("hops", hops_chart(report));
  return plots;
}

base::Result<void> write_sim_plots(const sim::Report& report, const std::string& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  for (const SimPlot& plot : sim_plots(report)) {
    const std::filesystem::path path = std::filesystem::path(directory) / plot.file_name;
    std::ofstream file(path);
    file << plot.svg;
    file.close();
    if (file.fail()) {
      return base::Error{base::ErrorId::kCliFile, fmt::format("cannot write {}", path.string()),
                         std::nullopt};
    }
  }
  return {};
}

}  // namespace weir::cli
