// SPDX-License-Identifier: Apache-2.0
#include "base/wiped.h"

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero is in this one only

namespace weir::base {

void wipe(std::string& text) {
  // All of it is the string's own then, also behind its end.
  text.resize(text.capacity());
  explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace weir::base
