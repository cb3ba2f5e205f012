// SPDX-License-Identifier: Apache-2.0
#include "filter/print.h"

#include <fmt/format.h>

#include <utility>

#include "filter/cesql/canonical_text.h"
#include "filter/duration.h"
#include "filter/keywords.h"

namespace weir::filter {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

// The shortest text that reads back as the same double, and as a double.
std::string number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Thresholds are always doubles: 3 needs no point.
std::string threshold(double value) { return fmt::format("{}", value); }

template <typename List>
std::string joined(const List& list) {
  std::string out;
  const char* separator = "";
  for (const auto& element : list) {
    out += std::exchange(separator, ", ");
    out += to_text(element);
  }
  return out;
}

std::string keys_text(const std::vector<Operand>& keys) {
  return keys.size() == 1 ? to_text(keys[0]) : fmt::format("({})", joined(keys));
}

std::string print(const Constant& constant) { return constant.value ? "true" : "false"; }

std::string print(const Compare& compare) {
  const std::string right =
      std::visit([](const auto& side) { return to_text(side); }, compare.right);
  return fmt::format("{} {} {}", to_text(compare.left), to_text(compare.op), right);
}

std::string print(const Between& between) {
  return fmt::format("{} between {} and {}", to_text(between.operand), to_text(between.low),
                     to_text(between.high));
}

std::string print(const In& in) {
  return fmt::format("{} in ({})", to_text(in.operand), joined(in.values));
}

std::string print(const Like& like) {
  return fmt::format("{} like {}", to_text(like.operand), quoted(like.pattern.text()));
}

std::string print(const Affix& affix) {
  return fmt::format("{} {} {}", to_text(affix.operand),
                     affix.side == Affix::Side::kPrefix ? "prefix" : "suffix", quoted(affix.text));
}

std::string print(const Exists& exists) { return "exists " + to_text(exists.path); }

std::string_view mode_text(About::Mode mode) {
  switch (mode) {
    case About::Mode::kAll:
      return "all ";
    case About::Mode::kAny:
      return "any ";
    case About::Mode::kScore:
      break;
  }
  return "";
}

std::string print(const About& about) {
  std::string text = fmt::format("{} about {}{}", to_text(about.source), mode_text(about.mode),
                                 quoted(about.words));
  if (about.score_min) text += " score >= " + threshold(*about.score_min);
  return text;
}

std::string print(const Cesql& cesql) {
  return fmt::format("cesql({})", quoted(cesql::to_text(*cesql.expression)));
}

std::string print(const Threshold& asked, std::string_view unit) {
  return fmt::format(" {} {}{}", asked.inclusive ? ">=" : ">", threshold(asked.amount), unit);
}

std::string print(const Moves& moves) {
  std::string text;
  if (moves.direction == Direction::kUp) text += " rises by";
  if (moves.direction == Direction::kDown) text += " falls by";
  if (moves.absolute) text += print(*moves.absolute, "");
  if (moves.absolute && moves.percent) text += moves.either ? " or" : " and";
  if (moves.percent) text += print(*moves.percent, "%");
  return text;
}

std::string print(const Differs&) { return {}; }

std::string print(const Crosses& crosses) {
  std::string text = " crosses " + threshold(crosses.level);
  if (crosses.direction == Direction::kUp) text += " upwards";
  if (crosses.direction == Direction::kDown) text += " downwards";
  if (crosses.hysteresis > 0) text += " hysteresis " + threshold(crosses.hysteresis);
  return text;
}

std::string print(const Rewords& rewords) { return print(rewords.distance, ""); }

std::string print(const Change& change) {
  const auto* const rewords = std::get_if<Rewords>(&change.movement);
  std::string text = std::holds_alternative<Differs>(change.movement) ? "any change(" : "change(";
  text += rewords != nullptr ? to_text(rewords->source) : to_text(change.value);
  if (!change.keys.empty()) text += ", by " + keys_text(change.keys);
  if (change.condition != nullptr) text += ", " + to_text(*change.condition);
  text += ")" + to_text(change.movement);
  if (change.silent_for) text += " or silent for " + to_text(*change.silent_for);
  if (change.at_most_every) text += " at most every " + to_text(*change.at_most_every);
  if (change.with_previous) text += " with previous";
  return text;
}

// From loose to tight: a term inside a tighter place is put in parentheses.
enum class Binding : std::uint8_t { kOr, kAnd, kNot };

std::string print(const Expr& expr, Binding around);

template <typename Node>
std::string chain(const Node& node, std::string_view word, Binding own, Binding around) {
  std::string out;
  for (const ExprPtr& term : node.terms) {
    if (!out.empty()) out += word;
    out += print(*term, own);
  }
  return own < around ? "(" + out + ")" : out;
}

std::string print(const Expr& expr, Binding around) {
  if (const auto* predicate = expr.predicate()) return to_text(*predicate);
  if (const auto* negation = std::get_if<Not>(&expr.node)) {
    return "not " + print(*negation->term, Binding::kNot);
  }
  if (const auto* conjunction = std::get_if<And>(&expr.node)) {
    return chain(*conjunction, " and ", Binding::kAnd, around);
  }
  return chain(std::get<Or>(expr.node), " or ", Binding::kOr, around);
}

}  // namespace

