// SPDX-License-Identifier: Apache-2.0
// RestartGuard: finds the event that ends the process at every start.
//
// A start matches events again that were not noted. If matching one of them ends the process, every
// start would end there. So a small file beside the registry names the event that is being matched
// and how many starts in a row have reached it and not come back; after kFailedStartsMax of them it
// is skipped.
//
// Covers ends while events are matched again at a start. It does not cover ends that come later,
// nor losses of power: the file is written, not synced. A file that cannot be written costs the
// protection, never the start. Single-threaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "store/file_system.h"

namespace weir::broker {

inline constexpr std::string_view kRestartGuardName = "restart";

class RestartGuard {
 public:
  static constexpr std::uint64_t kFailedStartsMax = 3;

  RestartGuard(store::FileSystem& files, std::filesystem::path directory);

  // To be called before an event is matched again. False: it is to be skipped.
  bool begin(std::uint64_t sequence);
  // All events are matched.
  void finish();

 private:
  void write(std::uint64_t sequence, std::uint64_t start_count);

  store::FileSystem& files_;
  std::filesystem::path directory_;
  std::unique_ptr<store::File> file_;  // null: there is none
  std::uint64_t last_sequence_ = 0;    // where starts ended before; 0: nowhere
  std::uint64_t start_count_ = 0;      // how many
};

}  // namespace weir::broker
