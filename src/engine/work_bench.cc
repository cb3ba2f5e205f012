// SPDX-License-Identifier: Apache-2.0
// How long one call to an engine takes when one owner makes it as costly as it can. Everybody else
// on the shard waits for as long: the longest call is what the benchmark reports.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "engine/engine.h"
#include "event/event.h"

namespace weir::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLargeBytes = 1'000'000;

event::EventPtr event_of(std::string subject, std::string data) {
  const std::string json = fmt::format(
      R"({{"specversion":"1.0","id":"1","source":"/s","type":"t","subject":"{}","data":{}}})",
      subject, data);
  auto decoded = event::decode_event(json, {.json = {.text_bytes_max = 64 * kLargeBytes}});
  WEIR_CHECK(decoded.has_value());
  return *decoded;
}

class Watch {
 public:
  explicit Watch(benchmark::State& state) : state_(state) {}
  ~Watch() {
    state_.counters["longest_ms"] = longest_ms_;
    state_.counters["longest_cpu_ms"] = longest_cpu_ms_;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void time(const std::function<void()>& call) {
    const auto begin = Clock::now();
    const double cpu_seconds = base::seconds_of(call);
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    longest_ms_ = std::max(longest_ms_, took.count());
    longest_cpu_ms_ = std::max(longest_cpu_ms_, 1e3 * cpu_seconds);
    state_.SetIterationTime(took.count() / 1e3);
  }

 private:
  benchmark::State& state_;
  double longest_ms_ = 0;
  double longest_cpu_ms_ = 0;
};

void subscribe(Engine& engine, const std::string& filter) {
  const auto id = engine.subscribe(filter, {.owner = "one"});
  WEIR_CHECK(id.has_value());
}

void publish(benchmark::State& state, Engine& engine, const event::EventPtr& event) {
  Watch watch(state);
  base::Instant now{1};
  for (auto _ : state) {
    watch.time([&] { benchmark::DoNotOptimize(engine.publish(event, now)); });
    now.nanoseconds += 1'000'000'000;
  }
}

// As many different words as there is room for.
std::string words(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += fmt::format("w{:x} ", i * 2654435761U);
  text.resize(bytes);
  return text;
}

void BM_TextCombinations(benchmark::State& state) {
  Engine engine;
  const auto count = static_cast<int>(state.range(0));
  for (int i = 0; i < count; ++i) {
    subscribe(engine, fmt::format("text(data.t, data.f{}) about any 'storm'", i));
  }
  publish(state, engine, event_of("a", fmt::format(R"({{"t":"{}"}})", words(kLargeBytes))));
}
BENCHMARK(BM_TextCombinations)->Arg(1)->Arg(14)->Arg(196)->UseManualTime()->Iterations(2);

void BM_TextLanguages(benchmark::State& state) {
  Engine engine;
  for (const char* language : {"english", "german", "french", "spanish", "none", "danish"}) {
    for (int i = 0; i < 30; ++i) {
      subscribe(engine,
                fmt::format("text(data.t, data.f{}) in '{}' about any 'storm'", i, language));
    }
  }
  publish(state, engine, event_of("a", fmt::format(R"({{"t":"{}"}})", words(kLargeBytes))));
}
BENCHMARK(BM_TextLanguages)->UseManualTime()->Iterations(1);

void BM_Phrases(benchmark::State& state) {
  Engine engine;
  for (int i = 0; i < 1000; ++i) {
    subscribe(engine, fmt::format("text(data.t) in 'none' about all 'x \"x x y{}\"'", i));
    subscribe(engine, fmt::format("text(data.t) in 'none' about any '\"x x y{}\" \"z\"'", i));
  }
  std::string text;
  while (text.size() < kLargeBytes) text += "x ";
  publish(state, engine, event_of("a", fmt::format(R"({{"t":"{}"}})", text)));
}
BENCHMARK(BM_Phrases)->UseManualTime()->Iterations(1);

void BM_ManyTerms(benchmark::State& state) {
  Engine engine;
  for (int i = 0; i < 2000; ++i) {
    std::string terms = "x";
    for (int j = 0; j < 900; ++j) terms += fmt::format(" t{}", (j + 7 * i) % 100'000);
    subscribe(engine, fmt::format("text(data.t) in 'none' about any '{}'", terms));
  }
  publish(state, engine, event_of("a", R"({"t":"x t5 t6"})"));
}
BENCHMARK(BM_ManyTerms)->UseManualTime()->Iterations(3);

void BM_Like(benchmark::State& state) {
  Engine engine;
  for (int i = 0; i < 500; ++i) {
    subscribe(engine, fmt::format("data.t like '%a_b%{}_%'", i));
  }
  publish(state, engine,
          event_of("a", fmt::format(R"({{"t":"{}"}})", std::string(kLargeBytes, 'a'))));
}
BENCHMARK(BM_Like)->UseManualTime()->Iterations(2);

void BM_Cesql(benchmark::State& state) {
  Engine engine;
  std::string call = "big";
  for (int i = 0; i < 30; ++i) call = fmt::format("UPPER({})", call);
  for (int i = 0; i < 100; ++i) {
    subscribe(engine, fmt::format("cesql('LENGTH({}) = {}')", call, i));
  }
  const std::string json =
      fmt::format(R"({{"specversion":"1.0","id":"1","source":"/s","type":"t","big":"{}"}})",
                  std::string(kLargeBytes, 'a'));
  publish(state, engine, event::decode_event(json, {}).value());
}
BENCHMARK(BM_Cesql)->UseManualTime()->Iterations(2);

// [*] and [0] lead to the same elements.
void BM_Arrays(benchmark::State& state) {
  Engine engine;
  const auto depth = static_cast<int>(state.range(0));
  for (int i = 0; i < 1 << (depth - 1); ++i) {
    std::string path = "data";
    for (int j = 0; j + 1 < depth; ++j) path += ((i >> j) & 1) != 0 ? "[*]" : "[0]";
    subscribe(engine, fmt::format("{}[*] = {}", path, i));
  }
  std::string data;
  for (std::size_t i = 0; i < kLargeBytes / 8; ++i) data += fmt::format("{},", i);
  data.back() = ']';
  publish(state, engine,
          event_of("a", std::string(static_cast<std::size_t>(depth), '[') + data +
                            std::string(static_cast<std::size_t>(depth - 1), ']')));
}
BENCHMARK(BM_Arrays)->Arg(1)->Arg(3)->Arg(6)->UseManualTime()->Iterations(2);

void BM_LongKeys(benchmark::State& state) {
  Engine engine;
  for (int i = 0; i < 500; ++i) {
    subscribe(engine, fmt::format("distinct(data.t, data.f{}) within 1h", i));
    subscribe(engine, fmt::format("change(data.v{}, by data.t) > 1", i));
  }
  std::string data = fmt::format(R"({{"t":"{}")", std::string(kLargeBytes, 'a'));
  for (int i = 0; i < 500; ++i) data += fmt::format(R"(,"v{}":1)", i);
  publish(state, engine, event_of("a", data + "}"));
}
BENCHMARK(BM_LongKeys)->UseManualTime()->Iterations(2);

void BM_Rewords(benchmark::State& state) {
  Engine engine;
  for (int i = 0; i < 100; ++i) {
    subscribe(engine, fmt::format("change(text(data.t), by subject) > 0.{}", i + 10));
  }
  publish(state, engine, event_of("a", fmt::format(R"({{"t":"{}"}})", words(kLargeBytes))));
}
BENCHMARK(BM_Rewords)->UseManualTime()->Iterations(2);

// A composite with so many keys.
struct Keys {
  explicit Keys(std::size_t key_count, const std::string& timing = "") {
    filter = fmt::format(
        "change(data.a, by subject) > {{}}{0} and change(data.b, by subject) > {{}}{0}", timing);
    id = engine.subscribe(fmt::format(fmt::runtime(filter), 1, 1)).value();
    for (std::size_t i = 0; i < key_count; ++i) {
      now.nanoseconds += 1000;
      engine.publish(event_of(fmt::format("k{}", i), R"({"a":1,"b":1})"), now);
    }
  }

  Engine engine;
  std::string filter;
  SubscriptionId id;
  base::Instant now{1};
};

void BM_RetuneComposite(benchmark::State& state) {
  Keys keys(static_cast<std::size_t>(state.range(0)),
            state.range(1) != 0 ? " at most every 1h" : "");
  const event::EventPtr event = event_of("k5", R"({"a":1,"b":1})");
  Watch watch(state);
  int amount = 2;
  for (auto _ : state) {
    const auto filter =
        filter::Filter::parse(fmt::format(fmt::runtime(keys.filter), amount, amount)).value();
    ++amount;
    watch.time([&] { WEIR_CHECK(keys.engine.retune(keys.id, filter).value()); });
    for (int i = 0; i < 100; ++i) {
      watch.time([&] { benchmark::DoNotOptimize(keys.engine.publish(event, keys.now)); });
    }
    while (keys.engine.has_work()) watch.time([&] { keys.engine.work(); });
  }
}
BENCHMARK(BM_RetuneComposite)
    ->Args({60'000, 0})
    ->Args({600'000, 0})
    ->Args({60'000, 1})
    ->UseManualTime()
    ->Iterations(2);

void BM_RemoveComposite(benchmark::State& state) {
  Keys keys(static_cast<std::size_t>(state.range(0)));
  const event::EventPtr event = event_of("k5", R"({"a":1,"b":1})");
  Watch watch(state);
  for (auto _ : state) {
    watch.time([&] { WEIR_CHECK(keys.engine.unsubscribe(keys.id).has_value()); });
    for (int i = 0; i < 100; ++i) {
      watch.time([&] { benchmark::DoNotOptimize(keys.engine.publish(event, keys.now)); });
    }
    while (keys.engine.has_work()) watch.time([&] { keys.engine.work(); });
  }
}
BENCHMARK(BM_RemoveComposite)->Arg(600'000)->UseManualTime()->Iterations(1);

void BM_SaveComposite(benchmark::State& state) {
  Keys keys(static_cast<std::size_t>(state.range(0)));
  Watch watch(state);
  for (auto _ : state) {
    watch.time([&] { benchmark::DoNotOptimize(keys.engine.save(keys.id)); });
  }
}
BENCHMARK(BM_SaveComposite)->Arg(60'000)->Arg(600'000)->UseManualTime()->Iterations(1);

}  // namespace
}  // namespace weir::engine
