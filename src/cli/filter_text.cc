// SPDX-License-Identifier: Apache-2.0
#include "cli/filter_text.h"

#include <fmt/format.h>

#include <utility>

#include "cli/byte_source.h"
#include "cli/line_reader.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

constexpr std::size_t kFilterLineBytesMax = std::size_t{1} << 20U;
constexpr std::string_view kSpace = " \t\r";

Attempt<void> add_file(const std::string& path, std::vector<FilterText>& texts) {
  auto source = FileSource::open(path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  LineReader reader(*source, {.line_bytes_max = kFilterLineBytesMax});
  for (;;) {
    const auto more = reader.next();
    if (!more) return tl::unexpected(file_failure(more.error(), source->name()));
    if (!*more) return {};
    const std::string_view line = reader.line();
    const std::size_t begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    texts.push_back({.text = std::string(line.substr(0, line.find_last_not_of(kSpace) + 1)),
                     .what = source->name(),
                     .line = reader.line_number()});
  }
}

}  // namespace

Attempt<std::vector<FilterText>> filter_texts(const FilterOptions& options) {
  std::vector<FilterText> texts;
  for (const std::string& expression : options.expressions) {
    const bool only = options.expressions.size() == 1;
    texts.push_back(
        {.text = expression, .what = only ? "filter" : fmt::format("filter {}", texts.size() + 1)});
  }
  if (!options.filters_path.empty()) {
    if (auto added = add_file(options.filters_path, texts); !added) {
      return tl::unexpected(std::move(added.error()));
    }
  }
  if (texts.empty()) {
    return tl::unexpected(
        Failure{.error = usage_error(fmt::format("{} holds no filter", options.filters_path))});
  }
  return texts;
}

base::Result<filter::FilterPtr> parse_filter(const FilterText& text, Dialect dialect) {
  switch (dialect) {
    case Dialect::kCesql:
      return filter::Filter::parse_cesql(text.text);
    case Dialect::kJson:
      return filter::Filter::parse_dialects(text.text);
    case Dialect::kWeir:
      break;
  }
  return filter::Filter::parse(text.text);
}

Failure filter_failure(const FilterText& text, base::Error error) {
  if (error.position) {
    error.position->line += text.line - 1;
  } else if (text.line > 1) {
    error.position = base::Position{.line = text.line};
  }
  return {.error = std::move(error), .what = text.what, .text = text.text};
}

Attempt<Subscribed> subscribe(engine::Engine& engine, const FilterText& text, Dialect dialect,
                              match::Initial initial) {
  auto filter = parse_filter(text, dialect);
  if (!filter) return tl::unexpected(filter_failure(text, std::move(filter.error())));
  auto id = engine.subscribe(*filter, {.initial = initial});
  if (!id) return tl::unexpected(filter_failure(text, std::move(id.error())));
  return Subscribed{std::move(*filter), *id};
}

}  // namespace weir::cli
