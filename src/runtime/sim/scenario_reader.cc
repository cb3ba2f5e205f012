// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

#include "base/near_name.h"
#include "filter/duration.h"

namespace weir::runtime::sim {

namespace {

constexpr std::string_view kDuration = "a duration such as \"500ms\" or \"1m30s\"";
constexpr std::string_view kFraction = "a fraction such as \"1/10\"";

// Returns the value as the file has it, shortened if it is long.
std::string shown(const toml::node& node) {
  constexpr std::size_t kShownMax = 40;
  std::ostringstream stream;
  node.visit([&](const auto& value) { stream << value; });
  std::string text = stream.str();
  if (text.size() > kShownMax) text = text.substr(0, kShownMax) + "...";
  return text;
}

std::optional<Fraction> fraction_of(const toml::node& node) {
  const auto* const text = node.as_string();
  if (text == nullptr) return std::nullopt;
  const std::string& word = text->get();
  const char* const end = word.data() + word.size();
  Fraction fraction;
  const auto [slash, no_numerator] = std::from_chars(word.data(), end, fraction.numerator);
  if (no_numerator != std::errc() || slash == end || *slash != '/') return std::nullopt;
  const auto [rest, no_denominator] = std::from_chars(slash + 1, end, fraction.denominator);
  const bool ok = no_denominator == std::errc() && rest == end && fraction.denominator > 0;
  return ok ? std::optional(fraction) : std::nullopt;
}

std::optional<std::uint64_t> number_of(const toml::node& node, NumberRange range) {
  const auto* const integer = node.as_integer();
  if (integer == nullptr || integer->get() < 0) return std::nullopt;
  const auto number = static_cast<std::uint64_t>(integer->get());
  return number >= range.least && number <= range.most ? std::optional(number) : std::nullopt;
}

std::string in_range(NumberRange range) {
  if (range.most == std::numeric_limits<std::int64_t>::max()) return "a whole number from 0";
  return fmt::format("a whole number from {} to {}", range.least, range.most);
}

}  // namespace

base::Position position_of(const toml::source_region& source) {
  return {.line = source.begin.line, .column = source.begin.column, .offset_bytes = 0};
}

void ScenarioReader::text(std::string_view key, std::string& value) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto* const found = node->as_string();
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (found == nullptr || found->get().empty() || !std::ranges::all_of(found->get(), is_plain)) {
    return refuse(key, *node, "a word of small letters, digits and _");
  }
  value = found->get();
}

void ScenarioReader::number(std::string_view key, std::uint64_t& value, NumberRange range) {
  std::optional<std::uint64_t> found;
  number(key, found, range);
  value = found.value_or(value);
}

void ScenarioReader::number(std::string_view key, std::optional<std::uint64_t>& value,
                            NumberRange range) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto found = number_of(*node, range);
  if (!found) return refuse(key, *node, in_range(range));
  value = found;
}

void ScenarioReader::duration(std::string_view key, base::Duration& value) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  value = duration_of(key, *node, kDuration).value_or(value);
}

void ScenarioReader::fraction(std::string_view key, Fraction& value) {
  std::optional<Fraction> found;
  fraction(key, found);
  if (!found) return;
  if (found->numerator > found->denominator) {
    return refuse(key, *find(key), "a fraction from \"0/1\" to \"1/1\"");
  }
  value = *found;
}

void ScenarioReader::fraction(std::string_view key, std::optional<Fraction>& value) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto found = fraction_of(*node);
  if (!found) return refuse(key, *node, kFraction);
  value = found;
}

void ScenarioReader::flag(std::string_view key, bool& value) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  if (!node->is_boolean()) return refuse(key, *node, "true or false");
  value = node->as_boolean()->get();
}

void ScenarioReader::word(std::string_view key, std::size_t& value,
                          std::span<const std::string_view> names) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const std::string found = node->is_string() ? node->as_string()->get() : "";
  const auto place = std::ranges::find(names, found);
  if (place == names.end()) {
    return refuse(
        key, *node,
        fmt::format("one of: {}{}", fmt::join(names, " "), base::did_you_mean(found, names)));
  }
  value = static_cast<std::size_t>(place - names.begin());
}

