// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/check.h"
#include "cli/progress.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

Signals::Signals(std::initializer_list<int> numbers) : set_(), before_() {
  sigemptyset(&set_);
  for (const int number : numbers) sigaddset(&set_, number);
  WEIR_CHECK(pthread_sigmask(SIG_BLOCK, &set_, &before_) == 0);
}

std::optional<int> Signals::wait(base::Duration timeout) {
  const base::Instant until = steady_now() + timeout;
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>((until - steady_now()).nanoseconds, 0);
    const timespec time{.tv_sec = left / kSecond, .tv_nsec = left % kSecond};
    if (const int number = sigtimedwait(&set_, nullptr, &time); number > 0) return number;
    if (errno == EAGAIN) return std::nullopt;
    WEIR_CHECK(errno == EINTR);
  }
}

void Signals::release() {
  if (released_) return;
  released_ = true;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace weir::cli
