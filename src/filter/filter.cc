// SPDX-License-Identifier: Apache-2.0
#include "filter/filter.h"

#include <type_traits>
#include <utility>

#include "filter/dialects.h"
#include "filter/print.h"
#include "filter/weir_parser.h"

namespace weir::filter {

base::Result<FilterPtr> Filter::parse(std::string_view text, const FilterLimits& limits) {
  auto parsed = parse_weir(text, limits);
  if (!parsed) return parsed.error();
  return create(std::move(*parsed), limits);
}

base::Result<FilterPtr> Filter::parse_cesql(std::string_view text, const FilterLimits& limits) {
  auto parsed = filter::parse_cesql(text, limits);
  if (!parsed) return parsed.error();
  return create(std::move(*parsed), limits);
}

base::Result<FilterPtr> Filter::parse_dialects(std::string_view json, const FilterLimits& limits) {
  auto parsed = filter::parse_dialects(json, limits);
  if (!parsed) return parsed.error();
  return create(std::move(*parsed), limits);
}

base::Result<FilterPtr> Filter::create(Parsed parsed, const FilterLimits& limits) {
  auto form = normalize(parsed.expr, limits);
  if (!form) return form.error();
  auto filter = std::shared_ptr<Filter>(new Filter());
  filter->expr_ = std::move(parsed.expr);
  filter->distinct_ = std::move(parsed.distinct);
  filter->warnings_ = std::move(parsed.warnings);
  filter->normal_form_ = std::move(*form);
  filter->kinds_.distinct = filter->distinct_.has_value();
  filter->survey(*filter->expr_);
  return FilterPtr(std::move(filter));
}

std::string Filter::to_text() const { return filter::to_text(*expr_, distinct_); }

void Filter::survey(const Expr& expr) {
  if (const auto* predicate = expr.predicate()) {
    survey(*predicate);
  } else if (const auto* negation = std::get_if<Not>(&expr.node)) {
    survey(*negation->term);
  } else {
    const auto* conjunction = std::get_if<And>(&expr.node);
    const auto& terms = conjunction != nullptr ? conjunction->terms : std::get<Or>(expr.node).terms;
    for (const ExprPtr& term : terms) survey(*term);
  }
}

void Filter::survey(const Predicate& predicate) {
  if (const auto* compare = std::get_if<Compare>(&predicate)) {
    survey(compare->left.path);
    if (const auto* right = std::get_if<Operand>(&compare->right)) survey(right->path);
  } else if (const auto* about = std::get_if<About>(&predicate)) {
    kinds_.text = true;
    abouts_.push_back(about);
    text_sources_.push_back(&about->source);
  } else if (const auto* change = std::get_if<Change>(&predicate)) {
    kinds_.change = true;
    if (const auto* const rewords = std::get_if<Rewords>(&change->movement)) {
      kinds_.text = true;
      text_sources_.push_back(&rewords->source);
    }
    if (change->condition != nullptr) survey(*change->condition);
  } else if (const auto* cesql = std::get_if<Cesql>(&predicate)) {
    for (const std::string& name : cesql::attributes_used(*cesql->expression)) {
      survey(event::Path::attribute(name));
    }
  } else if (const auto* exists = std::get_if<Exists>(&predicate)) {
    survey(exists->path);
  } else {
    std::visit(
        [this](const auto& one) {
          if constexpr (requires { one.operand; }) survey(one.operand.path);
        },
        predicate);
  }
}

void Filter::survey(const event::Path& path) {
  using event::CoreAttribute;
  const bool topic = path.core() == CoreAttribute::kType || path.core() == CoreAttribute::kSource ||
                     path.core() == CoreAttribute::kSubject;
  (topic ? kinds_.topic : kinds_.content) = true;
}

}  // namespace weir::filter
