// SPDX-License-Identifier: Apache-2.0
#include "engine/text_annotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "event/json_writer.h"

namespace weir::engine {
namespace {

using Share = std::pair<std::string, double>;

// The lowest share that is told.
double lowest_told(const std::vector<Share>& shares) {
  if (shares.size() <= kAnnotatedTermCountMax) return 0;
  std::vector<double> sizes;
  for (const Share& share : shares) sizes.push_back(share.second);
  std::ranges::nth_element(sizes, sizes.begin() + kAnnotatedTermCountMax - 1,
                           std::ranges::greater());
  return sizes[kAnnotatedTermCountMax - 1];
}

std::string terms_of(const std::vector<Share>& shares) {
  const double lowest = lowest_told(shares);
  std::string terms;
  std::size_t count = 0;
  for (const auto& [term, share] : shares) {
    if (share < lowest || count == kAnnotatedTermCountMax) continue;
    fmt::format_to(std::back_inserter(terms), "{}{}={:.4f}", count++ == 0 ? "" : " ", term, share);
  }
  return terms;
}

}  // namespace

std::string text_annotation(const match::TextMatchInfo& info,
                            const std::vector<std::string>& snippets) {
  std::string out = fmt::format(R"("weirscore":"{:.4f}","weirepoch":{},"weirterms":)",
                                info.verdict.score, info.verdict.epoch);
  event::append_json(terms_of(info.shares), out);
  if (snippets.empty()) return out;
  out += R"(,"weirhighlight":)";
  event::append_json(fmt::format("{}", fmt::join(snippets, kSnippetSeparator)), out);
  return out;
}

}  // namespace weir::engine
