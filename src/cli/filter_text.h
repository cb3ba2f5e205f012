// SPDX-License-Identifier: Apache-2.0
// FilterText: a filter as it was given, with the name that messages give it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/failure.h"
#include "cli/options.h"
#include "engine/engine.h"
#include "filter/filter.h"

namespace weir::cli {

struct FilterText {
  std::string text;
  std::string what = "filter";  // or "filter 2", or the file's name
  std::size_t line = 1;         // in the file
};

// The expressions of the command line, then the lines of the file; blank lines and lines that begin
// with # are none.
Attempt<std::vector<FilterText>> filter_texts(const FilterOptions& options);

base::Result<filter::FilterPtr> parse_filter(const FilterText& text, Dialect dialect);

// An error of a filter, placed in its file and with its text.
Failure filter_failure(const FilterText& text, base::Error error);

struct Subscribed {
  filter::FilterPtr filter;
  engine::SubscriptionId id;
};

Attempt<Subscribed> subscribe(engine::Engine& engine, const FilterText& text, Dialect dialect,
                              match::Initial initial);

}  // namespace weir::cli
