// SPDX-License-Identifier: Apache-2.0
// Signals: waits for signals instead of being interrupted by them.
//
// While one of these exists its signals are blocked, in this thread and in those that it starts
// from then on; they are taken by wait() and poll() only. release() lets them have their usual
// effect again, so that a second Ctrl-C ends a command that is about to end.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "base/instant.h"

namespace weir::cli {

class Signals {
 public:
  explicit Signals(std::initializer_list<int> numbers);
  ~Signals() { release(); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // A signal that came before or comes within that time; nothing if none does.
  std::optional<int> wait(base::Duration timeout);
  std::optional<int> poll() { return wait(base::Duration{}); }
  void release();

 private:
  sigset_t set_;
  sigset_t before_;
  bool released_ = false;
};

}  // namespace weir::cli
