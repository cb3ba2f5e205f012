// SPDX-License-Identifier: Apache-2.0
#include "cli/problem_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

namespace weir::cli {
namespace {

using event::JsonKind;
using event::JsonRef;

std::optional<std::uint64_t> integer(const JsonRef& value) {
  if (!value || value.kind() != JsonKind::kInteger) return std::nullopt;
  std::uint64_t number = 0;
  const std::string_view text = value.raw();
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<base::Position> position_of(const JsonRef& object) {
  if (!object || object.kind() != JsonKind::kObject) return std::nullopt;
  const auto line = integer(object.member("line"));
  const auto column = integer(object.member("column"));
  if (!line || !column) return std::nullopt;
  return base::Position{.line = *line,
                        .column = *column,
                        .offset_bytes = integer(object.member("offset")).value_or(0)};
}

base::ErrorId id_of_status(int status) {
  if (status == 404) return base::ErrorId::kHttpNoRoute;
  if (status == 429) return base::ErrorId::kBrokerBusy;
  return status >= 500 ? base::ErrorId::kHttpAnswer : base::ErrorId::kHttpRefused;
}

}  // namespace

std::optional<Problem> read_problem(const JsonRef& object) {
  if (!object || object.kind() != JsonKind::kObject) return std::nullopt;
  const auto number = integer(object.member("error"));
  const auto status = integer(object.member("status"));
  const JsonRef detail = object.member("detail");
  const auto table = base::error_table();
  const auto known = std::ranges::find_if(table, [&](const base::ErrorInfo& info) {
    return static_cast<std::uint16_t>(info.id) == number;
  });
  if (known == table.end() || !status || !detail || detail.kind() != JsonKind::kString) {
    return std::nullopt;
  }
  Problem problem{
      .error = {known->id, std::string(detail.string()), position_of(object.member("position"))},
      .status = static_cast<int>(*status)};
  if (const auto& position = problem.error.position) {
    // The detail says it too.
    const std::string prefix =
        fmt::format("line {}, column {}: ", position->line, position->column);
    if (problem.error.message.starts_with(prefix)) problem.error.message.erase(0, prefix.size());
  }
  return problem;
}

std::optional<Problem> read_problem(std::string_view json) {
  const auto document = event::JsonDocument::parse(json);
  return document ? read_problem(document->root()) : std::nullopt;
}

Problem problem_of(std::string_view method, std::string_view target,
                   const server::HttpAnswer& answer) {
  if (auto problem = read_problem(answer.body)) return *std::move(problem);
  base::Error error = server::refusal(method, target, answer);
  error.id = id_of_status(answer.status);
  return {.error = std::move(error), .status = answer.status};
}

Problem problem_of_refusal(const base::Error& error) {
  const std::size_t begin = error.message.find('{');
  if (error.id == base::ErrorId::kHttpRefused && begin != std::string::npos) {
    const std::string_view body = std::string_view(error.message).substr(begin);
    if (auto problem = read_problem(body)) return *std::move(problem);
  }
  return {.error = error, .status = 0};
}

}  // namespace weir::cli
