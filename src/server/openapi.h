// SPDX-License-Identifier: Apache-2.0
// The description of the API in OpenAPI 3.1, served as /openapi.json.
#pragma once

#include <string_view>

namespace weir::server {

std::string_view openapi_document();

}  // namespace weir::server
