// SPDX-License-Identifier: Apache-2.0
// repair_log: makes a damaged log one that can be opened, without the records that are lost.
//
// Every record that is valid in its place stays in its place. A record of kind kLost fills the
// place of those that are not, and tells the sequence of the next event, so that no sequence is
// given twice and nothing else in the log changes. A segment that is missing is made anew with such
// a record; oldest segments that are missing are left out. The bounds are written anew.
//
// Requires that nobody uses the log. Costs a read of the whole log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace weir::store {

// Records that are gone from one place.
struct LostRecords {
  std::string file;                // relative to the broker's directory
  std::uint64_t offset_bytes = 0;  // where they were
  std::uint64_t bytes = 0;         // how long they were, as far as that is known
  // The events from the first on, before the next; none if both are equal: then only notes on
  // deliveries are lost.
  std::uint64_t first_sequence = 0;
  std::uint64_t next_sequence = 0;
};

// Called with a file's name, relative to the broker's directory, before the file is changed.
using KeepOriginal = std::function<base::Result<void>(const std::string& file)>;

// The log of a broker's directory, which the registry knows to have had events up to
// `known_sequence`. Gives what is lost, in the order of the log.
base::Result<std::vector<LostRecords>> repair_log(const std::filesystem::path& directory,
                                                  std::uint64_t known_sequence,
                                                  const KeepOriginal& keep);

}  // namespace weir::store
