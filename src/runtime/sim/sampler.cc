// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/sampler.h"

#include <algorithm>
#include <utility>

#include "base/prng.h"

namespace weir::runtime::sim {

namespace {

constexpr std::uint64_t kSampleSalt = 0x6C6F6F6BU;
constexpr std::size_t kSampleKeyCount = 100;

}  // namespace

Sampler::Sampler(const Scenario& scenario, World& world, Progress progress)
    : scenario_(scenario), world_(world), progress_(std::move(progress)) {
  base::Prng prng(scenario.seed ^ kSampleSalt);
  for (std::size_t i = 0; i < kSampleKeyCount; ++i) {
    keys_.push_back({prng.next() & world.maker().ring().mask()});
  }
}

void Sampler::sample_at(base::Instant instant) {
  if (instant > base::Instant{} + scenario_.end()) return;
  world_.sim().at(instant, [this, instant] {
    look();
    sample_at(instant + scenario_.sample_every);
  });
}

void Sampler::look() {
  const base::Duration at = world_.sim().now() - base::Instant{};
  looks_.push_back({.at = at,
                    .up_count = world_.up().size(),
                    .unsettled_count = unsettled_count(),
                    .costs = world_.sim().costs()});
  if (progress_) progress_(at, world_.sim().message_count());
}

std::uint64_t Sampler::unsettled_count() {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(keys_, [this](protocol::Key key) { return !world_.is_settled(key); }));
}

void Sampler::report(Report& report) const {
  report.kinds = report.costs.kinds();
  report.sample_key_count = keys_.size();
  for (const Look& look : looks_) {
    Sample sample{.at = look.at,
                  .up_count = look.up_count,
                  .unsettled_count = look.unsettled_count,
                  .hops_by_kind = {}};
    for (const protocol::MessageKind kind : report.kinds) {
      sample.hops_by_kind.push_back(look.costs.of(kind).hop_count);
    }
    report.samples.push_back(std::move(sample));
  }
}

}  // namespace weir::runtime::sim
