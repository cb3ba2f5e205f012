// SPDX-License-Identifier: Apache-2.0
// The description of the API in OpenAPI 3.0, served as /openapi.json. Its source is the JSON in
// server/openapi/, one file for each area; the build joins them (tools/openapi.py).
#pragma once

#include <string_view>

namespace weir::server {

std::string_view openapi_document();

}  // namespace weir::server
