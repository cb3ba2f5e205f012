// SPDX-License-Identifier: Apache-2.0
#include "cli/state_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "bloom/generational_sizing.h"
#include "bloom/sizing.h"
#include "cli/text_output.h"
#include "engine/distinct_options.h"
#include "engine/engine.h"
#include "engine/shared_change.h"
#include "event/json_writer.h"
#include "filter/duration.h"
#include "filter/print.h"

namespace weir::cli {
namespace {

constexpr std::size_t kChangeBytesPerKey = 200;
constexpr std::size_t kChangeBytesPerTerm = 1800;  // most of it the event
constexpr std::size_t kSharedBytesPerKey = 750;    // for all that share it
constexpr std::size_t kExactBytesPerKey = 140;
constexpr std::size_t kVerifiedBytesPerKey = 60;
constexpr std::size_t kCorpusBytesPerWord = 85;
constexpr std::array<std::string_view, 3> kModeNames = {"exact", "approximate", "verify"};

std::vector<std::string> texts_of(const std::vector<filter::Operand>& operands) {
  std::vector<std::string> texts;
  for (const filter::Operand& operand : operands) texts.push_back(filter::to_text(operand));
  return texts;
}

// "subject" or "(data.ad, data.ip)".
std::string list(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts[0];
  return fmt::format("({})", fmt::join(texts, ", "));
}

// On average; an approximate window goes from full to half full with each size that it takes, and
// its filter has a fifth to a third of the false positives that all together may have.
std::size_t bytes_per_key(const match::DistinctWindowOptions& window) {
  if (window.mode == match::DistinctMode::kExact) return kExactBytesPerKey;
  if (window.mode == match::DistinctMode::kVerified) return kVerifiedBytesPerKey;
  const double share = std::max(window.false_positives_max / 4, bloom::kFalsePositivesMin);
  return static_cast<std::size_t>(
      std::ceil(bloom::generational_bits_per_live_key(share) * 1.5 / 8));
}

StateEstimate::Distinct estimate_distinct(const filter::FilterPtr& filter,
                                          const engine::EngineOptions& limits) {
  const match::DistinctWindowOptions window = engine::distinct_window_options(filter, limits);
  const bool is_approximate = window.mode == match::DistinctMode::kApproximate;
  return {.keys = texts_of(filter->distinct()->keys),
          .within = window.within,
          .mode = window.mode,
          .false_positives_max = is_approximate ? window.false_positives_max : 0,
          .bytes_per_key = bytes_per_key(window),
          .key_count_max = window.key_count_max,
          .bytes_max = match::distinct_bytes_max(window)};
}

// What an engine has that a broker runs: a log to ask.
engine::EngineOptions broker_limits() {
  engine::EngineOptions limits;
  limits.find_event = [](std::uint64_t) { return event::EventPtr(); };
  return limits;
}

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

// Where filters share what they remember, a key's event is kept only if it may be held back.
std::size_t shared_bytes_per_key(const filter::Change& change) {
  return kSharedBytesPerKey + (change.at_most_every ? kChangeBytesPerTerm : 0);
}

std::size_t change_bytes_per_key(const std::vector<filter::ExprPtr>& changes) {
  const auto keeps_two = std::ranges::count_if(
      changes, [](const filter::ExprPtr& change) { return change_of(change).with_previous; });
  return kChangeBytesPerKey +
         (changes.size() + static_cast<std::size_t>(keeps_two)) * kChangeBytesPerTerm;
}

}  // namespace

StateEstimate estimate_state(const filter::FilterPtr& filter) {
  const engine::EngineOptions limits = broker_limits();
  const bool is_shared = engine::SharedChange::shape_of(*filter, limits).has_value();
  StateEstimate estimate;
  for (const filter::Conjunction& conjunction : filter->normal_form().conjunctions) {
    if (conjunction.changes.empty()) continue;
    const filter::Change& first = change_of(conjunction.changes[0]);
    estimate.changes.push_back({.keys = texts_of(first.keys),
                                .term_count = conjunction.changes.size(),
                                .bytes_per_key = is_shared
                                                     ? shared_bytes_per_key(first)
                                                     : change_bytes_per_key(conjunction.changes),
                                .key_count_max = limits.change_key_count_max});
  }
  if (filter->distinct()) estimate.distinct = estimate_distinct(filter, limits);
  std::set<std::pair<std::vector<std::string>, std::string>> corpora;
  for (const filter::TextSource* source : filter->text_sources()) {
    std::vector<std::string> fields;
    for (const filter::TextField& field : source->fields) fields.push_back(filter::to_text(field));
    corpora.emplace(std::move(fields), source->language);
  }
  for (const auto& [fields, language] : corpora) {
    estimate.corpora.push_back({.fields = fields,
                                .language = language,
                                .bytes_per_word = kCorpusBytesPerWord,
                                .word_count_max = limits.corpus.term_count_max});
  }
  return estimate;
}

namespace {

std::string to_text(const StateEstimate::Distinct& distinct) {
  std::string certainty;
  if (distinct.mode == match::DistinctMode::kApproximate) {
    // A rate of 1 in 1e6 is not the inverse of 1e6 to the last bit.
    const double one_in = std::floor(1 / distinct.false_positives_max * (1 + 1e-9));
    certainty = fmt::format(", at most one in {} distinct events dropped",
                            grouped(static_cast<std::uint64_t>(one_in)));
  } else if (distinct.mode == match::DistinctMode::kVerified) {
    certainty = ", looked up in the log";
  }
  const std::string bound =
      distinct.bytes_max
          ? fmt::format(" and {}", readable_bytes(static_cast<double>(*distinct.bytes_max)))
          : "";
  return fmt::format(
      "  distinct: each {} delivered within {}{}, about {} bytes per key, at most {} keys{}\n",
      list(distinct.keys), filter::to_text(distinct.within), certainty, distinct.bytes_per_key,
      grouped(distinct.key_count_max), bound);
}

}  // namespace

std::string to_text(const StateEstimate& estimate) {
  std::string out;
  for (const StateEstimate::Change& change : estimate.changes) {
    if (change.keys.empty()) {
      out += fmt::format("  change: {} last value{} and the newest event of each, about {} bytes\n",
                         change.term_count, change.term_count == 1 ? "" : "s",
                         grouped(change.bytes_per_key));
      continue;
    }
    out += fmt::format(
        "  change: for each {}: {} last value{} and the newest event of each, about {} bytes per "
        "key, at most {} keys\n",
        list(change.keys), change.term_count, change.term_count == 1 ? "" : "s",
        grouped(change.bytes_per_key), grouped(change.key_count_max));
  }
  if (estimate.distinct) out += to_text(*estimate.distinct);
  for (const StateEstimate::Corpus& corpus : estimate.corpora) {
    const std::string language =
        corpus.language.empty() ? "" : fmt::format(" in {}", corpus.language);
    out += fmt::format(
        "  text: how many events have each word in {}{}, about {} bytes per word, at most {} "
        "words; shared by all filters on these fields\n",
        list(corpus.fields), language, corpus.bytes_per_word, grouped(corpus.word_count_max));
  }
  return out.empty() ? "  none\n" : out;
}

namespace {

void append_json(const StateEstimate::Change& change, std::string& out) {
  event::JsonObject object(out);
  object.member("keys", change.keys);
  object.member("term_count", change.term_count);
  object.member("bytes_per_key", change.bytes_per_key);
  object.member("key_count_max", change.keys.empty() ? 1 : change.key_count_max);
  object.close();
}

void append_json(const StateEstimate::Distinct& distinct, std::string& out) {
  event::JsonObject object(out);
  object.member("keys", distinct.keys);
  object.member("within", filter::to_text(distinct.within));
  object.member("mode", kModeNames[static_cast<std::size_t>(distinct.mode)]);
  if (distinct.mode == match::DistinctMode::kApproximate) {
    object.member("false_positives_max", distinct.false_positives_max);
  }
  object.member("bytes_per_key", distinct.bytes_per_key);
  object.member("key_count_max", distinct.key_count_max);
  if (distinct.bytes_max) object.member("bytes_max", *distinct.bytes_max);
  object.close();
}

void append_json(const StateEstimate::Corpus& corpus, std::string& out) {
  event::JsonObject object(out);
  object.member("fields", corpus.fields);
  if (!corpus.language.empty()) object.member("language", corpus.language);
  object.member("bytes_per_word", corpus.bytes_per_word);
  object.member("word_count_max", corpus.word_count_max);
  object.close();
}

template <typename T>
void append_array(const std::vector<T>& elements, std::string& out) {
  out += '[';
  for (const T& element : elements) {
    if (&element != &elements.front()) out += ',';
    append_json(element, out);
  }
  out += ']';
}

}  // namespace

std::string to_json(const StateEstimate& estimate) {
  std::string out;
  event::JsonObject object(out);
  if (!estimate.changes.empty()) {
    object.name("change");
    append_array(estimate.changes, out);
  }
  if (estimate.distinct) {
    object.name("distinct");
    append_json(*estimate.distinct, out);
  }
  if (!estimate.corpora.empty()) {
    object.name("text");
    append_array(estimate.corpora, out);
  }
  object.close();
  return out;
}

}  // namespace weir::cli
