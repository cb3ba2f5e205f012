// SPDX-License-Identifier: Apache-2.0
#include "cli/filter_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <iterator>
#include <utility>

#include "cli/text_output.h"
#include "event/json_writer.h"

namespace weir::cli {
namespace {

using engine::SubscriptionCounters;

struct Column {
  std::string_view name;  // of the JSON member; the heading has blanks for underscores
  std::uint64_t SubscriptionCounters::* count;
};

constexpr std::array kColumns = {
    Column{"delivered", &SubscriptionCounters::delivered},
    Column{"passed", &SubscriptionCounters::passed},
    Column{"no_match", &SubscriptionCounters::no_match},
    Column{"below_score", &SubscriptionCounters::below_score},
    Column{"no_value", &SubscriptionCounters::no_value},
    Column{"within_threshold", &SubscriptionCounters::within_threshold},
    Column{"held", &SubscriptionCounters::held},
    Column{"duplicate", &SubscriptionCounters::duplicate},
    Column{"state_overflow", &SubscriptionCounters::state_overflow},
};

constexpr std::size_t kShownTextBytesMax = 60;

std::uint64_t events_per_cpu_second(const FilterStats& stats) {
  if (stats.cpu_seconds <= 0) return 0;
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(stats.stream.events) / stats.cpu_seconds));
}

std::string heading(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::size_t width_of(const Column& column, const FilterStats& stats) {
  std::size_t width = column.name.size();
  for (const auto& filter : stats.filters) {
    width = std::max(width, grouped(filter.counters.*column.count).size());
  }
  return width;
}

// Columns without a count are left out, but for the first three.
bool is_shown(const Column& column, const FilterStats& stats) {
  return &column < &kColumns[3] ||
         std::ranges::any_of(
             stats.filters, [&](const auto& filter) { return filter.counters.*column.count > 0; });
}

void append_table(const FilterStats& stats, std::string& out) {
  std::vector<const Column*> shown;
  for (const Column& column : kColumns) {
    if (is_shown(column, stats)) shown.push_back(&column);
  }
  const auto to = std::back_inserter(out);
  out += "filter";
  for (const Column* column : shown) {
    fmt::format_to(to, "  {:>{}}", heading(column->name), width_of(*column, stats));
  }
  out += '\n';
  for (std::size_t i = 0; i < stats.filters.size(); ++i) {
    const auto& filter = stats.filters[i];
    fmt::format_to(to, "{:6}", i + 1);
    for (const Column* column : shown) {
      fmt::format_to(to, "  {:>{}}", grouped(filter.counters.*column->count),
                     width_of(*column, stats));
    }
    fmt::format_to(to, "  {}\n", printable(filter.text, kShownTextBytesMax));
  }
}

void append_json(const FilterStats::PerFilter& filter, std::size_t number, std::string& out) {
  event::JsonObject object(out);
  object.member("filter", number);
  object.member("text", filter.text);
  object.member("published", filter.counters.published);
  for (const Column& column : kColumns) object.member(column.name, filter.counters.*column.count);
  object.close();
}

}  // namespace

std::string to_text(const FilterStats& stats) {
  const StreamCounts& stream = stats.stream;
  std::string out;
  const auto line = [&out](std::string_view name, const std::string& value, std::string_view more) {
    fmt::format_to(std::back_inserter(out), "{:18}{:>15}{}{}\n", name, value,
                   more.empty() ? "" : "   ", more);
  };
  line("lines read", grouped(stream.lines),
       fmt::format("{} blank, {} invalid", grouped(stream.blank_lines),
                   grouped(stream.invalid_lines)));
  line("events", grouped(stream.events),
       stats.engine.clock_backward == 0 ? ""
                                        : fmt::format("{} with a time before an earlier one",
                                                      grouped(stats.engine.clock_backward)));
  line("ingest duplicates", grouped(stats.engine.ingest_duplicates), "");
  line("lines written", grouped(stream.written),
       fmt::format("{} deliveries", grouped(stats.engine.deliveries)));
  line("CPU time", fmt::format("{:.2f} s", stats.cpu_seconds),
       fmt::format("{} events per CPU-second", grouped(events_per_cpu_second(stats))));
  out += '\n';
  append_table(stats, out);
  return out;
}

std::string to_json(const FilterStats& stats) {
  std::string out;
  event::JsonObject object(out);
  object.member("lines", stats.stream.lines);
  object.member("blank_lines", stats.stream.blank_lines);
  object.member("invalid_lines", stats.stream.invalid_lines);
  object.member("events", stats.stream.events);
  object.member("ingest_duplicates", stats.engine.ingest_duplicates);
  object.member("clock_backward", stats.engine.clock_backward);
  object.member("deliveries", stats.engine.deliveries);
  object.member("written", stats.stream.written);
  object.member("cpu_seconds", stats.cpu_seconds);
  object.member("events_per_cpu_second", events_per_cpu_second(stats));
  object.name("filters");
  out += '[';
  for (std::size_t i = 0; i < stats.filters.size(); ++i) {
    if (i > 0) out += ',';
    append_json(stats.filters[i], i + 1, out);
  }
  out += ']';
  object.close();
  out += '\n';
  return out;
}

double process_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace weir::cli
