// SPDX-License-Identifier: Apache-2.0
// Any bytes as the state of a filter are refused, or saved back as they are, and the engine goes on
// from them to states that are taken. The first byte picks the filter, or corpora, and whether the
// rest is a body whose head and checksum are put right.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/check.h"
#include "engine/checkpoint.h"
#include "engine/checkpoint_testing.h"

namespace {

using weir::engine::Engine;
using weir::engine::EngineOptions;
using weir::engine::Step;
using weir::engine::with_body;

constexpr std::size_t kStepCount = 30;
constexpr std::uint8_t kIsBody = 0x80;

const EngineOptions kOptions = {.change_key_count_max = 50, .distinct_key_count_max = 50};

const std::vector<Step>& steps() {
  static const std::vector<Step> kSteps = [] {
    weir::base::Prng prng(1);
    return weir::engine::random_steps(prng, kStepCount);
  }();
  return kSteps;
}

void go_on(Engine& engine) {
  for (const Step& step : steps()) take(engine, step);
  engine.advance({std::numeric_limits<std::int64_t>::max()});
}

void try_state(const char* filter, const std::string& bytes, bool is_body) {
  Engine fresh(kOptions);
  const auto id = fresh.subscribe(filter);
  const std::string empty = *fresh.save(*id);
  const std::string state = is_body && !empty.empty() ? with_body(empty, bytes) : bytes;
  Engine engine(kOptions);
  const auto restored = engine.subscribe(filter, {.state = state});
  if (!restored) {
    WEIR_CHECK(restored.error().id == weir::base::ErrorId::kStoreCorrupt);
    return;
  }
  const bool is_old = state.size() > 1 && state[1] < weir::engine::kSubscriptionVersion;
  WEIR_CHECK(state.empty() || is_old || *engine.save(*restored) == state);
  go_on(engine);
  Engine again(kOptions);
  const std::string later = *engine.save(*restored);
  const auto taken = again.subscribe(filter, {.state = later});
  WEIR_CHECK(taken.has_value());
  WEIR_CHECK(*again.save(*taken) == later);
}

void try_text(const std::string& bytes, bool is_body) {
  static const char* const kText = "text(data.t) about 'storm sea' score >= 0.2";
  Engine engine(kOptions);
  WEIR_CHECK(engine.subscribe(kText).has_value());
  const std::string empty = engine.save_text();
  if (!engine.restore_text(is_body ? with_body(empty, bytes) : bytes)) {
    WEIR_CHECK(engine.save_text() == empty);
    return;
  }
  go_on(engine);
  Engine again(kOptions);
  WEIR_CHECK(again.restore_text(engine.save_text()).has_value());
  WEIR_CHECK(again.subscribe(kText).has_value());
  WEIR_CHECK(again.save_text() == engine.save_text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto filters = weir::engine::remembering_filters();
  const std::size_t index = (data[0] & ~kIsBody) % (filters.size() + 1);
  const bool is_body = (data[0] & kIsBody) != 0;
  const std::string bytes(data + 1, data + size);
  if (index == filters.size()) {
    try_text(bytes, is_body);
  } else {
    try_state(filters[index], bytes, is_body);
  }
  return 0;
}
