// SPDX-License-Identifier: Apache-2.0
#include "cli/state_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/json_output.h"
#include "cli/text_output.h"
#include "engine/engine.h"
#include "filter/duration.h"
#include "filter/print.h"

namespace weir::cli {
namespace {

constexpr std::size_t kChangeBytesPerKey = 200;
constexpr std::size_t kChangeBytesPerTerm = 1800;  // most of it the event
constexpr std::size_t kDistinctBytesPerKey = 140;
constexpr std::size_t kCorpusBytesPerWord = 64;

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

}  // namespace

StateEstimate estimate_state(const filter::Filter& filter) {
  const engine::EngineOptions limits;
  StateEstimate estimate;
  for (const filter::Conjunction& conjunction : filter.normal_form().conjunctions) {
    if (conjunction.changes.empty()) continue;
    const auto& first = std::get<filter::Change>(*conjunction.changes[0]->predicate());
    const std::size_t term_count = conjunction.changes.size();
    estimate.changes.push_back(
        {.keys = texts_of(first.keys),
         .term_count = term_count,
         .bytes_per_key = kChangeBytesPerKey + term_count * kChangeBytesPerTerm,
         .key_count_max = limits.change_key_count_max});
  }
  if (const auto& distinct = filter.distinct()) {
    estimate.distinct = {.keys = texts_of(distinct->keys),
                         .within = distinct->within,
                         .bytes_per_key = kDistinctBytesPerKey,
                         .key_count_max = limits.distinct_key_count_max};
  }
  std::set<std::vector<std::string>> corpora;
  for (const filter::About* about : filter.abouts()) {
    std::vector<std::string> fields;
    for (const event::Path& path : about->fields) fields.push_back(filter::to_text(path));
    corpora.insert(std::move(fields));
  }
  for (const std::vector<std::string>& fields : corpora) {
    estimate.corpora.push_back({.fields = fields,
                                .bytes_per_word = kCorpusBytesPerWord,
                                .word_count_max = limits.corpus.term_count_max});
  }
  return estimate;
}

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
  if (const auto& distinct = estimate.distinct) {
    out += fmt::format(
        "  distinct: each {} delivered within {}, about {} bytes per key, at most {} keys\n",
        list(distinct->keys), filter::to_text(distinct->within), distinct->bytes_per_key,
        grouped(distinct->key_count_max));
  }
  for (const StateEstimate::Corpus& corpus : estimate.corpora) {
    out += fmt::format(
        "  text: how many events have each word in {}, about {} bytes per word, at most {} words; "
        "shared by all filters on these fields\n",
        list(corpus.fields), corpus.bytes_per_word, grouped(corpus.word_count_max));
  }
  return out.empty() ? "  none\n" : out;
}

namespace {

void append_json(const StateEstimate::Change& change, std::string& out) {
  JsonObject object(out);
  object.member("keys", change.keys);
  object.member("term_count", change.term_count);
  object.member("bytes_per_key", change.bytes_per_key);
  object.member("key_count_max", change.keys.empty() ? 1 : change.key_count_max);
  object.close();
}

void append_json(const StateEstimate::Distinct& distinct, std::string& out) {
  JsonObject object(out);
  object.member("keys", distinct.keys);
  object.member("within", filter::to_text(distinct.within));
  object.member("bytes_per_key", distinct.bytes_per_key);
  object.member("key_count_max", distinct.key_count_max);
  object.close();
}

void append_json(const StateEstimate::Corpus& corpus, std::string& out) {
  JsonObject object(out);
  object.member("fields", corpus.fields);
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
  JsonObject object(out);
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
