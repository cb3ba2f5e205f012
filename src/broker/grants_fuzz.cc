// SPDX-License-Identifier: Apache-2.0
// Grants as JSON and as a command line's text: what is read, reads back as it is written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "broker/grant_text.h"
#include "broker/grants.h"

namespace {

using namespace weir::broker;

void check_json(const Grants& grants) {
  const auto again = Grants::parse_json(grants.to_json());
  WEIR_CHECK(again.has_value() && *again == grants);
}

void check_texts(const Grants& grants) {
  Grants again;
  for (const std::string& text : grant_texts(grants)) {
    WEIR_CHECK(add_grant(text, again).has_value());
  }
  WEIR_CHECK(again == grants);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto grants = Grants::parse_json(text)) {
    check_json(*grants);
    check_texts(*grants);
  }
  Grants grants;
  if (add_grant(text, grants)) {
    check_json(grants);
    check_texts(grants);
  }
  return 0;
}
