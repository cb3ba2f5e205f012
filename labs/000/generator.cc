// SPDX-License-Identifier: Apache-2.0
#include "000/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "base/prng.h"
#include "shared/zipf_draw.h"

namespace weir::lab {
namespace {

double expected_distinct(std::size_t item_count, double exponent, double draw_count) {
  double sum = 0;
  for (const double weight : zipf_weights(item_count, exponent)) {
    sum -= std::expm1(draw_count * std::log1p(-std::min(weight, 1 - 1e-12)));
  }
  return sum;
}

// From so many items, that many draws find about distinct_count different ones.
std::size_t domain_size(double distinct_count, double exponent, double draw_count) {
  WEIR_CHECK(distinct_count >= 1 && distinct_count < draw_count);
  auto low = static_cast<std::size_t>(distinct_count);
  std::size_t high = low + 1;
  constexpr std::size_t kItemCountMax = 10'000'000;
  while (high < kItemCountMax && expected_distinct(high, exponent, draw_count) < distinct_count) {
    high *= 2;
  }
  while (high - low > std::max<std::size_t>(1, low / 1000)) {
    const std::size_t middle = low + (high - low) / 2;
    (expected_distinct(middle, exponent, draw_count) < distinct_count ? low : high) = middle;
  }
  return low;
}

// Networks of the first two octets, of unequal size, below few first octets.
std::vector<std::string> make_clients(std::size_t client_count, base::Prng& prng) {
  constexpr std::size_t kFirstOctetCount = 40;
  const ZipfDraw first(kFirstOctetCount, 1.0);
  const ZipfDraw other(30, 1.0);
  std::vector<std::string> clients;
  for (std::size_t i = 0; i < client_count; ++i) {
    clients.push_back(fmt::format("{}.{}.{}.{}", 60 + first.next(prng), other.next(prng),
                                  other.next(prng), prng.below(256)));
  }
  std::ranges::sort(clients);
  clients.erase(std::unique(clients.begin(), clients.end()), clients.end());
  for (std::size_t i = clients.size(); i > 1; --i)
    std::swap(clients[i - 1], clients[prng.below(i)]);
  return clients;
}

// The client's network as an index below the number of clients.
std::vector<std::uint32_t> networks_of(const std::vector<std::string>& clients) {
  std::vector<std::string> names;
  for (const std::string& client : clients) {
    const auto path = client_path(client);
    names.push_back(path[0] + '.' + path[1]);
  }
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> networks;
  for (const std::string& name : names) {
    const auto found = std::ranges::lower_bound(sorted, name);
    networks.push_back(static_cast<std::uint32_t>(found - sorted.begin()));
  }
  return networks;
}

std::uint64_t key_of(std::size_t rank, std::uint64_t seed) {
  return base::hash_bytes(fmt::format("/item/{}", rank), seed);
}

}  // namespace

Workload make_synthetic(const SyntheticOptions& options) {
  base::Prng prng(options.seed);
  const ZipfDraw draw(domain_size(static_cast<double>(options.distinct_count), options.exponent,
                                  static_cast<double>(options.event_count)),
                      options.exponent);
  Workload workload{.name = options.name, .events = {}, .clients = {"10.0.0.1"}};
  for (std::size_t i = 0; i < options.event_count; ++i) {
    workload.events.push_back({key_of(draw.next(prng), options.seed), 0});
  }
  return workload;
}

Workload make_web_log(const WebLogOptions& options) {
  base::Prng prng(options.seed);
  const double fresh_share = 1 - options.own_repeat - options.network_repeat;
  const ZipfDraw urls(domain_size(static_cast<double>(options.distinct_count), 1.0,
                                  fresh_share * static_cast<double>(options.event_count)),
                      1.0);
  Workload workload{
      .name = "web log", .events = {}, .clients = make_clients(options.client_count, prng)};
  const std::vector<std::uint32_t> networks = networks_of(workload.clients);
  const ZipfDraw activity(workload.clients.size(), 0.8);
  std::vector<std::vector<std::uint64_t>> own(networks.size());
  std::vector<std::vector<std::uint64_t>> shared(networks.size());
  for (std::size_t i = 0; i < options.event_count; ++i) {
    const std::size_t client = activity.next(prng);
    auto& past = own[client];
    auto& network_past = shared[networks[client]];
    const double chance = prng.fraction();
    std::uint64_t key = key_of(urls.next(prng), options.seed);
    if (chance < options.own_repeat) {
      if (!past.empty()) key = past[prng.below(past.size())];
    } else if (chance < 1 - fresh_share && !network_past.empty()) {
      key = network_past[prng.below(network_past.size())];
    }
    past.push_back(key);
    network_past.push_back(key);
    workload.events.push_back({key, static_cast<std::uint32_t>(client)});
  }
  return workload;
}

}  // namespace weir::lab
