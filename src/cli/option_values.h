// SPDX-License-Identifier: Apache-2.0
// Option values: the words and numbers that options take, checked. Fails with kCliUsage.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "cli/options.h"
#include "match/change_filter.h"

namespace weir::cli {

base::Error usage_error(std::string message);

// The index of the word among the names.
base::Result<std::size_t> choose_word(std::string_view option, std::string_view word,
                                      std::span<const std::string_view> names);
base::Result<Dialect> parse_dialect(std::string_view word);
base::Result<ClockKind> parse_clock(std::string_view word);
base::Result<match::Initial> parse_initial(std::string_view word);
// What text analysis calls the language of a tag or name: german for de, de-AT or German.
base::Result<std::string> parse_language(std::string_view word);
// A duration as filters write it: 90s, 1h30m; 0s too.
base::Result<base::Duration> parse_duration(std::string_view option, std::string_view text);
// The same, but not 0.
base::Result<base::Duration> parse_window(std::string_view option, std::string_view text);
// A number of bytes, with KiB, MiB or GiB after it if wanted; from 1 to 1 GiB.
base::Result<std::size_t> parse_bytes(std::string_view option, std::string_view text);

std::string_view to_string(Dialect dialect);

}  // namespace weir::cli
