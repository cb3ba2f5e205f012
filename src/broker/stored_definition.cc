// SPDX-License-Identifier: Apache-2.0
#include "broker/stored_definition.h"

#include <cstdint>
#include <limits>

namespace weir::broker {

namespace {

DefinitionLimits unlimited() {
  constexpr std::size_t kMuch = std::size_t{1} << 40U;
  return {.document_bytes_max = kMuch,
          .id_bytes_max = kMuch,
          .sink_bytes_max = kMuch,
          .type_count_max = kMuch,
          .outbox_count_max = kMuch,
          .consumers = {.acknowledge_within_min = {0},
                        .acknowledge_within_max = {std::numeric_limits<std::int64_t>::max()},
                        .in_flight_max = kMuch,
                        .attempt_count_max = kMuch},
          .filter = {.text_bytes_max = std::size_t{1} << 30U,
                     .depth_max = 1024,
                     .list_count_max = kMuch,
                     .pattern_bytes_max = kMuch,
                     .conjunction_count_max = kMuch,
                     .term_count_max = kMuch}};
}

}  // namespace

base::Result<DefinitionPtr> parse_stored_definition(std::string_view json) {
  return Definition::parse(json, unlimited());
}

}  // namespace weir::broker
