// SPDX-License-Identifier: Apache-2.0
// Trouble: decides when a log is told of something that goes wrong for a while: once when it
// begins, once when it is over. What comes and goes is told of once a minute at most.
#pragma once

#include <cstdint>
#include <optional>

#include "base/instant.h"

namespace weir::server {

class Trouble {
 public:
  enum class News : std::uint8_t { kNone, kBegan, kEnded };

  // How it stands now; to be called again and again while it goes wrong.
  News see(bool is_there, base::Instant now) {
    if (is_there == told_) return News::kNone;
    if (is_there && began_ && now < *began_ + base::Duration::seconds(60)) return News::kNone;
    told_ = is_there;
    if (is_there) began_ = now;
    return is_there ? News::kBegan : News::kEnded;
  }

 private:
  bool told_ = false;                   // that it is there
  std::optional<base::Instant> began_;  // when that was told last
};

}  // namespace weir::server