void ScenarioReader::latency(std::string_view key, base::Duration& least, base::Duration& most) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const toml::array* const pair = node->as_array();
  if (pair == nullptr) {
    least = most = duration_of(key, *node, kDuration).value_or(least);
    return;
  }
  constexpr std::string_view kPair = "a duration, or two such as [\"10ms\", \"50ms\"]";
  if (pair->size() != 2) return refuse(key, *node, kPair);
  const auto from = duration_of(key, (*pair)[0], kPair);
  const auto to = from ? duration_of(key, (*pair)[1], kPair) : std::nullopt;
  if (!to) return;
  if (*to < *from) return refuse(key, *node, "the shorter duration first");
  least = *from;
  most = *to;
}

void ScenarioReader::round_trips(std::string_view key, SiteTable& sites) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const std::string expected =
      fmt::format("from 1 to {} rows, each of as many durations", kScenarioSitesMax);
  const toml::array* const rows = node->as_array();
  if (rows == nullptr || rows->empty() || rows->size() > kScenarioSitesMax) {
    return refuse(key, *node, expected);
  }
  sites.site_count = rows->size();
  sites.round_trips.clear();
  for (const toml::node& row : *rows) {
    const toml::array* const cells = row.as_array();
    if (cells == nullptr || cells->size() != rows->size()) return refuse(key, row, expected);
    for (const toml::node& cell : *cells) {
      const auto found = duration_of(key, cell, kDuration);
      if (!found) return;
      sites.round_trips.push_back(*found);
    }
  }
}

void ScenarioReader::amount(std::string_view key, std::optional<Amount>& value) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto count = number_of(*node, {.least = 1, .most = kScenarioMembersMax});
  const auto share = fraction_of(*node);
  const bool is_share = share && !share->is_zero() && share->numerator <= share->denominator;
  if (!count && !is_share) {
    return refuse(key, *node, "a number of members, or a share of them such as \"1/10\"");
  }
  value = count ? Amount{.count = *count} : Amount{.share = *share};
}

void ScenarioReader::drop_reasons(std::string_view key, std::vector<protocol::DropReason>& values) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < protocol::kDropReasonCount; ++i) {
    names.push_back(to_string(static_cast<protocol::DropReason>(i)));
  }
  const std::string expected = fmt::format("a list of: {}", fmt::join(names, ", "));
  if (!node->is_array()) return refuse(key, *node, expected);
  for (const toml::node& entry : *node->as_array()) {
    const auto place =
        std::ranges::find(names, entry.is_string() ? entry.as_string()->get() : std::string());
    if (place == names.end()) return refuse(key, entry, expected);
    values.push_back(static_cast<protocol::DropReason>(place - names.begin()));
  }
}

std::optional<base::Error> ScenarioReader::finish() {
  if (error_) return error_;
  const toml::key* first = nullptr;
  for (const auto& [key, node] : table_) {
    const bool is_known = std::ranges::find(known_, key.str()) != known_.end();
    const bool is_earlier =
        first == nullptr || key.source().begin.line < first->source().begin.line;
    if (!is_known && is_earlier) first = &key;
  }
  if (first == nullptr) return std::nullopt;
  const std::string hint = base::did_you_mean(first->str(), known_);
  return base::Error{
      base::ErrorId::kConfigKey,
      fmt::format(
          "unknown key '{}'{}", full_name(first->str()),
          hint.empty() ? fmt::format(", expected one of: {}", fmt::join(known_, " ")) : hint),
      position_of(first->source())};
}

base::Error ScenarioReader::error_at(std::string_view key, std::string message) const {
  const toml::node* const node = table_.get(key);
  const toml::source_region& source = node == nullptr ? table_.source() : node->source();
  return {base::ErrorId::kConfigKey, std::move(message), position_of(source)};
}

const toml::node* ScenarioReader::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  return error_ ? nullptr : table_.get(key);
}

void ScenarioReader::refuse(std::string_view key, const toml::node& node,
                            std::string_view expected) {
  error_ = {base::ErrorId::kConfigKey,
            fmt::format("{} is {}, expected {}", full_name(key), shown(node), expected),
            position_of(node.source())};
}

std::optional<base::Duration> ScenarioReader::duration_of(std::string_view key,
                                                          const toml::node& node,
                                                          std::string_view expected) {
  if (const auto* const text = node.as_string()) {
    const auto parsed = filter::parse_duration_prefix(text->get());
    if (parsed && parsed->length_bytes == text->get().size()) return parsed->duration;
  }
  refuse(key, node, expected);
  return std::nullopt;
}

std::string ScenarioReader::full_name(std::string_view key) const {
  return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
}

}  // namespace weir::runtime::sim
