// SPDX-License-Identifier: Apache-2.0
#include "cli/file_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace weir::cli {
namespace {

// The registry, segments that readers hold, the standard streams, what libraries open.
constexpr std::uint64_t kOtherFileCount = 100;

}  // namespace

std::uint64_t raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

std::uint64_t file_count_max(const Settings& settings) {
  // Notes on deliveries may take twice the bytes of the events.
  const std::uint64_t segment_count = 3 * settings.broker.log.retention_bytes /
                                      std::max<std::uint64_t>(settings.broker.log.segment_bytes, 1);
  return settings.server.connection_count_max + settings.webhooks.request_count_max +
         settings.webhooks.idle_connection_count_max + segment_count + kOtherFileCount;
}

}  // namespace weir::cli
