// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/filter_check.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/near_name.h"
#include "filter/cesql/functions.h"

namespace weir::filter::cesql {
namespace {

using base::ErrorId;

base::Error unknown_function(const CallNode& call) {
  std::vector<std::string_view> names;
  for (const Function& function : all_functions()) names.push_back(function.name);
  return {
      ErrorId::kFilterCesqlFunction,
      fmt::format("CESQL has no function {}{}", call.name, base::did_you_mean(call.name, names)),
      call.position};
}

// "2", "2 or 3", "at least 1".
std::string arity_of(std::string_view name) {
  std::string arity;
  for (const Function& function : all_functions()) {
    if (function.name != name) continue;
    if (function.variadic) return fmt::format("at least {}", function.parameters.size() - 1);
    arity += fmt::format("{}{}", arity.empty() ? "" : " or ", function.parameters.size());
  }
  return arity;
}

std::optional<base::Error> error_of_call(const CallNode& call) {
  if (call.function != nullptr) return std::nullopt;
  const std::string arity = arity_of(call.name);
  if (arity.empty()) return unknown_function(call);
  return base::Error{
      ErrorId::kFilterCesqlArity,
      fmt::format("{} takes {} {}, not {}", call.name, arity,
                  arity.ends_with('1') ? "argument" : "arguments", call.arguments.size()),
      call.position};
}

std::optional<base::Error> first_bad_call(const Expression& expression) {
  if (const auto* call = std::get_if<CallNode>(&expression.node())) {
    if (std::optional<base::Error> error = error_of_call(*call)) return error;
  }
  std::optional<base::Error> found;
  for_each_child(expression, [&](const ExpressionPtr& child) {
    if (!found) found = first_bad_call(*child);
  });
  return found;
}

}  // namespace

base::Result<void> check_filter(const Expression& expression) {
  if (std::optional<base::Error> error = first_bad_call(expression)) return *std::move(error);
  const std::optional<CesqlType> type = expression.static_type();
  if (type && *type != CesqlType::kBoolean) {
    return base::Error{ErrorId::kFilterType,
                       fmt::format("a filter must give a Boolean, this expression gives {} {}",
                                   *type == CesqlType::kInteger ? "an" : "a", to_string(*type)),
                       base::Position{}};
  }
  return {};
}

}  // namespace weir::filter::cesql
