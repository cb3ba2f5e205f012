// SPDX-License-Identifier: Apache-2.0
// StateEstimate: what the engine will have to remember for a filter.
//
// Bytes are what this build was measured to use for events of about 300 bytes and keys of about 20;
// those of approximate windows are computed. Limits are the engine's defaults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "filter/filter.h"
#include "match/distinct_window.h"

namespace weir::cli {

struct StateEstimate {
  // One conjunction's change terms: their last values, and the newest event of each.
  struct Change {
    std::vector<std::string> keys;  // none: there is one value
    std::size_t term_count = 0;
    std::size_t bytes_per_key = 0;
    std::size_t key_count_max = 0;  // of all conjunctions together
  };
  // The keys that were delivered within the window.
  struct Distinct {
    std::vector<std::string> keys;
    base::Duration within;
    match::DistinctMode mode = match::DistinctMode::kExact;
    double false_positives_max = 0;
    std::size_t bytes_per_key = 0;
    std::size_t key_count_max = 0;
    std::optional<std::uint64_t> bytes_max = {};  // none: keys may be of any length
  };
  // How many events have each word in these fields.
  struct Corpus {
    std::vector<std::string> fields;
    std::string language = {};  // empty: the engine's
    std::size_t bytes_per_word = 0;
    std::size_t word_count_max = 0;
  };

  std::vector<Change> changes;
  std::optional<Distinct> distinct;
  std::vector<Corpus> corpora;
};

StateEstimate estimate_state(const filter::FilterPtr& filter);

// One line each, indented; "none" if there is no state.
std::string to_text(const StateEstimate& estimate);
// An object with the members change, distinct and text, as far as there is such state.
std::string to_json(const StateEstimate& estimate);

}  // namespace weir::cli
