// SPDX-License-Identifier: Apache-2.0
// Wiping of secrets: bytes that were a token, a password or a key are overwritten when they are no
// longer needed, so that a core dump, a swap file or a later read beyond a buffer does not show
// them. The compiler cannot leave it out.
//
//   std::string secret = read_secret();
//   const base::Wiped wiped(secret);  // overwritten at the end of the block, whatever it holds
//   then
//
// A string that grows leaves its old bytes behind: reserve() what it needs first. Copies are the
// business of whoever makes them.
#pragma once

#include <string>

namespace weir::base {

// Overwrites all that the string has allocated, and makes it empty.
void wipe(std::string& text);

// Wipes a string that outlives it, when it is destroyed.
class Wiped {
 public:
  explicit Wiped(std::string& text) : text_(text) {}
  ~Wiped() { wipe(text_); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;

 private:
  std::string& text_;
};

}  // namespace weir::base
