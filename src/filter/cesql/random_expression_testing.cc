// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/random_expression_testing.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "event/event_testing.h"
#include "filter/cesql/functions.h"

namespace weir::filter::cesql {
namespace {

constexpr std::size_t kDepthMax = 5;

template <typename List>
auto pick(base::Prng& prng, const List& list) {
  return list[prng.below(std::size(list))];
}

class Generator {
 public:
  explicit Generator(base::Prng& prng) : prng_(prng) {}

  ExpressionPtr expression(std::size_t depth) {
    if (depth == 0 || prng_.chance(0.2)) return leaf();
    switch (prng_.below(6)) {
      case 0:
        return make_expression(
            UnaryNode{prng_.chance(0.5) ? UnaryOperator::kNot : UnaryOperator::kMinus,
                      expression(depth - 1)});
      case 1:
        return make_expression(LikeNode{expression(depth - 1), pattern(), prng_.chance(0.3)});
      case 2:
        return make_expression(
            InNode{expression(depth - 1), list(1 + prng_.below(3), depth), prng_.chance(0.3)});
      case 3:
        return call(depth);
      default:
        return chain(depth);
    }
  }

 private:
  ExpressionPtr leaf() {
    constexpr auto kNames = std::to_array<std::string_view>(
        {"id", "type", "subject", "level", "flag", "7seas", "ghost", "left"});
    switch (prng_.below(5)) {
      case 0:
        return make_expression(LiteralNode{prng_.chance(0.5)});
      case 1:
        return make_expression(LiteralNode{integer()});
      case 2:
        return make_expression(LiteralNode{string()});
      case 3:
        return make_expression(ExistsNode{make_attribute(pick(prng_, kNames))});
      default:
        return make_expression(make_attribute(pick(prng_, kNames)));
    }
  }

  std::int32_t integer() {
    constexpr auto kIntegers = std::to_array<std::int32_t>(
        {0, 1, 2, 7, -1, -7, 100, std::numeric_limits<std::int32_t>::max(),
         std::numeric_limits<std::int32_t>::min()});
    return pick(prng_, kIntegers);
  }

  std::string string() {
    constexpr auto kStrings = std::to_array<std::string_view>(
        {"", "a", "TRUE", "false", "7", "-1", "test", "it's", "say \"hi\"", "C:\\x", "back\\'slash",
         "two\\\\", "潮位", "🌊", " pad ", "1.5"});
    return std::string(pick(prng_, kStrings));
  }

  LikePattern pattern() {
    constexpr auto kPatterns = std::to_array<std::string_view>(
        {"%", "", "_", "t%", "%e", "%a%", "\\%", "1_", "_%_", "%'%", "back\\'%", "潮_"});
    return LikePattern::compile(pick(prng_, kPatterns));
  }

  std::vector<ExpressionPtr> list(std::size_t count, std::size_t depth) {
    std::vector<ExpressionPtr> elements;
    for (std::size_t i = 0; i < count; ++i) elements.push_back(expression(depth - 1));
    return elements;
  }

  ExpressionPtr call(std::size_t depth) {
    std::string name(pick(prng_, all_functions()).name);
    if (prng_.chance(0.05)) name = "NO_SUCH";
    std::vector<ExpressionPtr> arguments = list(prng_.below(4), depth);
    const Function* function = find_function(name, arguments.size());
    return make_expression(CallNode{name, function, std::move(arguments), {}});
  }

  ExpressionPtr chain(std::size_t depth) {
    const auto level = static_cast<Precedence>(prng_.below(4));
    std::vector<ChainNode::Link> links;
    for (std::size_t i = 1 + prng_.below(3); i > 0; --i) {
      links.push_back({operator_of(level), expression(depth - 1)});
    }
    return make_chain(expression(depth - 1), std::move(links));
  }

  BinaryOperator operator_of(Precedence level) {
    for (;;) {
      const auto op = static_cast<BinaryOperator>(
          prng_.below(static_cast<std::uint64_t>(BinaryOperator::kModulo) + 1));
      if (precedence_of(op) == level) return op;
    }
  }

  base::Prng& prng_;
};

}  // namespace

ExpressionPtr random_expression(base::Prng& prng) { return Generator(prng).expression(kDepthMax); }

std::vector<event::EventPtr> random_expression_events() {
  return {event::event_of("{}"),
          event::event_of(R"({"id":"7","subject":"true","level":3,"flag":true,"7seas":"a"})"),
          event::event_of(R"({"id":"-1","subject":"潮位","level":"100","flag":false,"left":0})")};
}

}  // namespace weir::filter::cesql
