// SPDX-License-Identifier: Apache-2.0
#include "001/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "bloom/probe.h"
#include "shared/parse.h"
#include "shared/text_file.h"

namespace weir::lab {
namespace {

bool parse_publication(std::string_view line, std::vector<std::int64_t>& values) {
  while (!line.empty()) {
    if (!parse_number(take_until(line, ' '), values.emplace_back())) return false;
  }
  return true;
}

bool parse_predicate(std::string_view text, Predicate& predicate) {
  predicate.is_equality = text.find('=') != std::string_view::npos;
  if (!parse_number(take_until(text, predicate.is_equality ? '=' : ':'), predicate.attribute)) {
    return false;
  }
  if (!parse_number(take_until(text, ':'), predicate.low)) return false;
  predicate.high = predicate.low;
  return predicate.is_equality ? text.empty() : parse_number(text, predicate.high);
}

bool parse_subscription(std::string_view line, Workload& workload) {
  while (!line.empty()) {
    Predicate& predicate = workload.predicates.emplace_back();
    if (!parse_predicate(take_until(line, ' '), predicate)) return false;
  }
  workload.ends.push_back(workload.predicates.size());
  return true;
}

bool parse_line(std::string_view line, Workload& workload) {
  const std::string_view kind = take_until(line, ' ');
  if (kind == "s") return parse_subscription(line, workload);
  const std::size_t known_count = workload.values.size();
  if (kind != "p" || !parse_publication(line, workload.values)) return false;
  const std::size_t count = workload.values.size() - known_count;
  if (workload.attribute_count == 0) workload.attribute_count = count;
  return count > 0 && count == workload.attribute_count;
}

std::uint64_t hash_of(std::size_t attribute, std::int64_t value, const HashingOptions& options) {
  const std::size_t name = options.hashing == Hashing::kValue ? 0 : attribute + 1;
  return bloom::mix(bloom::mix(options.draw << 32U | name) ^ static_cast<std::uint64_t>(value));
}

// By attribute: whether it goes into a publication's filter.
std::vector<bool> hashed_attributes(const Workload& workload, Hashing hashing) {
  std::vector<bool> hashed(workload.attribute_count, hashing != Hashing::kUsed);
  for (const Predicate& predicate : workload.predicates) {
    if (predicate.is_equality) hashed[predicate.attribute] = true;
  }
  return hashed;
}

}  // namespace

std::span<const std::int64_t> Workload::publication(std::size_t index) const {
  return {values.data() + index * attribute_count, attribute_count};
}

std::span<const Predicate> Workload::subscription(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends[index - 1];
  return {predicates.data() + begin, ends[index] - begin};
}

bool matches(std::span<const Predicate> subscription, std::span<const std::int64_t> publication) {
  return std::ranges::all_of(subscription, [&](const Predicate& predicate) {
    const std::int64_t value = publication[predicate.attribute];
    return predicate.low <= value && value <= predicate.high;
  });
}

base::Result<Workload> parse_workload(std::string_view name, std::string_view text) {
  Workload workload{.name = std::string(name)};
  for (std::size_t number = 1; !text.empty(); ++number) {
    if (!parse_line(take_until(text, '\n'), workload)) {
      return file_error(fmt::format("{}: line {} is no publication or subscription", name, number));
    }
  }
  if (workload.values.size() < 2 * workload.attribute_count || workload.ends.empty()) {
    return file_error(fmt::format("{}: too few publications or subscriptions", name));
  }
  for (const Predicate& predicate : workload.predicates) {
    if (predicate.attribute >= workload.attribute_count) {
      return file_error(fmt::format("{}: no attribute {}", name, predicate.attribute));
    }
  }
  return workload;
}

base::Result<Workload> read_workload(std::string_view name, const std::string& file_name) {
  const auto text = read_text(file_name);
  if (!text) return text.error();
  return parse_workload(name, *text);
}

std::string_view name_of(Hashing hashing) {
  if (hashing == Hashing::kValue) return "value";
  return hashing == Hashing::kPair ? "pair" : "used";
}

HashedWorkload hashed(const Workload& workload, const HashingOptions& options) {
  HashedWorkload result;
  const std::vector<bool> is_hashed = hashed_attributes(workload, options.hashing);
  for (std::size_t i = 0; i < workload.publication_count(); ++i) {
    const auto values = workload.publication(i);
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (is_hashed[j]) result.publications.push(hash_of(j, values[j], options));
    }
    result.publications.end_list();
  }
  const std::size_t count = std::min(options.subscription_count_max, workload.subscription_count());
  for (std::size_t i = 0; i < count; ++i) {
    for (const Predicate& predicate : workload.subscription(i)) {
      if (!predicate.is_equality) continue;
      result.subscriptions.push(hash_of(predicate.attribute, predicate.low, options));
    }
    result.subscriptions.end_list();
  }
  return result;
}

}  // namespace weir::lab
