// SPDX-License-Identifier: Apache-2.0
// RecordedLog: a log that keeps its lines, for tests. Any thread.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/log.h"

namespace weir::server {

class RecordedLog final : public Log {
 public:
  bool enabled(LogLevel level) const override { return level >= level_; }
  void set_level(LogLevel level) override { level_ = level; }
  void write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields) override {
    if (!enabled(level)) return;
    const std::scoped_lock lock(mutex_);
    lines_.push_back(std::string(to_string(level)) + " " + log_text(message, fields));
  }

  // What came since it was asked last.
  std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::atomic<LogLevel> level_ = LogLevel::kDebug;
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace weir::server
