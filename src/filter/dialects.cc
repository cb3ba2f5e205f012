// SPDX-License-Identifier: Apache-2.0
#include "filter/dialects.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/near_name.h"
#include "event/event_rules.h"
#include "event/json_document.h"
#include "filter/cesql/filter_check.h"
#include "filter/cesql/parser.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;
using event::JsonKind;
using event::JsonRef;

constexpr std::array<std::string_view, 9> kDialects = {"exact", "prefix", "suffix", "all", "any",
                                                       "not",   "sql",    "cesql",  "weir"};

class DialectReader {
 public:
  DialectReader(std::string_view json, const FilterLimits& limits) : json_(json), limits_(limits) {}

  base::Result<Parsed> read() {
    auto document = event::JsonDocument::parse(
        json_, {.text_bytes_max = kJsonBytesFactor * limits_.text_bytes_max,
                // Deep enough that one filter too many is told as such.
                .depth_max = 2 * limits_.depth_max + 4});
    if (!document) return document.error();
    base_ = static_cast<std::size_t>(document->text().data() - json_.data());
    auto expr = list(document->root(), "filters", Combine::kAnd, true);
    if (!expr) return expr.error();
    return Parsed{std::move(*expr), std::move(distinct_), std::move(warnings_)};
  }

 private:
  enum class Combine : std::uint8_t { kAnd, kOr };

  // `top`: inside nothing but the outermost array, where distinct is still last of all.
  base::Result<ExprPtr> list(const JsonRef& array, std::string_view name, Combine combine,
                             bool top) {
    if (array.kind() != JsonKind::kArray) {
      return shape(array, fmt::format("expected {} to be an array of filter objects", name));
    }
    std::vector<ExprPtr> terms;
    std::optional<base::Error> failed;
    array.for_each_element([&](const JsonRef& element) {
      if (failed) return;
      auto term = too_many(terms.size(), element) ? limit_error(element) : object(element, top);
      if (term) {
        terms.push_back(std::move(*term));
      } else {
        failed = term.error();
      }
    });
    if (failed) return *failed;
    if (terms.empty() && !top)
      return shape(array, fmt::format("expected {} not to be empty", name));
    return combine == Combine::kAnd ? make_and(std::move(terms)) : make_or(std::move(terms));
  }

  base::Result<ExprPtr> object(const JsonRef& value, bool top) {
    if (value.kind() != JsonKind::kObject) {
      return shape(value, "expected a filter object with one dialect");
    }
    JsonRef name;
    JsonRef argument;
    std::size_t count = 0;
    value.for_each_member([&](const JsonRef& member_name, const JsonRef& member) {
      if (count++ == 0) {
        name = member_name;
        argument = member;
      }
    });
    if (count != 1) {
      return shape(value,
                   fmt::format("expected exactly one dialect in a filter object, found {}", count));
    }
    if (++depth_ > limits_.depth_max) {
      return base::Error{ErrorId::kFilterTooDeep,
                         fmt::format("filters are nested deeper than {}", limits_.depth_max),
                         position(value)};
    }
    auto expr = dialect(name, argument, top);
    --depth_;
    return expr;
  }

  base::Result<ExprPtr> dialect(const JsonRef& name_ref, const JsonRef& argument, bool top) {
    const std::string_view name = name_ref.string();
    if (name == "exact" || name == "prefix" || name == "suffix") return affix(name, argument);
    if (name == "all") return list(argument, "all", Combine::kAnd, false);
    if (name == "any") return list(argument, "any", Combine::kOr, false);
    if (name == "not") {
      auto inner = object(argument, false);
      if (!inner) return inner;
      return make_not(std::move(*inner));
    }
    if (name == "weir" || name == "sql" || name == "cesql") {
      if (argument.kind() != JsonKind::kString) {
        return shape(argument, fmt::format("expected {} to be a string", name));
      }
      return name == "weir" ? weir(argument, top) : sql(name, argument);
    }
    return base::Error{ErrorId::kFilterDialectUnknown,
                       fmt::format("there is no dialect {}{} (expected one of: {})", name_ref.raw(),
                                   base::did_you_mean(name, kDialects), fmt::join(kDialects, " ")),
                       position(name_ref)};
  }

  base::Result<ExprPtr> affix(std::string_view dialect_name, const JsonRef& argument) {
    if (argument.kind() != JsonKind::kObject) {
      return shape(
          argument,
          fmt::format("expected {} to be an object of attribute names and values", dialect_name));
    }
    std::vector<ExprPtr> terms;
    std::optional<base::Error> failed;
    argument.for_each_member([&](const JsonRef& name, const JsonRef& value) {
      if (failed) return;
      auto term =
          too_many(terms.size(), name) ? limit_error(name) : match(dialect_name, name, value);
      if (term) {
        terms.push_back(std::move(*term));
      } else {
        failed = term.error();
      }
    });
    if (failed) return *failed;
    if (terms.empty()) {
      return shape(argument, fmt::format("expected at least one attribute in {}", dialect_name));
    }
    return make_and(std::move(terms));
  }

