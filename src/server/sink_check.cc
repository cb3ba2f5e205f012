// SPDX-License-Identifier: Apache-2.0
#include "server/sink_check.h"

#include <fmt/format.h>

#include "server/url.h"

namespace weir::server {

base::Result<void> check_sink(std::string_view sink, const AddressGuard& guard) {
  const auto url = parse_url(sink);
  if (!url) {
    // A position would be taken for one in the document.
    return base::Error{base::ErrorId::kBrokerSink,
                       fmt::format("the sink is not a URL: {}, at its character {}",
                                   url.error().message, url.error().position->column),
                       std::nullopt};
  }
  const auto address = parse_ip(url->host);
  return address ? guard.check(*address) : base::Result<void>();
}

}  // namespace weir::server
