// SPDX-License-Identifier: Apache-2.0
// The server's certificate and key, as TLS wants them: 1.2 or later, HTTP/1.1 by ALPN.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "server/transport.h"

namespace weir::server {

// kHttpTls if a file cannot be read or the key is not the certificate's.
base::Result<TlsContextPtr> load_tls_context(const std::filesystem::path& certificate_file,
                                             const std::filesystem::path& key_file);

}  // namespace weir::server
