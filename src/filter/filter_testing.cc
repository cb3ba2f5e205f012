// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_testing.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/check.h"
#include "event/event_testing.h"
#include "event/json_document.h"
#include "filter/dialects.h"
#include "filter/keywords.h"
#include "filter/lexer.h"
#include "filter/limits.h"
#include "filter/print.h"

namespace weir::filter {
namespace {

using std::string_view_literals::operator""sv;

constexpr auto kPaths =
    std::to_array({"type"sv, "source"sv, "subject"sv, "time"sv, "ext"sv, "by"sv, "\"in\""sv,
                   "\"7up\""sv, "data.n"sv, "data.s"sv, "data.b"sv, "data.list[0]"sv,
                   "data.deep.n"sv, "data['odd name']"sv, "data['it''s'].größe"sv, "data"sv});

// With [*], where several values may stand.
constexpr auto kManyPaths =
    std::to_array({"data.list[*]"sv, "data.rows[*].n"sv, "data.rows[*].s"sv,
                   "data.rows[*].list[*]"sv, "data.rows[*].list[0]"sv, "data[*]"sv});

constexpr auto kStrings = std::to_array({"a"sv, "ab"sv, "b"sv, ""sv, "it's"sv, "größe"sv, "100%"sv,
                                         "1"sv, "2026-01-01T00:00:00Z"sv, "line\nbreak"sv});
constexpr auto kPatterns =
    std::to_array({"a%"sv, "%b"sv, "_"sv, "%"sv, ""sv, "gr_ße"sv, "100\\%"sv, "it's"sv});
constexpr auto kTimes = std::to_array(
    {"2026-01-01T00:00:00Z"sv, "2026-01-01T01:00:00+01:00"sv, "2026-06-30T12:00:00.5Z"sv});
constexpr auto kIntegers = std::to_array<std::int64_t>(
    {0, 1, 2, -1, 9007199254740992, 9007199254740993, std::numeric_limits<std::int64_t>::max(),
     std::numeric_limits<std::int64_t>::min()});
constexpr auto kDoubles =
    std::to_array({0.0, 0.5, 1.0, 1.5, -1.0, 9007199254740992.0, 9223372036854775808.0, 1e300});
constexpr auto kCesql =
    std::to_array({"type = 'a'"sv, "EXISTS subject"sv, "ext > 1"sv, "NOT (subject = 'a')"sv,
                   "subject LIKE 'a%' OR ext IN ('a', 'b')"sv, "LENGTH(subject) = ext"sv});
constexpr auto kWords = std::to_array(
    {"storm"sv, "storm flood"sv, "it's"sv, "storm \"flash flood\" -sport -\"it's over\""sv});

// Values of data as JSON texts.
constexpr auto kJsonValues = std::to_array({"null"sv,
                                            "true"sv,
                                            "false"sv,
                                            "0"sv,
                                            "1"sv,
                                            "1.0"sv,
                                            "1.5"sv,
                                            "2"sv,
                                            "9007199254740993"sv,
                                            "9007199254740992.0"sv,
                                            "9223372036854775808"sv,
                                            "1e300"sv,
                                            "\"a\""sv,
                                            "\"ab\""sv,
                                            "\"b\""sv,
                                            "\"\""sv,
                                            "\"größe\""sv,
                                            "\"100%\""sv,
                                            "\"2026-01-01T00:00:00Z\""sv,
                                            "{}"sv,
                                            "[]"sv,
                                            "[1]"sv});
// Values of attributes, which cannot be empty and know no fractions.
constexpr auto kAttributeValues =
    std::to_array({"\"a\""sv, "\"ab\""sv, "\"b\""sv, "\"größe\""sv, "\"100%\""sv, "\"1\""sv, "0"sv,
                   "1"sv, "2"sv, "-1"sv, "true"sv, "false"sv});
constexpr auto kAttributeTexts = std::to_array({"a"sv, "ab"sv, "b"sv, "größe"sv, "1"sv, "true"sv});

Literal timestamp_literal(std::string_view text) { return {*event::parse_timestamp(text)}; }

std::string json_string(std::string_view text) {
  std::string out;
  event::append_json_string(text, out);
  return out;
}

}  // namespace

TextVerdict FixedScorer::judge(const About& about, const event::Event&) {
  const double score_min = about.score_min.value_or(about.mode == About::Mode::kScore ? 1.0 : 0.0);
  return {score_ && *score_ >= score_min, score_.value_or(0), 0};
}

FilterPtr filter_of(std::string_view text) {
  auto filter = Filter::parse(text);
  if (!filter) std::fprintf(stderr, "%s\n", filter.error().to_string().c_str());
  WEIR_CHECK(filter.has_value());
  return *filter;
}

event::Path FilterGenerator::path() { return *event::parse_path(pick(kPaths)); }

event::Path FilterGenerator::any_path() {
  return prng_.chance(0.25) ? *event::parse_path(pick(kManyPaths)) : path();
}

Operand::Conversion FilterGenerator::conversion() {
  using enum Operand::Conversion;
  constexpr auto kConversions = std::to_array({kNone, kNone, kNone, kNone, kString, kTimestamp});
  return pick(kConversions);
}

Operand FilterGenerator::operand() { return {any_path(), conversion()}; }

Literal FilterGenerator::literal() {
  switch (prng_.below(8)) {
    case 0:
      return {prng_.chance(0.5)};
    case 1:
      return {pick(kIntegers)};
    case 2:
    case 3:
      return {std::int64_t{1}};
    case 4:
      return {pick(kDoubles)};
    case 5:
      return timestamp_literal(pick(kTimes));
    default:
      return {std::string(pick(kStrings))};
  }
}

ExprPtr FilterGenerator::predicate() {
  constexpr auto kOps =
      std::to_array({CompareOp::kEqual, CompareOp::kNotEqual, CompareOp::kLess,
                     CompareOp::kLessEqual, CompareOp::kGreater, CompareOp::kGreaterEqual});
  switch (prng_.below(16)) {
    case 0:
      return make(Constant{prng_.chance(0.5)});
    case 1:
      return make(Exists{any_path()});
    case 2:
      return make(Like{operand(), LikePattern::compile(pick(kPatterns))});
    case 3:
    case 4: {
      const auto side = prng_.chance(0.5) ? Affix::Side::kPrefix : Affix::Side::kSuffix;
      return make(Affix{operand(), side, std::string(pick(kStrings))});
    }
    case 5:
    case 6: {
      In in{operand(), {literal()}};
      while (prng_.chance(0.6)) in.values.push_back(literal());
      return make(std::move(in));
    }
    case 7: {
      const bool whole = prng_.chance(0.5);
      const Literal low = whole ? Literal{pick(kIntegers)} : Literal{std::string(pick(kStrings))};
      const Literal high = whole ? Literal{pick(kDoubles)} : Literal{std::string(pick(kStrings))};
      return make(Between{operand(), low, high});
    }
    case 8:
      if (!options_.text) return predicate();
      return make(about());
    case 9:
      if (!options_.cesql) return predicate();
      return parse_cesql(pick(kCesql))->expr;
    case 10:
      return make(Compare{operand(), pick(kOps), operand()});
    default:
      return make(Compare{operand(), pick(kOps), literal()});
  }
}

TextSource FilterGenerator::text_source() {
  TextSource source{{{any_path(), prng_.chance(0.2)}}};
  while (prng_.chance(0.2)) source.fields.push_back({any_path(), prng_.chance(0.2)});
  if (prng_.chance(0.3)) source.language = prng_.chance(0.5) ? "german" : "none";
  return source;
}

About FilterGenerator::about() {
  using enum About::Mode;
  About about{text_source(), std::string(pick(kWords)), pick(std::array{kScore, kAll, kAny})};
  if (prng_.chance(0.7)) about.score_min = prng_.chance(0.5) ? 1.0 : 2.5;
  return about;
}

std::vector<Operand> FilterGenerator::keys() {
  std::vector<Operand> keys = {{path(), conversion()}};
  while (prng_.chance(0.4)) keys.push_back({path(), conversion()});
  return keys;
}

Movement FilterGenerator::movement() {
  constexpr auto kThresholds = std::to_array({0.0, 0.5, 1.0, 2.0, 1e-7});
  constexpr auto kDirections =
      std::to_array({Direction::kEither, Direction::kUp, Direction::kDown});
  const auto threshold = [&] { return Threshold{pick(kThresholds), prng_.chance(0.3)}; };
  switch (prng_.below(options_.text ? 8 : 7)) {
    case 0:
      return Differs{};
    case 1:
    case 2:
      return Crosses{pick(kDoubles), pick(kDirections), prng_.chance(0.5) ? 0 : pick(kThresholds)};
    case 3: {
      Moves both{pick(kDirections), threshold(), threshold(), prng_.chance(0.5)};
      return both;
    }
    case 7:
      return Rewords{text_source(), {prng_.chance(0.5) ? 0.25 : 0, prng_.chance(0.3)}};
    default: {
      Moves moves{.direction = pick(kDirections)};
      (prng_.chance(0.3) ? moves.percent : moves.absolute) = threshold();
      return moves;
    }
  }
}

ExprPtr FilterGenerator::change() {
  constexpr auto kSources = std::to_array({"data.n"sv, "data.deep.n"sv, "ext"sv});
  Change change;
  change.movement = movement();
  if (std::holds_alternative<Differs>(change.movement)) {
    change.value = Operand{path()};
  } else if (!std::holds_alternative<Rewords>(change.movement)) {
    change.value = Operand{*event::parse_path(pick(kSources))};
  }
  if (!change_keys_) change_keys_ = prng_.chance(0.5) ? keys() : std::vector<Operand>();
  change.keys = *change_keys_;
  if (prng_.chance(0.4)) {
    const bool with_change = std::exchange(options_.change, false);
    change.condition = expr(1, false);
    options_.change = with_change;
  }
  if (prng_.chance(0.3)) change.silent_for = base::Duration::milliseconds(90'061'500);
  if (prng_.chance(0.3)) change.at_most_every = base::Duration::seconds(1);
  change.with_previous = prng_.chance(0.2);
  return make(std::move(change));
}

ExprPtr FilterGenerator::leaf(bool negated) {
  if (options_.change && !negated && prng_.chance(0.3)) return change();
  return predicate();
}

ExprPtr FilterGenerator::expr(std::size_t depth, bool negated) {
  if (depth == 0 || prng_.chance(0.2)) return leaf(negated);
  if (prng_.chance(0.25)) return make_not(expr(depth - 1, !negated));
  std::vector<ExprPtr> terms;
  do {
    terms.push_back(expr(depth - 1, negated));
  } while (terms.size() < 2 || (terms.size() < 4 && prng_.chance(0.4)));
  return prng_.chance(0.5) ? make_and(std::move(terms)) : make_or(std::move(terms));
}

ExprPtr FilterGenerator::expr() {
  change_keys_.reset();
  return expr(options_.depth_max, false);
}

Distinct FilterGenerator::distinct() {
  constexpr auto kShares =
      std::to_array({kFalsePositivesMin, 1e-6, 0.0007, 0.01, 1.0 / 3, kFalsePositivesMax});
  Distinct distinct{.keys = keys(),
                    .within = base::Duration::seconds(5400),
                    .refresh = prng_.chance(0.3),
                    .exact = prng_.chance(0.3)};
  if (distinct.exact) return distinct;
  distinct.verify = prng_.chance(0.4);
  if (!distinct.verify && prng_.chance(0.5)) distinct.false_positives_max = pick(kShares);
  return distinct;
}

Parsed FilterGenerator::parsed() {
  Parsed parsed{expr(), std::nullopt, {}};
  if (options_.distinct && prng_.chance(0.5)) {
    parsed.distinct = distinct();
  }
  return parsed;
}

std::string FilterGenerator::data_text() {
  constexpr auto kMembers = std::to_array({"n"sv, "s"sv, "b"sv, "odd name"sv});
  std::string text = "{";
  for (const std::string_view name : kMembers) {
    if (prng_.chance(0.3)) continue;
    text += fmt::format(R"("{}":{},)", name, pick(kJsonValues));
  }
  if (prng_.chance(0.6)) text += fmt::format(R"("list":{},)", list_text());
  if (prng_.chance(0.6)) text += fmt::format(R"("rows":{},)", rows_text());
  if (prng_.chance(0.6)) text += fmt::format(R"("deep":{{"n":{}}},)", pick(kJsonValues));
  if (prng_.chance(0.6)) text += fmt::format(R"("it's":{{"größe":{}}},)", pick(kJsonValues));
  return text + R"("z":1})";
}

// Up to three values.
std::string FilterGenerator::list_text() {
  std::string text;
  for (std::uint64_t count = prng_.below(4); count > 0; --count) {
    text += (text.empty() ? "" : ",") + std::string(pick(kJsonValues));
  }
  return "[" + text + "]";
}

std::string FilterGenerator::rows_text() {
  std::string text;
  for (std::uint64_t count = prng_.below(4); count > 0; --count) {
    std::string row = R"({"z":1)";
    if (prng_.chance(0.7)) row += fmt::format(R"(,"n":{})", pick(kJsonValues));
    if (prng_.chance(0.5)) row += fmt::format(R"(,"s":{})", pick(kJsonValues));
    if (prng_.chance(0.5)) row += fmt::format(R"(,"list":{})", list_text());
    text += (text.empty() ? "" : ",") + row + "}";
  }
  return "[" + text + "]";
}

event::EventPtr FilterGenerator::event() {
  constexpr auto kNames = std::to_array({"subject"sv, "ext"sv, "by"sv, "in"sv, "7up"sv});
  std::string json = fmt::format(R"({{"type":"{}","source":"/{}")",
                                 pick(std::array{"a", "ab", "b"}), pick(std::array{"a", "b"}));
  for (const std::string_view name : kNames) {
    if (prng_.chance(0.35)) continue;
    const bool text_only = name == "subject";
    json += fmt::format(
        R"(,"{}":{})", name,
        text_only ? json_string(pick(kAttributeTexts)) : std::string(pick(kAttributeValues)));
  }
  if (prng_.chance(0.6)) json += fmt::format(R"(,"time":"{}")", pick(kTimes));
  if (prng_.chance(0.75)) {
    json += ",\"data\":" + data_text();
  } else if (prng_.chance(0.5)) {
    json += prng_.chance(0.5) ? R"(,"data_base64":"AAEC")"
                              : fmt::format(R"(,"data":{})", pick(kJsonValues));
  }
  return event::event_of(json + "}");
}

std::string FilterGenerator::attribute_dialect() {
  constexpr auto kDialects = std::to_array({"exact"sv, "prefix"sv, "suffix"sv});
  constexpr auto kNames =
      std::to_array({"type"sv, "source"sv, "subject"sv, "time"sv, "ext"sv, "in"sv, "7up"sv});
  const std::uint64_t first = prng_.below(kNames.size());
  std::string members = fmt::format("\"{}\":{}", kNames[first], json_string(pick(kAttributeTexts)));
  if (prng_.chance(0.3)) {
    members += fmt::format(",\"{}\":{}", kNames[(first + 1) % kNames.size()],
                           json_string(pick(kAttributeTexts)));
  }
  return fmt::format(R"({{"{}":{{{}}}}})", pick(kDialects), members);
}

std::string FilterGenerator::dialect(std::size_t depth) {
  const std::uint64_t choice = prng_.below(depth == 0 ? 4 : 7);
  if (choice < 2) return attribute_dialect();
  if (choice == 2) return fmt::format(R"({{"sql":{}}})", json_string(pick(kCesql)));
  if (choice == 3) return fmt::format(R"({{"weir":{}}})", json_string(to_text(*predicate())));
  if (choice == 4) return fmt::format(R"({{"not":{}}})", dialect(depth - 1));
  std::string list = dialect(depth - 1);
  while (prng_.chance(0.5)) list += "," + dialect(depth - 1);
  return fmt::format(R"({{"{}":[{}]}})", choice == 5 ? "all" : "any", list);
}

std::string FilterGenerator::dialects() {
  std::string list;
  while (prng_.chance(0.7)) list += (list.empty() ? "" : ", ") + dialect(options_.depth_max);
  return "[" + list + "]";
}

namespace {

std::string parenthesised(const Expr& expr, base::Prng& prng) {
  const auto inner = [&](const ExprPtr& term) { return "(" + parenthesised(*term, prng) + ")"; };
  std::string text;
  if (expr.predicate() != nullptr) {
    text = to_text(expr);
  } else if (const auto* negation = std::get_if<Not>(&expr.node)) {
    text = "not " + inner(negation->term);
  } else {
    const auto* const conjunction = std::get_if<And>(&expr.node);
    const auto& terms = conjunction != nullptr ? conjunction->terms : std::get<Or>(expr.node).terms;
    for (const ExprPtr& term : terms) {
      if (!text.empty()) text += conjunction != nullptr ? " and " : " or ";
      text += inner(term);
    }
  }
  return prng.chance(0.3) ? "(" + text + ")" : text;
}

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  }
  return out;
}

}  // namespace

std::string spell_loosely(const Expr& expr, base::Prng& prng) {
  constexpr auto kBlanks = std::to_array({" "sv, "  "sv, "\n"sv, "\t "sv, "\r\n"sv});
  const std::string canonical = parenthesised(expr, prng);
  Lexer lexer(canonical);
  std::string text;
  std::size_t end = 0;
  for (Token token = lexer.take(); token.kind != TokenKind::kEnd; token = lexer.take()) {
    // Blanks matter inside paths and durations, so they change only where there are some.
    const bool apart = token.offset_bytes > end;
    if (apart) text += kBlanks[prng.below(kBlanks.size())];
    const bool member = !text.empty() && text.back() == '.';
    const bool keyword = token.kind == TokenKind::kWord && is_reserved(token.text) && !member;
    text += keyword && prng.chance(0.5) ? upper(token.text) : std::string(token.text);
    end = token.offset_bytes + token.text.size();
  }
  return text;
}

}  // namespace weir::filter
