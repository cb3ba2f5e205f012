// SPDX-License-Identifier: Apache-2.0
// StreamHash: the hash_bytes() of a text that comes in pieces; XXH3 with 64 bits, seed 0.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace weir::base {

class StreamHash {
 public:
  StreamHash();
  ~StreamHash();
  StreamHash(const StreamHash&) = delete;
  StreamHash& operator=(const StreamHash&) = delete;

  void add(std::string_view bytes);
  // The hash of all bytes that were added so far.
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::base
