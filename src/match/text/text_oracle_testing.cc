// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_oracle_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace weir::match::text {
namespace {

struct Named {
  explicit Named(const TestFilter& filter) {
    for (const std::uint32_t term : filter.terms) names.push_back(term_name(term));
    views.assign(names.begin(), names.end());
  }

  std::vector<std::string> names;
  std::vector<std::string_view> views;
};

TextFilter filter_of(MemberId member, const TestFilter& filter, const Named& named) {
  return {member, filter.mode, named.views, filter.score_min};
}

}  // namespace

std::string term_name(std::uint32_t term) { return fmt::format("term{}", term); }

double score_of(const TestFilter& filter, const TestDocument& document) {
  double score = 0;
  for (const std::uint32_t term : filter.terms) {
    const auto found = document.find(term);
    if (found != document.end()) score += found->second;
  }
  return score;
}

bool matches(const TestFilter& filter, const TestDocument& document) {
  const auto in_document = [&](std::uint32_t term) { return document.contains(term); };
  const bool mode_holds = filter.mode == TextMode::kAll
                              ? std::ranges::all_of(filter.terms, in_document)
                              : std::ranges::any_of(filter.terms, in_document);
  return mode_holds && score_of(filter, document) >= filter.score_min;
}

void add_to(TextIndex& index, MemberId member, const TestFilter& filter) {
  const Named named(filter);
  index.add(filter_of(member, filter, named));
}

void update_in(TextIndex& index, MemberId member, const TestFilter& filter) {
  const Named named(filter);
  index.update(filter_of(member, filter, named));
}

void add_all_to(TextIndex& index, const std::map<MemberId, TestFilter>& filters) {
  std::vector<Named> names;
  names.reserve(filters.size());
  std::vector<TextFilter> all;
  for (const auto& [member, filter] : filters) {
    names.emplace_back(filter);
    all.push_back(filter_of(member, filter, names.back()));
  }
  index.add_all(all);
}

std::vector<TextHit> hits_of(TextIndex& index, const TestDocument& document) {
  std::vector<DocumentTerm> terms;
  for (const auto& [term, share] : document) {
    const TermId id = index.terms().find(term_name(term));
    if (id != kNoId) terms.push_back({id, share});
  }
  std::vector<TextHit> hits;
  index.match(terms, hits);
  std::ranges::sort(hits, {}, &TextHit::member);
  return hits;
}

std::vector<TextHit> TextOracle::hits_of(const TestDocument& document) const {
  std::vector<TextHit> hits;
  for (const auto& [member, filter] : filters_) {
    if (matches(filter, document)) hits.push_back({member, score_of(filter, document)});
  }
  return hits;
}

}  // namespace weir::match::text
