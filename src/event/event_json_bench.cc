// SPDX-License-Identifier: Apache-2.0
// What an event costs to decode and to look into, on quotes of about 300 bytes.
//
// The baseline of decoding is simdjson's DOM parser with its padding copy and the four required
// attributes read; it checks no rule of CloudEvents, keeps no text and allows duplicate names.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "event/event.h"
#include "event/event_generator_testing.h"
#include "event/path.h"

namespace weir::event {
namespace {

constexpr std::size_t kEventCount = 2'000;

std::vector<std::string> quotes() {
  base::Prng prng(42);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kEventCount; ++i) texts.push_back(quote_event_json(prng, i));
  return texts;
}

double average_bytes(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return static_cast<double>(bytes) / static_cast<double>(texts.size());
}

template <typename Work>
double seconds_of(const std::vector<std::string>& texts, Work&& work) {
  return base::seconds_of([&] {
    for (const std::string& text : texts) work(text);
  });
}

void decode(const std::string& text) {
  const auto event = decode_event(text);
  WEIR_CHECK(event.has_value());
  benchmark::DoNotOptimize(event->get());
}

void decode_by_baseline(simdjson::dom::parser& parser, const std::string& text) {
  static constexpr std::array kRequired = {"specversion", "id", "source", "type"};
  constexpr bool kCopyToPad = true;
  const auto document = parser.parse(text.data(), text.size(), kCopyToPad);
  for (const char* const name : kRequired) {
    std::string_view value;
    WEIR_CHECK(document[name].get(value) == simdjson::SUCCESS);
    benchmark::DoNotOptimize(value);
  }
}

struct Best {
  double seconds = std::numeric_limits<double>::infinity();
  double baseline_seconds = std::numeric_limits<double>::infinity();
};

// One round of each, so that a slow moment of the machine hits both.
double measure_round(const std::vector<std::string>& texts, simdjson::dom::parser& parser,
                     Best& best) {
  const double seconds = seconds_of(texts, decode);
  const double baseline_seconds =
      seconds_of(texts, [&](const std::string& text) { decode_by_baseline(parser, text); });
  best.seconds = std::min(best.seconds, seconds);
  best.baseline_seconds = std::min(best.baseline_seconds, baseline_seconds);
  return seconds;
}

// The best round of each counts, over all repetitions and after a warm-up: the ratio of two minima
// is steady where the machine is not.
void BM_ParseEvent(benchmark::State& state) {
  constexpr int kWarmUpRounds = 100;
  static const std::vector<std::string> kTexts = quotes();
  static simdjson::dom::parser parser;
  static Best best;
  for (int i = 0; i < kWarmUpRounds; ++i) measure_round(kTexts, parser, best);
  for ([[maybe_unused]] auto _ : state) {
    state.SetIterationTime(measure_round(kTexts, parser, best));
  }
  const auto count = static_cast<double>(kEventCount);
  state.counters["events_per_cpu_s"] = count / best.seconds;
  state.counters["baseline_events_per_cpu_s"] = count / best.baseline_seconds;
  state.counters["x_simdjson"] = best.baseline_seconds / best.seconds;
  state.counters["event_bytes"] = average_bytes(kTexts);
}
BENCHMARK(BM_ParseEvent)->UseManualTime()->Unit(benchmark::kMillisecond);

// Three paths per event: an attribute, and the first and the fifth member of data.
void BM_PathLookup(benchmark::State& state) {
  std::vector<EventPtr> events;
  for (const std::string& text : quotes()) events.push_back(decode_event(text).value());
  const std::array paths = {parse_path("type").value(), parse_path("data.symbol").value(),
                            parse_path("data.bid").value()};
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double begin = base::thread_cpu_seconds();
    for (const EventPtr& event : events) {
      for (const Path& path : paths) {
        const Value value = event->at(path);
        benchmark::DoNotOptimize(&value);
      }
    }
    const double seconds = base::thread_cpu_seconds() - begin;
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["events_per_cpu_s"] = static_cast<double>(kEventCount) / best;
}
BENCHMARK(BM_PathLookup)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::event
