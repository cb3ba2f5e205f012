// SPDX-License-Identifier: Apache-2.0
#include "002/generator.h"

#include <algorithm>
#include <cmath>

#include "base/prng.h"

namespace weir::lab {
namespace {

constexpr double kUpChance = 0.75;     // of kTrend
constexpr Value kJumpMax = 1'000;      // of kJumps
constexpr Value kErrorMax = 5;         // of kNoisy
constexpr Value kLevelMax = 30;        // of kLevel
constexpr Value kFine = 1'024;         // parts of 1, in which kReverting walks
constexpr Value kPush = 17 * kFine;    // of kReverting, away
constexpr Value kReversionShare = 10;  // of kReverting, back: one of so many parts

// Uniform from -largest to largest.
Value within(Value largest, base::Prng& prng) {
  return static_cast<Value>(prng.below(2 * static_cast<std::uint64_t>(largest) + 1)) - largest;
}

Value signed_unit(double up_chance, base::Prng& prng) { return prng.chance(up_chance) ? 1 : -1; }

Value jump(base::Prng& prng) {
  const double size = std::floor(1 / std::sqrt(1 - prng.fraction())) - 1;
  const Value length = std::min(static_cast<Value>(size), kJumpMax);
  return signed_unit(0.5, prng) * length;
}

class Walk {
 public:
  Walk(Law law, std::uint64_t seed) : law_(law), prng_(seed) {}

  Value next() {
    if (law_ == Law::kLevel) return within(kLevelMax, prng_);
    place_ += step();
    if (law_ == Law::kReverting) return place_ / kFine;
    return law_ == Law::kNoisy ? place_ + within(kErrorMax, prng_) : place_;
  }

 private:
  Value step() {
    switch (law_) {
      case Law::kUniform:
        return within(3, prng_);
      case Law::kJumps:
        return jump(prng_);
      case Law::kTrend:
        return signed_unit(kUpChance, prng_);
      case Law::kReverting:
        return within(kPush, prng_) - place_ / kReversionShare;
      case Law::kUnit:
      case Law::kNoisy:
      case Law::kLevel:
        break;
    }
    return signed_unit(0.5, prng_);
  }

  Law law_;
  base::Prng prng_;
  Value place_ = 0;
};

}  // namespace

std::string_view name_of(Law law) {
  switch (law) {
    case Law::kUnit:
      return "unit walks";
    case Law::kUniform:
      return "uniform walks";
    case Law::kJumps:
      return "walks with jumps";
    case Law::kTrend:
      return "walks with trend";
    case Law::kReverting:
      return "reverting walks";
    case Law::kNoisy:
      return "noisy walks";
    case Law::kLevel:
      break;
  }
  return "noise around a level";
}

Workload make_walks(const WalkOptions& options) {
  Workload workload{.name = std::string(options.name)};
  base::Prng seeds(options.seed);
  for (std::size_t i = 0; i < options.stream_count; ++i) {
    Walk walk(options.law, seeds.next());
    Stream& stream = workload.streams.emplace_back(options.length);
    std::ranges::generate(stream, [&] { return walk.next(); });
  }
  return workload;
}

}  // namespace weir::lab
