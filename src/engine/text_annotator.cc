// SPDX-License-Identifier: Apache-2.0
#include "engine/text_annotator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "event/json_writer.h"
#include "match/text_strings.h"

namespace weir::engine {
namespace {

using Share = std::pair<std::string_view, std::uint64_t>;

std::string shown(std::uint64_t ten_thousandths) {
  constexpr std::uint64_t kUnits = 10'000;
  return fmt::format("{}.{:04}", ten_thousandths / kUnits, ten_thousandths % kUnits);
}

// Of the query's terms that the document has, in the query's order.
std::vector<Share> shares_of(const match::TextQuery& query, const match::TextFinding& finding) {
  std::vector<Share> shares;
  for (const std::string& term : query.terms) {
    const auto found = finding.shares->terms.find(term);
    if (found != finding.shares->terms.end()) shares.emplace_back(term, found->second);
  }
  const bool is_only_term = query.terms.size() == 1 && finding.score > 0;
  if (shares.empty() && is_only_term) shares.emplace_back(query.terms.front(), finding.score);
  return shares;
}

// The lowest share that is told.
std::uint64_t lowest_told(const std::vector<Share>& shares) {
  if (shares.size() <= kAnnotatedTermCountMax) return 0;
  std::vector<std::uint64_t> sizes;
  for (const Share& share : shares) sizes.push_back(share.second);
  std::ranges::nth_element(sizes, sizes.begin() + kAnnotatedTermCountMax - 1,
                           std::ranges::greater());
  return sizes[kAnnotatedTermCountMax - 1];
}

std::string terms_of(const std::vector<Share>& shares) {
  const std::uint64_t lowest = lowest_told(shares);
  std::string terms;
  std::size_t count = 0;
  for (const auto& [term, share] : shares) {
    if (share < lowest || count == kAnnotatedTermCountMax) continue;
    fmt::format_to(std::back_inserter(terms), "{}{}={}", count++ == 0 ? "" : " ", term,
                   shown(share));
  }
  return terms;
}

}  // namespace

TextAnnotator::TextAnnotator(filter::FilterPtr filter, match::TextAnalyzers& analyzers,
                             Options options)
    : filter_(std::move(filter)), options_(std::move(options)) {
  for (const filter::About* const about : filter_->abouts()) {
    const auto analyzer = analyzers.find_or_make(analyzers.language_of(about->source));
    if (!analyzer) return;
    auto query = match::compile_text_query(*about, options_.score_min, **analyzer);
    if (!query) return;
    predicates_.push_back({about, *std::move(query), *analyzer});
  }
}

std::string TextAnnotator::annotation(const match::TextFinding& finding,
                                      const event::Event* event) {
  std::string out = fmt::format(R"("weirscore":"{}","weirepoch":{})", shown(finding.score),
                                finding.shares->epoch);
  if (finding.about >= predicates_.size()) return out;
  const Predicate& predicate = predicates_[finding.about];
  out += R"(,"weirterms":)";
  event::append_json(terms_of(shares_of(predicate.query, finding)), out);
  if (!highlights()) return out;
  const auto snippets =
      match::highlight(match::text_strings(predicate.about->source.fields, *event), predicate.query,
                       *predicate.analyzer, *options_.highlight);
  if (snippets.empty()) return out;
  out += R"(,"weirhighlight":)";
  event::append_json(fmt::format("{}", fmt::join(snippets, kSnippetSeparator)), out);
  return out;
}

}  // namespace weir::engine
