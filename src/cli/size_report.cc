// SPDX-License-Identifier: Apache-2.0
#include "cli/size_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "bloom/block_sizing.h"
#include "bloom/generational_sizing.h"
#include "bloom/sizing.h"
#include "bloom/window_sizing.h"
#include "cli/table_output.h"
#include "cli/text_output.h"
#include "event/json_writer.h"
#include "filter/duration.h"

namespace weir::cli {
namespace {

constexpr double kSecondsPerDay = 86'400;

// Of so many keys that whole cells are no matter.
double classic_bits(double false_positives) {
  constexpr double kManyKeys = 1e9;
  const bloom::BloomShape shape = bloom::classic_shape(kManyKeys, false_positives);
  return static_cast<double>(shape.cell_count) / kManyKeys;
}

// A whole number of seconds or milliseconds above it where that is no great difference.
base::Duration rounded_up(base::Duration duration) {
  for (const std::int64_t unit : {1'000'000'000, 1'000'000, 1'000}) {
    if (duration.nanoseconds < 10 * unit) continue;
    return {(duration.nanoseconds + unit - 1) / unit * unit};
  }
  return duration;
}

// Beyond the largest filter, several share the keys.
StructureSize generational(const SizeOptions& options) {
  const double p = options.false_positives;
  const std::uint32_t line_count = bloom::generational_shape(1, p).line_count;
  const double filter_key_count =
      bloom::generational_live_keys({bloom::kBucketCountMax, line_count}, p);
  const double filter_count = std::ceil(options.key_count / filter_key_count);
  const double key_count = options.key_count / filter_count;
  const bloom::GenerationalShape shape = bloom::generational_shape(key_count, p);
  const double lambda = key_count / (bloom::kGenerationCount - 1) / shape.bucket_count;
  const double bytes = filter_count * static_cast<double>(bloom::generational_bytes(shape));
  std::string note = fmt::format("the default; {} buckets", grouped(shape.bucket_count));
  if (filter_count > 1) note += fmt::format(" in each of {:.0f} filters", filter_count);
  return {.name = "generational",
          .bits_per_key = bytes * 8 / options.key_count,
          .bytes = bytes,
          .false_positives = bloom::generational_false_positives(lambda, line_count),
          .longer = rounded_up({options.window.nanoseconds / (bloom::kGenerationCount - 1)}),
          .line_count = line_count,
          .note = std::move(note)};
}

StructureSize of_bits(const SizeOptions& options, std::string name, double bits_per_key) {
  return {.name = std::move(name),
          .bits_per_key = bits_per_key,
          .bytes = std::ceil(options.key_count * bits_per_key / 8),
          .false_positives = options.false_positives,
          .longer = std::nullopt};
}

StructureSize timers(const SizeOptions& options) {
  const bloom::TimerSpan span{.window = options.window};
  const double p = options.false_positives;
  StructureSize size = of_bits(options, "timers of 1s", bloom::timer_bits_per_live_key(span, p));
  size.longer = span.tick;
  size.line_count = bloom::classic_shape(1, p).probe_count;
  size.note =
      fmt::format("{} bits each, {} of them a key", bloom::timer_bits(span), size.line_count);
  return size;
}

StructureSize rotating(const SizeOptions& options) {
  StructureSize size = of_bits(options, "two rotating block filters",
                               bloom::rotating_bits_per_live_key(options.false_positives));
  size.longer = options.window;
  size.line_count = 2;
  size.note = "both are asked, the older is cleared";
  return size;
}

StructureSize exact(const SizeOptions& options) {
  StructureSize size = of_bits(options, "exact map", bloom::kExactMapBitsPerLiveKeyMeasured);
  size.false_positives = 0;
  size.longer = base::Duration{};
  size.note = "size as measured";
  return size;
}

StructureSize classic(const SizeOptions& options) {
  StructureSize size = of_bits(options, "classic", classic_bits(options.false_positives));
  size.line_count = bloom::classic_shape(1, options.false_positives).probe_count;
  size.note = fmt::format("{} probes; the fewest bits", size.line_count);
  return size;
}

StructureSize blocks(const SizeOptions& options, std::uint32_t block_bits) {
  StructureSize size = of_bits(options, fmt::format("blocks of {} bits", block_bits),
                               bloom::block_bits_per_key(options.false_positives, block_bits));
  size.line_count = 1;
  size.note = fmt::format("{} bits of one block; the fastest", bloom::kBlockWordCount);
  return size;
}

std::string share_text(double share) {
  return share == 0 ? "none" : fmt::format("{:.3g} %", share * 100);
}

std::string whole_text(double number) {
  return grouped(static_cast<std::uint64_t>(std::llround(number)));
}

std::string longer_text(base::Duration longer) {
  return longer.nanoseconds == 0 ? "nothing" : "up to " + filter::to_text(longer);
}

Table table_of(const SizeReport& report, bool windows) {
  std::vector<std::string> titles = {"STRUCTURE", "BITS PER KEY", "MEMORY", "FALSE POSITIVES"};
  if (windows) titles.emplace_back("REMEMBERS LONGER BY");
  titles.insert(titles.end(), {"CACHE LINES", "NOTE"});
  Table table(std::move(titles));
  for (const StructureSize& size : report.structures) {
    std::vector<std::string> cells = {size.name, fmt::format("{:.1f}", size.bits_per_key),
                                      readable_bytes(size.bytes), share_text(size.false_positives)};
    if (windows) cells.push_back(longer_text(size.longer.value_or(base::Duration{})));
    cells.insert(cells.end(),
                 {size.line_count == 0 ? "" : std::to_string(size.line_count), size.note});
    table.add(cells);
  }
  return table;
}

void append_json(const StructureSize& size, std::string& out) {
  event::JsonObject object(out);
  object.member("name", size.name);
  object.member("bits_per_key", size.bits_per_key);
  object.member("bytes", static_cast<std::uint64_t>(size.bytes));
  object.member("false_positives", size.false_positives);
  if (size.longer) object.member("remembers_longer_by", filter::to_text(*size.longer));
  if (size.line_count > 0) object.member("cache_lines", size.line_count);
  object.member("note", size.note);
  object.close();
}

}  // namespace

SizeReport size_report(const SizeOptions& options) {
  if (options.subject == SizeSubject::kBloom) {
    return {.structures = {classic(options), blocks(options, 512), blocks(options, 256)},
            .dropped_per_day = std::nullopt};
  }
  SizeReport report{
      .structures = {generational(options), timers(options), rotating(options), exact(options)},
      .dropped_per_day = std::nullopt};
  report.dropped_per_day =
      options.keys_per_second * kSecondsPerDay * report.structures[0].false_positives;
  return report;
}

std::string to_text(const SizeReport& report, const SizeOptions& options) {
  const bool windows = options.subject == SizeSubject::kDistinct;
  std::string out = fmt::format("{} keys", whole_text(options.key_count));
  if (windows) {
    out += fmt::format(" alive: {:.6g} per second for {}", options.keys_per_second,
                       filter::to_text(options.window));
  }
  out += "\n\n" + table_of(report, windows).to_text();
  if (report.dropped_per_day) {
    out += fmt::format(
        "\nDistinct events dropped per day by {}: {} expected, of {}.\n"
        "False positives are those of the worst moment; no structure here forgets a key early.\n",
        report.structures[0].name, whole_text(*report.dropped_per_day),
        whole_text(options.keys_per_second * kSecondsPerDay));
  }
  return out;
}

std::string to_json(const SizeReport& report, const SizeOptions& options) {
  std::string out;
  event::JsonObject object(out);
  object.member("keys", static_cast<std::uint64_t>(std::llround(options.key_count)));
  if (options.subject == SizeSubject::kDistinct) {
    object.member("keys_per_second", options.keys_per_second);
    object.member("window", filter::to_text(options.window));
  }
  object.member("false_positives_max", options.false_positives);
  object.name("structures");
  out += '[';
  for (const StructureSize& size : report.structures) {
    if (&size != &report.structures.front()) out += ',';
    append_json(size, out);
  }
  out += ']';
  if (report.dropped_per_day) object.member("dropped_per_day", *report.dropped_per_day);
  object.close();
  return out + '\n';
}

}  // namespace weir::cli
