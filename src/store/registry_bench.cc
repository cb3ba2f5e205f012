// SPDX-License-Identifier: Apache-2.0
// What a change list costs: the fixed price of a transaction, and the price of a row.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/temporary_directory_testing.h"
#include "store/registry.h"

namespace weir::store {
namespace {

void BM_ApplyCursors(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const base::TemporaryDirectory directory;
  const auto registry = Registry::open(directory / "registry.db");
  WEIR_CHECK(registry.has_value());
  std::vector<RegistryChange> subscriptions;
  for (std::uint64_t number = 1; number <= count; ++number) {
    subscriptions.emplace_back(SubscriptionRow{.number = number,
                                               .id = std::to_string(number),
                                               .owner = "",
                                               .definition = "{}",
                                               .created = {}});
  }
  WEIR_CHECK((*registry)->apply(subscriptions).has_value());
  std::vector<RegistryChange> cursors;
  std::uint64_t round = 0;
  for (auto _ : state) {
    cursors.clear();
    ++round;
    for (std::uint64_t number = 1; number <= count; ++number) {
      cursors.emplace_back(CursorRow{number, round, round});
    }
    WEIR_CHECK((*registry)->apply(cursors).has_value());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ApplyCursors)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime();

}  // namespace
}  // namespace weir::store
