// SPDX-License-Identifier: Apache-2.0
// Workload: a stream of events with their producers, as the experiments of paper 000 read it.
//
// An event is the hash of what is filtered (a URL, a client's address); a producer is an index into
// the clients. Read from lines `client TAB event`, or made by generator.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::lab {

struct WorkloadEvent {
  std::uint64_t key = 0;
  std::uint32_t client_index = 0;
};

struct Workload {
  std::string name;
  std::vector<WorkloadEvent> events;
  std::vector<std::string> clients;

  // The keys in the order of their first events: what an append-only filter can err about, since a
  // key that came before has its cells set and is a duplicate for certain.
  std::vector<std::uint64_t> distinct_keys() const;
};

// At most event_count_max lines. Fails with kCliFile where a line has not two fields, or no line.
base::Result<Workload> parse_workload(std::string_view name, std::string_view text,
                                      std::size_t event_count_max);
base::Result<Workload> read_workload(std::string_view name, const std::string& file_name,
                                     std::size_t event_count_max);

inline constexpr std::size_t kPathLength = 4;
// Where a client stands in a tree of five levels, from below the root to the leaf: the octets of an
// IPv4 address, the labels of a name from the last (the fourth has all that are left). A name with
// fewer has empty steps at its end.
std::array<std::string, kPathLength> client_path(std::string_view client);

// Another draw of all hash functions: the same key for the same repetition.
std::uint64_t rekeyed(std::uint64_t key, std::uint64_t repetition);

}  // namespace weir::lab