std::string to_text(const Expr& expr) { return print(expr, Binding::kOr); }

std::string to_text(const Predicate& predicate) {
  return std::visit([](const auto& one) { return print(one); }, predicate);
}

std::string to_text(const Movement& movement) {
  return std::visit([](const auto& one) { return print(one); }, movement);
}

std::string to_text(const Operand& operand) {
  switch (operand.conversion) {
    case Operand::Conversion::kString:
      return fmt::format("string({})", to_text(operand.path));
    case Operand::Conversion::kTimestamp:
      return fmt::format("timestamp({})", to_text(operand.path));
    case Operand::Conversion::kNone:
      break;
  }
  return to_text(operand.path);
}

std::string to_text(const TextField& field) {
  return field.html ? fmt::format("html({})", to_text(field.path)) : to_text(field.path);
}

std::string to_text(const TextSource& source) {
  std::string text = fmt::format("text({})", joined(source.fields));
  if (!source.language.empty()) text += " in " + quoted(source.language);
  return text;
}

std::string to_text(const event::Path& path) {
  const std::string text = path.to_string();
  return is_reserved(text) ? fmt::format("\"{}\"", text) : text;
}

std::string to_text(const Literal& literal) {
  if (const auto* boolean = std::get_if<bool>(&literal.value)) return *boolean ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&literal.value)) {
    return fmt::format("{}", *integer);
  }
  if (const auto* value = std::get_if<double>(&literal.value)) return number(*value);
  if (const auto* text = std::get_if<std::string>(&literal.value)) return quoted(*text);
  return fmt::format("timestamp '{}'", event::to_string(std::get<event::Timestamp>(literal.value)));
}

std::string to_text(const Distinct& distinct) {
  std::string text =
      fmt::format("distinct({}) within {}", joined(distinct.keys), to_text(distinct.within));
  if (distinct.refresh) text += " refresh";
  if (distinct.exact) text += " exact";
  if (distinct.false_positives_max) {
    text += fmt::format(" false positives <= {}", *distinct.false_positives_max);
  }
  if (distinct.verify) text += " verify";
  return text;
}

std::string_view to_text(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return "=";
    case CompareOp::kNotEqual:
      return "!=";
    case CompareOp::kLess:
      return "<";
    case CompareOp::kLessEqual:
      return "<=";
    case CompareOp::kGreater:
      return ">";
    case CompareOp::kGreaterEqual:
      return ">=";
  }
  return "?";
}

std::string to_text(const Expr& expr, const std::optional<Distinct>& distinct) {
  if (!distinct) return to_text(expr);
  const auto* const predicate = expr.predicate();
  if (predicate != nullptr && *predicate == Predicate(Constant{true})) return to_text(*distinct);
  return fmt::format("{} and {}", print(expr, Binding::kAnd), to_text(*distinct));
}

}  // namespace weir::filter
