// SPDX-License-Identifier: Apache-2.0
// Workloads made from a seed.
//
//   W1, W2   those of the content benchmarks: twenty attributes, which subscriptions use by Zipf's
//            law, two to five at a time; enums, compared by =, and integers, asked to lie in a
//            range. W1: every second attribute is an enum of 200 values; W2: four of five, of 1000.
//   quotes   the paper's setting: eight attributes (class, symbol, open, high, low, close, volume,
//            date), `symbol = X` and a range of one price. Quotes of all symbols come equally
//            often, subscriptions prefer some by Zipf's law.
#pragma once

#include <cstddef>
#include <cstdint>

#include "001/workload.h"

namespace weir::lab {

struct GeneratorSizes {
  std::size_t subscription_count = 0;
  std::size_t publication_count = 0;
};

enum class ContentKind : std::uint8_t { kW1, kW2 };
// The same for every size, as far as both go.
Workload make_content(ContentKind kind, const GeneratorSizes& sizes);

struct QuoteOptions {
  std::uint32_t equality_percent = 100;  // of subscriptions that name a symbol; others have a range
  std::size_t symbol_count = 200;
};
Workload make_quotes(const QuoteOptions& options, const GeneratorSizes& sizes);

}  // namespace weir::lab
