// SPDX-License-Identifier: Apache-2.0
#include "base/stream_hash.h"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming)
#include <xxhash.h>

namespace weir::base {

struct StreamHash::State {
  XXH3_state_t state;
};

StreamHash::StreamHash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->state); }

StreamHash::~StreamHash() = default;

void StreamHash::add(std::string_view bytes) {
  XXH3_64bits_update(&state_->state, bytes.data(), bytes.size());
}

std::uint64_t StreamHash::value() const { return XXH3_64bits_digest(&state_->state); }

}  // namespace weir::base
