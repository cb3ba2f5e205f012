// SPDX-License-Identifier: Apache-2.0
// TaskQueue: work for one thread, in the order in which it was handed in, from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace weir::broker {

template <typename Task>
class TaskQueue {
 public:
  using Clock = std::chrono::steady_clock;

  void push(Task task) {
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) return;
      tasks_.push_back(std::move(task));
    }
    ready_.notify_one();
  }

  // Everything there is, waiting for the first task until then, or for ever.
  std::vector<Task> pop_all(std::optional<Clock::time_point> until = std::nullopt) {
    std::unique_lock lock(mutex_);
    const auto has_task = [this] { return !tasks_.empty(); };
    if (until) {
      ready_.wait_until(lock, *until, has_task);
    } else {
      ready_.wait(lock, has_task);
    }
    return std::exchange(tasks_, {});
  }

  bool empty() {
    const std::scoped_lock lock(mutex_);
    return tasks_.empty();
  }

  // Forgets what is there and takes nothing more.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    tasks_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Task> tasks_;
  bool closed_ = false;
};

}  // namespace weir::broker
