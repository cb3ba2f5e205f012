// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/text_output.h"

namespace weir::cli {
namespace {

constexpr base::Duration kInterval = base::Duration::milliseconds(500);
constexpr std::string_view kErase = "\r\x1b[K";

}  // namespace

void Progress::show(base::Instant now, const State& state) {
  if (!options_.enabled) return;
  if (!started_) {
    started_ = now;
    shown_at_ = now;
  }
  if (now - shown_at_ < kInterval) return;
  shown_at_ = now;
  const double seconds = static_cast<double>((now - *started_).nanoseconds) * 1e-9;
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(state.event_count) / seconds);
  std::string line(kErase);
  if (options_.total_bytes && *options_.total_bytes > 0) {
    line += fmt::format(
        "{:3}%  ", std::min<std::uint64_t>(100, state.read_bytes * 100 / *options_.total_bytes));
  }
  line +=
      fmt::format("{} {}, {} {}, {} {}/s", grouped(state.event_count), options_.events,
                  grouped(state.written_count), options_.written, grouped(rate), options_.events);
  err_.append(line);
  err_.flush();
  visible_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  err_.append(kErase);
  err_.flush();
  visible_ = false;
}

base::Instant steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

}  // namespace weir::cli
