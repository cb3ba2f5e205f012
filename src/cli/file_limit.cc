// SPDX-License-Identifier: Apache-2.0
#include "cli/file_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace weir::cli {
namespace {

// The registry, segments that readers hold, the standard streams, what libraries open.
constexpr std::uint64_t kOtherFileCount = 100;

std::uint64_t socket_count_max(const Settings& settings) {
  return settings.server.connection_count_max + settings.webhooks.request_count_max +
         settings.webhooks.idle_connection_count_max;
}

}  // namespace

std::uint64_t raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

std::uint64_t store_file_count_max(const Settings& settings) {
  // Notes on deliveries may take twice the bytes of the events.
  const std::uint64_t segment_count = 3 * settings.broker.log.retention_bytes /
                                      std::max<std::uint64_t>(settings.broker.log.segment_bytes, 1);
  return segment_count + kOtherFileCount;
}

std::uint64_t file_count_max(const Settings& settings) {
  return socket_count_max(settings) + server::kReservedConnectionCount +
         store_file_count_max(settings);
}

bool fit_connections(Settings& settings, std::uint64_t allowed) {
  if (allowed >= file_count_max(settings)) return false;
  // A log of very many segments leaves half to connections: only those that are read are open.
  const std::uint64_t store = std::min(store_file_count_max(settings), allowed / 2);
  const std::uint64_t reserved = store + server::kReservedConnectionCount;
  const double share = static_cast<double>(allowed - std::min(allowed, reserved)) /
                       static_cast<double>(socket_count_max(settings));
  for (std::size_t* const count :
       {&settings.server.connection_count_max, &settings.webhooks.request_count_max,
        &settings.webhooks.idle_connection_count_max}) {
    const auto lower = static_cast<std::size_t>(static_cast<double>(*count) * share);
    *count = std::clamp<std::size_t>(lower, std::min<std::size_t>(1, *count), *count);
  }
  return true;
}

}  // namespace weir::cli
