// SPDX-License-Identifier: Apache-2.0
// The one abstract syntax tree that all front ends (weir language, CESQL, dialects) produce.
//
// A tree is immutable and shared; and, or are n-ary and never nest in themselves, so that the
// canonical text (print.h) of a tree parses to the same tree. Depth is bounded by the front ends'
// limits, so recursion over a tree is safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "event/path.h"
#include "event/value.h"
#include "filter/cesql/expression.h"
#include "filter/like.h"
#include "filter/warning.h"

namespace weir::filter {

// A value written in a filter. Equal only if kind and value are.
struct Literal {
  std::variant<bool, std::int64_t, double, std::string, event::Timestamp> value;

  event::Value view() const;
  bool operator==(const Literal&) const = default;
};

// A place in the event, taken as it is or converted. What cannot be converted is missing.
struct Operand {
  enum class Conversion : std::uint8_t {
    kNone,
    kString,     // string(path): the text of a string, number, boolean or time
    kTimestamp,  // timestamp(path): an RFC 3339 string
  };

  event::Path path;
  Conversion conversion = Conversion::kNone;

  bool operator==(const Operand&) const = default;
};

enum class CompareOp : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

struct Compare {
  Operand left;
  CompareOp op;
  std::variant<Literal, Operand> right;

  bool operator==(const Compare&) const = default;
};

struct Between {  // low <= operand <= high
  Operand operand;
  Literal low;
  Literal high;

  bool operator==(const Between&) const = default;
};

struct In {
  Operand operand;
  std::vector<Literal> values;  // at least one, in the order written

  bool operator==(const In&) const = default;
};

struct Like {
  Operand operand;
  LikePattern pattern;

  bool operator==(const Like&) const = default;
};

struct Affix {
  enum class Side : std::uint8_t { kPrefix, kSuffix };

  Operand operand;
  Side side;
  std::string text;

  bool operator==(const Affix&) const = default;
};

struct Exists {
  event::Path path;

  bool operator==(const Exists&) const = default;
};

struct TextField {
  event::Path path;
  bool html = false;  // its markup is stripped first

  auto operator<=>(const TextField&) const = default;
};

// What is read as one document.
struct TextSource {
  std::vector<TextField> fields;  // at least one
  std::string language = {};      // as written; empty: the engine's

  bool operator==(const TextSource&) const = default;
};

// What a text is about; docs/text.md defines it.
struct About {
  enum class Mode : std::uint8_t {
    kScore,  // the score decides
    kAll,    // every word and phrase must be there
    kAny,    // one of them
  };

  TextSource source;
  std::string words;  // as written: text_words.h takes them apart
  Mode mode = Mode::kScore;
  // The lowest sum of tf*idf. None: with kScore the engine's default, otherwise any will do.
  std::optional<double> score_min = std::nullopt;

  bool operator==(const About&) const = default;
};

struct Cesql {  // passes: true without an error
  cesql::ExpressionPtr expression;

  bool operator==(const Cesql& other) const { return *expression == *other.expression; }
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

bool equal(const ExprPtr& left, const ExprPtr& right);

enum class Direction : std::uint8_t { kEither, kUp, kDown };

// How far is far enough.
struct Threshold {
  double amount = 0;       // not below 0
  bool inclusive = false;  // >= instead of >

  bool operator==(const Threshold&) const = default;
};

// A number that is further from the last delivered one than a threshold, or two of them.
struct Moves {
  Direction direction = Direction::kEither;          // of the distance that counts
  std::optional<Threshold> absolute = std::nullopt;  // at least one of the two is there
  std::optional<Threshold> percent = std::nullopt;   // of the last delivered value
  bool either = false;                               // with both: one of them is enough

  bool operator==(const Moves&) const = default;
};

// A value that is not the last delivered one.
struct Differs {
  bool operator==(const Differs&) const = default;
};

// A number that has come to the other side of a level.
struct Crosses {
  double level = 0;
  Direction direction = Direction::kEither;
  double hysteresis = 0;  // not below 0: how far beyond the level the other side begins

  bool operator==(const Crosses&) const = default;
};

// A text that is further from the last delivered one than a threshold, in cosine distance.
struct Rewords {
  TextSource source;
  Threshold distance;  // below 1

  bool operator==(const Rewords&) const = default;
};

using Movement = std::variant<Moves, Differs, Crosses, Rewords>;

// A value that has changed since it was last delivered.
struct Change {
  Operand value;              // of a text nothing: its fields are in the movement
  std::vector<Operand> keys;  // by: one last value for each combination
  ExprPtr condition;          // which events are readings of this source; null: all
  Movement movement;
  std::optional<base::Duration> silent_for;     // deliver after that long without a delivery
  std::optional<base::Duration> at_most_every;  // hold back that long, the newest value wins
  bool with_previous = false;                   // deliver the reading before it as well

  bool operator==(const Change& other) const;
};

struct Constant {
  bool value;

  bool operator==(const Constant&) const = default;
};

using Predicate =
    std::variant<Constant, Compare, Between, In, Like, Affix, Exists, About, Cesql, Change>;

struct Not {
  ExprPtr term;
};
struct And {
  std::vector<ExprPtr> terms;  // at least two, none of them an And
};
struct Or {
  std::vector<ExprPtr> terms;  // at least two, none of them an Or
};

struct Expr {
  std::variant<Predicate, Not, And, Or> node;

  const Predicate* predicate() const { return std::get_if<Predicate>(&node); }
};

ExprPtr make(Predicate predicate);
ExprPtr make_not(ExprPtr term);
// One term is itself; none is true for make_and, false for make_or; nested ones are flattened.
ExprPtr make_and(std::vector<ExprPtr> terms);
ExprPtr make_or(std::vector<ExprPtr> terms);

// Delivered at most once for each combination of keys within the window.
struct Distinct {
  std::vector<Operand> keys;  // at least one
  base::Duration within;
  bool refresh = false;  // a duplicate starts the window anew
  bool exact = false;    // remembers the keys themselves; excludes the two below
  std::optional<double> false_positives_max = std::nullopt;  // null: as the engine is told
  bool verify = false;  // a hit is confirmed by the event log before an event is dropped

  bool operator==(const Distinct&) const = default;
};

// What a front end makes of a text.
struct Parsed {
  ExprPtr expr;
  std::optional<Distinct> distinct;
  std::vector<Warning> warnings;
};

}  // namespace weir::filter
