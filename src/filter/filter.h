// SPDX-License-Identifier: Apache-2.0
// Filter: what one subscription wants, checked and in normal form. Immutable, shared by pointer.
//
//   auto filter = Filter::parse("type = 'quote' and change(data.price, by subject) > 2%");
//   if (!filter) complain(filter.error());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "filter/ast.h"
#include "filter/limits.h"
#include "filter/normal_form.h"

namespace weir::filter {

// The kinds of interest a filter combines.
struct Kinds {
  bool topic = false;    // only type, source or subject are looked at
  bool content = false;  // any other attribute, or data
  bool text = false;
  bool change = false;
  bool distinct = false;
};

class Filter;
using FilterPtr = std::shared_ptr<const Filter>;

class Filter {
 public:
  // A filter in the weir language.
  static base::Result<FilterPtr> parse(std::string_view text, const FilterLimits& limits = {});
  // A CESQL expression.
  static base::Result<FilterPtr> parse_cesql(std::string_view text,
                                             const FilterLimits& limits = {});
  // The `filters` of a CloudEvents subscription: a JSON array of filter objects, ANDed.
  static base::Result<FilterPtr> parse_dialects(std::string_view json,
                                                const FilterLimits& limits = {});
  static base::Result<FilterPtr> create(Parsed parsed, const FilterLimits& limits = {});

  const ExprPtr& expr() const { return expr_; }
  const std::optional<Distinct>& distinct() const { return distinct_; }
  const NormalForm& normal_form() const { return normal_form_; }
  // True if the expression has a change term: matching is then by conjunction.
  bool has_change() const { return kinds_.change; }
  const Kinds& kinds() const { return kinds_; }
  const std::vector<Warning>& warnings() const { return warnings_; }
  // All text predicates, also those inside the conditions of change.
  const std::vector<const About*>& abouts() const { return abouts_; }
  // What every text predicate and every change of a text reads.
  const std::vector<const TextSource*>& text_sources() const { return text_sources_; }

  // The canonical text, which parses to an equal filter.
  std::string to_text() const;

 private:
  Filter() = default;
  void survey(const Expr& expr);
  void survey(const Predicate& predicate);
  void survey(const event::Path& path);

  ExprPtr expr_;
  std::optional<Distinct> distinct_;
  NormalForm normal_form_;
  Kinds kinds_;
  std::vector<Warning> warnings_;
  std::vector<const About*> abouts_;
  std::vector<const TextSource*> text_sources_;
};

}  // namespace weir::filter
