// SPDX-License-Identifier: Apache-2.0
// A URL that parses reads back as it is written; one that does not names a place inside it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "server/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto url = weir::server::parse_url(text);
  if (!url) {
    WEIR_CHECK(url.error().position->offset_bytes <= text.size());
    return 0;
  }
  WEIR_CHECK(!url->host.empty() && url->port != 0 && url->target.starts_with('/'));
  WEIR_CHECK(url->to_string().find_first_of("\r\n @#") == std::string::npos ||
             url->target.find('@') != std::string::npos);
  const std::string again_text = url->to_string();
  const auto again = weir::server::parse_url(again_text);
  // A text at the limit may grow by the slash that was left out.
  WEIR_CHECK(again.has_value() || again_text.size() > weir::server::kUrlBytesMax);
  if (again) WEIR_CHECK(*again == *url);
  return 0;
}
