// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint_testing.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "event/event_testing.h"

namespace weir::engine {
namespace {

constexpr std::size_t kHeadBytes = 10;
constexpr std::size_t kChecksumBytes = 8;

constexpr std::array kFilters = {
    "change(data.v, by subject) > 1",
    "change(data.v) > 10%",
    "change(data.v, by subject) >= 2 or silent for 6s",
    "change(data.v, by subject) > 1 at most every 7s",
    "change(data.v, type = 't0') > 1 and change(data.v, type = 't1') > 1",
    "change(data.v, by subject, type = 't0') > 1 at most every 9s and "
    "change(data.v, by subject, type = 't1') > 2 or silent for 8s",
    "change(data.v) > 2 at most every 6s or (change(data.w) > 1 and change(data.v) > 1)",
    "(change(data.v, type = 't0') > 1 and change(data.v, type = 't1') > 1 at most every 5s) or "
    "(change(data.w, type = 't0') > 2 and change(data.v, type = 't2') > 1) or type = 't3'",
    "type = 't1' and change(data.v) > 2 and distinct(subject) within 9s",
    "change(data.v, by subject) > 1 at most every 4s and distinct(data.v) within 12s refresh",
    "distinct(data.v) within 7s",
    "distinct(subject, type) within 5s refresh",
    "text(data.t) about 'storm sea' score >= 0.2 and change(data.v) > 1 at most every 6s",
    "change(data.v, text(data.t) about 'storm' score >= 0.3) > 1 and distinct(data.w) within 20s",
    "text(data.t, subject) about 'storm' score >= 0.3 or "
    "text(html(data.t), subject) in 'german' about all '\"storm at\" -calm'",
    "data.v > 3",
    "distinct(data.v) within 7s exact",
    "distinct(data.v, type) within 6s false positives <= 10%",
    "change(data.v, by subject) rises by > 1 with previous",
    "change(data.v) > 1 and > 30% or silent for 9s",
    "any change(type, by subject) at most every 5s with previous",
    "change(data.v, by subject) crosses 3 upwards hysteresis 1 at most every 4s",
    "change(data.v) crosses 2.5 with previous and any change(data.w)",
    "change(text(data.t), by subject) > 0.3 at most every 6s",
    "change(text(data.t, subject), type = 't1') > 0.2 with previous and "
    "change(data.v) falls by >= 1",
};

}  // namespace

base::Instant at_second(std::int64_t seconds) {
  return base::Instant{} + base::Duration::seconds(seconds);
}

std::span<const char* const> remembering_filters() { return kFilters; }

std::vector<Step> random_steps(base::Prng& prng, std::size_t count) {
  static constexpr std::array kTexts = {"storm at sea", "calm", "a calm sea", "storm and flood"};
  std::vector<Step> steps;
  std::int64_t seconds = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    seconds += static_cast<std::int64_t>(prng.below(4));
    const std::int64_t now = prng.chance(0.05) ? seconds - 5 : seconds;
    if (prng.chance(0.15)) {
      steps.push_back({nullptr, at_second(now)});
      continue;
    }
    const std::string value = prng.chance(0.1) ? "\"x\"" : std::to_string(prng.below(7));
    auto event = event::event_of(fmt::format(
        R"({{"id":"e{}","type":"t{}","subject":"s{}","data":{{"v":{},"w":{}.5,"t":"{}"}}}})", i,
        prng.below(4), prng.below(5), value, prng.below(5), kTexts[prng.below(kTexts.size())]));
    event::assign_sequence(event, i);
    steps.push_back({std::move(event), at_second(now)});
  }
  return steps;
}

std::span<const Delivery> take(Engine& engine, const Step& step) {
  return step.event ? engine.publish(step.event, step.now) : engine.advance(step.now);
}

std::string shown_events(const Delivery& delivery) {
  std::string out;
  for (const auto& event : delivery.events) {
    out += fmt::format("{}{}#{}", out.empty() ? "" : ",", event->id(), event->sequence());
  }
  return out;
}

std::string with_body(std::string_view bytes, std::string_view body) {
  base::ByteWriter writer;
  writer.raw(bytes.substr(0, kHeadBytes));
  writer.raw(body);
  writer.u64(base::hash_bytes(writer.bytes()));
  return writer.take();
}

std::string_view body_of(std::string_view bytes) {
  return bytes.substr(kHeadBytes, bytes.size() - kHeadBytes - kChecksumBytes);
}

}  // namespace weir::engine
