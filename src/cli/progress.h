// SPDX-License-Identifier: Apache-2.0
// Progress: one line on a terminal that tells how far a long run is, at most twice a second.
//
// It appears half a second after the first look at the clock and is erased by clear().
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/instant.h"
#include "cli/output.h"

namespace weir::cli {

class Progress {
 public:
  struct Options {
    bool enabled = false;
    std::optional<std::uint64_t> total_bytes = {};  // of the input, where it is known
    // What is counted: "1,000 events, 20 written".
    std::string_view events = "events";
    std::string_view written = "written";
  };
  struct State {
    std::uint64_t event_count = 0;
    std::uint64_t written_count = 0;
    std::uint64_t read_bytes = 0;
  };

  Progress(Output& err, Options options) : err_(err), options_(options) {}

  bool enabled() const { return options_.enabled; }
  // `now` is by any clock that does not go back.
  void show(base::Instant now, const State& state);
  // Erases the line, if there is one; the next show() brings it back.
  void clear();

 private:
  Output& err_;
  Options options_;
  std::optional<base::Instant> started_;
  base::Instant shown_at_;
  bool visible_ = false;
};

// By a clock that does not go back.
base::Instant steady_now();

}  // namespace weir::cli
