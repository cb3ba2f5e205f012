// SPDX-License-Identifier: Apache-2.0
// TextOracle: text filters by definition, one after the other; the judge of TextIndex. Terms are
// numbers here, and term_name() says what the index calls them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "match/text/text_filter.h"
#include "match/text/text_index.h"

namespace weir::match::text {

struct TestFilter {
  TextMode mode = TextMode::kAny;
  std::vector<std::uint32_t> terms;
  double score_min = 0;
};

using TestDocument = std::map<std::uint32_t, double>;  // term -> share

std::string term_name(std::uint32_t term);

// By definition: shares added from first to last.
double score_of(const TestFilter& filter, const TestDocument& document);
bool matches(const TestFilter& filter, const TestDocument& document);

// What the index is told.
void add_to(TextIndex& index, MemberId member, const TestFilter& filter);
void update_in(TextIndex& index, MemberId member, const TestFilter& filter);
void add_all_to(TextIndex& index, const std::map<MemberId, TestFilter>& filters);
// Ascending by member.
std::vector<TextHit> hits_of(TextIndex& index, const TestDocument& document);

class TextOracle {
 public:
  void set(MemberId member, TestFilter filter) { filters_[member] = std::move(filter); }
  void remove(MemberId member) { filters_.erase(member); }
  const std::map<MemberId, TestFilter>& filters() const { return filters_; }
  // Ascending by member.
  std::vector<TextHit> hits_of(const TestDocument& document) const;

 private:
  std::map<MemberId, TestFilter> filters_;
};

}  // namespace weir::match::text
