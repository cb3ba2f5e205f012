// SPDX-License-Identifier: Apache-2.0
#include "001/generator.h"

#include <bitset>
#include <vector>

#include "base/prng.h"
#include "shared/zipf_draw.h"

namespace weir::lab {
namespace {

constexpr std::size_t kContentAttributeCount = 20;
constexpr std::uint64_t kIntegerBound = 10'000;
constexpr double kValueSkew = 0.8;

struct ContentShape {
  ContentKind kind;
  ZipfDraw values{kind == ContentKind::kW1 ? std::size_t{200} : std::size_t{1000}, kValueSkew};

  bool is_enum(std::size_t attribute) const {
    return kind == ContentKind::kW1 ? attribute % 2 == 0 : attribute % 5 != 4;
  }
};

Predicate equality(std::size_t attribute, std::size_t value) {
  const auto wanted = static_cast<std::int64_t>(value);
  return {static_cast<std::uint32_t>(attribute), true, wanted, wanted};
}

Predicate content_range(std::size_t attribute, base::Prng& prng) {
  const std::uint64_t width = 500 + prng.below(1001);
  const std::uint64_t low = prng.below(kIntegerBound - width + 1);
  return {static_cast<std::uint32_t>(attribute), false, static_cast<std::int64_t>(low),
          static_cast<std::int64_t>(low + width - 1)};
}

// class, symbol, open, high, low, close, volume, date.
constexpr std::size_t kQuoteAttributeCount = 8;
constexpr std::size_t kSymbol = 1;
constexpr std::size_t kFirstPrice = 2;
constexpr std::size_t kPriceCount = 4;

// Texts have numbers that are no prices or volumes.
constexpr std::int64_t text(std::int64_t index) { return (std::int64_t{1} << 40) + index; }
constexpr std::int64_t kStock = text(0);
constexpr std::int64_t symbol(std::size_t index) { return text(1 + static_cast<int>(index)); }
constexpr std::int64_t date(std::size_t index) { return text(10'000 + static_cast<int>(index)); }

std::int64_t around(std::int64_t value, double share, base::Prng& prng) {
  const double factor = 1 + share * (2 * prng.fraction() - 1);
  return static_cast<std::int64_t>(static_cast<double>(value) * factor);
}

// In cents, from one dollar to two hundred.
std::vector<std::int64_t> usual_prices(std::size_t symbol_count, base::Prng& prng) {
  std::vector<std::int64_t> prices;
  for (std::size_t i = 0; i < symbol_count; ++i) {
    prices.push_back(static_cast<std::int64_t>(100 * std::pow(200.0, prng.fraction())));
  }
  return prices;
}

void push_quote(Workload& workload, const std::vector<std::int64_t>& prices, base::Prng& prng) {
  const std::size_t index = prng.below(prices.size());
  workload.values.push_back(kStock);
  workload.values.push_back(symbol(index));
  for (std::size_t i = 0; i < kPriceCount; ++i) {
    workload.values.push_back(around(prices[index], 0.05, prng));
  }
  workload.values.push_back(static_cast<std::int64_t>(100 * prng.below(1'000'000)));
  workload.values.push_back(date(workload.publication_count() / prices.size()));
}

}  // namespace

Workload make_content(ContentKind kind, const GeneratorSizes& sizes) {
  Workload workload{.name = kind == ContentKind::kW1 ? "W1" : "W2",
                    .attribute_count = kContentAttributeCount};
  const ContentShape shape{.kind = kind};
  const ZipfDraw attributes(kContentAttributeCount, 1.0);
  base::Prng prng(42);
  while (workload.ends.size() < sizes.subscription_count) {
    std::bitset<kContentAttributeCount> used;
    for (std::uint64_t left = 2 + prng.below(4); left > 0; --left) {
      std::size_t attribute = attributes.next(prng);
      while (used[attribute]) attribute = attributes.next(prng);
      used.set(attribute);
      workload.predicates.push_back(shape.is_enum(attribute)
                                        ? equality(attribute, shape.values.next(prng))
                                        : content_range(attribute, prng));
    }
    workload.ends.push_back(workload.predicates.size());
  }
  prng = base::Prng(4242);
  for (std::size_t i = 0; i < sizes.publication_count; ++i) {
    for (std::size_t j = 0; j < kContentAttributeCount; ++j) {
      const std::uint64_t value =
          shape.is_enum(j) ? shape.values.next(prng) : prng.below(kIntegerBound);
      workload.values.push_back(static_cast<std::int64_t>(value));
    }
  }
  return workload;
}

Workload make_quotes(const QuoteOptions& options, const GeneratorSizes& sizes) {
  Workload workload{.name = "quotes", .attribute_count = kQuoteAttributeCount};
  base::Prng prng(7);
  const std::vector<std::int64_t> prices = usual_prices(options.symbol_count, prng);
  const ZipfDraw liked(options.symbol_count, 1.0);
  while (workload.ends.size() < sizes.subscription_count) {
    const std::size_t index = liked.next(prng);
    if (prng.below(100) < options.equality_percent) {
      workload.predicates.push_back(equality(kSymbol, static_cast<std::size_t>(symbol(index))));
    }
    const std::int64_t low = around(prices[index], 0.1, prng);
    workload.predicates.push_back(
        {static_cast<std::uint32_t>(kFirstPrice + prng.below(kPriceCount)), false, low,
         low + around(prices[index] / 10, 0.5, prng)});
    workload.ends.push_back(workload.predicates.size());
  }
  for (std::size_t i = 0; i < sizes.publication_count; ++i) push_quote(workload, prices, prng);
  return workload;
}

}  // namespace weir::lab
