// SPDX-License-Identifier: Apache-2.0
#include "match/content_workload_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <utility>

#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::match {
namespace {

constexpr std::uint64_t kIntegerBound = 10'000;
constexpr double kValueSkew = 0.8;

// Draws 0-based ranks; rank i has a weight of (i + 1)^-skew.
class Zipf {
 public:
  Zipf(std::size_t count, double skew) {
    double sum = 0;
    for (std::size_t i = 1; i <= count; ++i) {
      sum += std::pow(static_cast<double>(i), -skew);
      cumulated_.push_back(sum);
    }
    for (double& weight : cumulated_) weight /= sum;
    cumulated_.back() = 1;
  }

  std::size_t draw(base::Prng& prng) const {
    const auto found = std::ranges::upper_bound(cumulated_, prng.fraction());
    return static_cast<std::size_t>(found - cumulated_.begin());
  }

 private:
  std::vector<double> cumulated_;
};

bool is_enum(ContentWorkload workload, std::size_t attribute) {
  return workload == ContentWorkload::kW1 ? attribute % 2 == 0 : attribute % 5 != 4;
}

std::size_t enum_size(ContentWorkload workload) {
  return workload == ContentWorkload::kW1 ? 200 : 1000;
}

ContentPredicate range_predicate(std::uint32_t attribute, base::Prng& prng) {
  const auto width = static_cast<std::uint32_t>(500 + prng.below(1001));
  const auto low = static_cast<std::uint32_t>(prng.below(kIntegerBound - width + 1));
  return {attribute, true, low, low + width - 1};
}

filter::Literal literal(std::uint32_t value) { return {std::int64_t{value}}; }

std::string attribute_name(std::size_t attribute) { return fmt::format("a{}", attribute); }

// Made once: filters are made by the million.
const filter::Operand& operand_of(std::size_t attribute) {
  static const std::vector<filter::Operand> operands = [] {
    std::vector<filter::Operand> all;
    for (std::size_t i = 0; i < kContentAttributeCountMax; ++i) {
      all.push_back({event::Path::data({attribute_name(i)})});
    }
    return all;
  }();
  return operands[attribute];
}

filter::ExprPtr to_expr(const ContentPredicate& predicate) {
  const filter::Operand& operand = operand_of(predicate.attribute);
  if (predicate.is_range) {
    return filter::make(filter::Between{operand, literal(predicate.low), literal(predicate.high)});
  }
  return filter::make(filter::Compare{operand, filter::CompareOp::kEqual, literal(predicate.low)});
}

}  // namespace

std::vector<ContentConjunction> content_conjunctions(ContentWorkload workload, std::size_t count) {
  base::Prng prng(42);
  const Zipf attributes(kContentAttributeCount, 1.0);
  const Zipf values(enum_size(workload), kValueSkew);
  std::vector<ContentConjunction> conjunctions;
  conjunctions.reserve(count);
  while (conjunctions.size() < count) {
    std::bitset<kContentAttributeCount> used;
    ContentConjunction& conjunction = conjunctions.emplace_back();
    for (std::uint64_t left = 2 + prng.below(4); left > 0; --left) {
      std::size_t drawn = attributes.draw(prng);
      while (used[drawn]) drawn = attributes.draw(prng);
      used.set(drawn);
      const auto attribute = static_cast<std::uint32_t>(drawn);
      if (is_enum(workload, attribute)) {
        const auto value = static_cast<std::uint32_t>(values.draw(prng));
        conjunction.push_back({attribute, false, value, value});
      } else {
        conjunction.push_back(range_predicate(attribute, prng));
      }
    }
  }
  return conjunctions;
}

std::vector<ContentRow> content_rows(ContentWorkload workload, std::size_t count) {
  base::Prng prng(4242);
  const Zipf values(enum_size(workload), kValueSkew);
  std::vector<ContentRow> rows(count);
  for (ContentRow& row : rows) {
    for (std::size_t i = 0; i < kContentAttributeCount; ++i) {
      row[i] = static_cast<std::uint32_t>(is_enum(workload, i) ? values.draw(prng)
                                                               : prng.below(kIntegerBound));
    }
  }
  return rows;
}

std::vector<ContentRow> reversed(ContentWorkload workload, std::vector<ContentRow> rows) {
  for (ContentRow& row : rows) {
    for (std::size_t i = 0; i < kContentAttributeCount; ++i) {
      if (!is_enum(workload, i)) continue;
      row[i] = static_cast<std::uint32_t>(enum_size(workload)) - 1 - row[i];
    }
  }
  return rows;
}

std::vector<ContentRow> half_fixed(ContentWorkload workload, std::vector<ContentRow> rows,
                                   ContentHalf fixed) {
  for (ContentRow& row : rows) {
    for (std::size_t i = fixed == ContentHalf::kEven ? 0 : 1; i < row.size(); i += 2) {
      if (is_enum(workload, i)) row[i] = 0;
    }
  }
  return rows;
}

std::string to_text(const ContentConjunction& conjunction) {
  std::string text;
  for (const ContentPredicate& predicate : conjunction) {
    if (!text.empty()) text += " and ";
    text += predicate.is_range ? fmt::format("data.a{} between {} and {}", predicate.attribute,
                                             predicate.low, predicate.high)
                               : fmt::format("data.a{} = {}", predicate.attribute, predicate.low);
  }
  return text;
}

filter::FilterPtr to_filter(const ContentConjunction& conjunction) {
  std::vector<filter::ExprPtr> terms;
  for (const ContentPredicate& predicate : conjunction) terms.push_back(to_expr(predicate));
  return filter::Filter::create(
             {.expr = filter::make_and(std::move(terms)), .distinct = std::nullopt, .warnings = {}})
      .value();
}

event::EventPtr to_event(const ContentRow& row) {
  std::string data;
  for (std::size_t i = 0; i < row.size(); ++i) {
    data += fmt::format("{}\"a{}\":{}", i == 0 ? "" : ",", i, row[i]);
  }
  return event::event_of(fmt::format(R"({{"data":{{{}}}}})", data));
}

std::vector<event::EventPtr> to_events(const std::vector<ContentRow>& rows) {
  std::vector<event::EventPtr> events;
  for (const ContentRow& row : rows) events.push_back(to_event(row));
  return events;
}

std::uint64_t content_match_mix(std::uint64_t event_index, std::uint64_t filter_index) {
  std::uint64_t z = (event_index * 1'000'003 + filter_index + 1) * 0x9E3779B97F4A7C15U;
  z ^= z >> 29U;
  z *= 0xBF58476D1CE4E5B9U;
  return z ^ (z >> 32U);
}

void FlatScan::add(const ContentConjunction& conjunction) {
  for (const ContentPredicate& predicate : conjunction) {
    predicates_.push_back({0, predicate.attribute, predicate.low, predicate.high - predicate.low});
  }
  predicates_.back().is_last = 1;
}

void FlatScan::match(const ContentRow& row, std::vector<std::uint32_t>& matches) const {
  std::uint32_t index = 0;
  const Predicate* const end = predicates_.data() + predicates_.size();
  for (const Predicate* at = predicates_.data(); at != end; ++at) {
    const bool holds = row[at->attribute] - at->low <= at->span;
    if (holds && at->is_last == 0) continue;
    if (holds) matches.push_back(index);
    while (at->is_last == 0) ++at;
    ++index;
  }
}

}  // namespace weir::match
