// SPDX-License-Identifier: Apache-2.0
// The text of a token: a public part, by which it is found, and a secret one.
//
//   weir_0123456789abcdef_<43 characters of base64url: 32 random bytes>
//        |____ lookup ___| |_________________ secret _________________|
//
// Names of tokens are 1 to 64 letters, digits and . _ -
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weir::broker {

constexpr std::size_t kTokenNameBytesMax = 64;

bool is_token_name(std::string_view name);

// Views into a token's text.
struct TokenParts {
  std::string_view lookup;
  std::string_view secret;
};

// Nothing if the text does not have the shape of a token.
std::optional<TokenParts> split_token(std::string_view text);

// A new token, from the system's random numbers.
std::string make_token_text();

}  // namespace weir::broker