  base::Result<ExprPtr> match(std::string_view dialect_name, const JsonRef& name,
                              const JsonRef& value) {
    if (name.string() == "data") {
      return shape(name, fmt::format("{} compares attributes, and data is none: expected a weir "
                                     "filter for what is inside data",
                                     dialect_name));
    }
    if (!event::is_attribute_name(name.string())) {
      return shape(name,
                   fmt::format("expected an attribute name of a-z and 0-9, found {}", name.raw()));
    }
    if (value.kind() != JsonKind::kString || value.string().empty()) {
      return shape(value, fmt::format("expected the value of '{}' to be a string that is not empty",
                                      name.string()));
    }
    Operand operand{event::Path::attribute(name.string())};
    using event::CoreAttribute;
    const CoreAttribute core = operand.path.core();
    // Core attributes other than time are strings already.
    if (core == CoreAttribute::kNone || core == CoreAttribute::kTime) {
      operand.conversion = Operand::Conversion::kString;
    }
    std::string text(value.string());
    if (dialect_name == "exact") {
      return make(Compare{std::move(operand), CompareOp::kEqual, Literal{std::move(text)}});
    }
    const auto side = dialect_name == "prefix" ? Affix::Side::kPrefix : Affix::Side::kSuffix;
    return make(Affix{std::move(operand), side, std::move(text)});
  }

  base::Result<ExprPtr> weir(const JsonRef& argument, bool top) {
    auto parsed = parse_weir(argument.string(), limits_);
    if (!parsed) return inside(argument, "weir", parsed.error());
    if (parsed->distinct) {
      if (!top || distinct_) {
        return base::Error{ErrorId::kFilterDistinctPlace,
                           top ? "distinct stands in two filters: expected one for all of them"
                               : "distinct applies to the whole subscription: expected it in a "
                                 "weir filter of the outermost array",
                           position(argument)};
      }
      distinct_ = std::move(parsed->distinct);
    }
    for (Warning& warning : parsed->warnings) {
      warnings_.push_back({warning.id, position(argument), std::move(warning.message)});
    }
    return std::move(parsed->expr);
  }

  base::Result<ExprPtr> sql(std::string_view name, const JsonRef& argument) {
    auto parsed = parse_cesql(argument.string(), limits_);
    if (!parsed) return inside(argument, name, parsed.error());
    for (Warning& warning : parsed->warnings) {
      warnings_.push_back({warning.id, position(argument), std::move(warning.message)});
    }
    return std::move(parsed->expr);
  }

  base::Error inside(const JsonRef& argument, std::string_view name, const base::Error& inner) {
    return {inner.id, fmt::format("inside the {} filter, {}", name, inner.to_string()),
            position(argument)};
  }

  bool too_many(std::size_t count, const JsonRef&) const { return count >= limits_.list_count_max; }

  base::Result<ExprPtr> limit_error(const JsonRef& at) const {
    return base::Error{ErrorId::kFilterListTooLong,
                       fmt::format("a list has at most {} elements", limits_.list_count_max),
                       position(at)};
  }

  base::Error shape(const JsonRef& at, std::string message) const {
    return {ErrorId::kFilterDialectShape, std::move(message), position(at)};
  }

  base::Position position(const JsonRef& at) const {
    return base::position_at(json_, base_ + at.offset_bytes());
  }

  // A JSON text may hold several filters, and escapes are longer than what they stand for.
  static constexpr std::size_t kJsonBytesFactor = 16;

  std::string_view json_;
  const FilterLimits& limits_;
  std::size_t base_ = 0;
  std::size_t depth_ = 0;
  std::optional<Distinct> distinct_;
  std::vector<Warning> warnings_;
};

}  // namespace

base::Result<Parsed> parse_dialects(std::string_view json, const FilterLimits& limits) {
  return DialectReader(json, limits).read();
}

base::Result<Parsed> parse_cesql(std::string_view text, const FilterLimits& limits) {
  auto parsed = cesql::parse_with_warnings(text, {.text_bytes_max = limits.text_bytes_max,
                                                  .depth_max = limits.depth_max,
                                                  .list_count_max = limits.list_count_max,
                                                  .pattern_bytes_max = limits.pattern_bytes_max});
  if (!parsed) return parsed.error();
  if (auto usable = cesql::check_filter(*parsed->expression); !usable) return usable.error();
  Parsed out;
  out.expr = make(Cesql{std::move(parsed->expression)});
  out.warnings = std::move(parsed->warnings);
  return out;
}

}  // namespace weir::filter
