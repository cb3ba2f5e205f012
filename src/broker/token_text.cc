// SPDX-License-Identifier: Apache-2.0
#include "broker/token_text.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace weir::broker {
namespace {

constexpr std::string_view kPrefix = "weir_";
constexpr std::size_t kLookupBytes = 8;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kLookupLength = 2 * kLookupBytes;
constexpr std::size_t kSecretLength = 43;
constexpr std::size_t kTextLength = kPrefix.size() + kLookupLength + 1 + kSecretLength;
constexpr int kBase64 = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_base64url(char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; }

}  // namespace

bool is_token_name(std::string_view name) {
  return !name.empty() && name.size() <= kTokenNameBytesMax &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

std::optional<TokenParts> split_token(std::string_view text) {
  if (text.size() != kTextLength || !text.starts_with(kPrefix)) return std::nullopt;
  const TokenParts parts{.lookup = text.substr(kPrefix.size(), kLookupLength),
                         .secret = text.substr(kTextLength - kSecretLength)};
  if (text[kPrefix.size() + kLookupLength] != '_') return std::nullopt;
  if (!std::ranges::all_of(parts.lookup, is_hex)) return std::nullopt;
  if (!std::ranges::all_of(parts.secret, is_base64url)) return std::nullopt;
  return parts;
}

std::string make_token_text() {
  WEIR_CHECK(sodium_init() >= 0);
  std::array<unsigned char, kLookupBytes> lookup{};
  std::array<unsigned char, kSecretBytes> secret{};
  randombytes_buf(lookup.data(), lookup.size());
  randombytes_buf(secret.data(), secret.size());
  std::array<char, kLookupLength + 1> lookup_text{};
  std::array<char, kSecretLength + 1> secret_text{};
  sodium_bin2hex(lookup_text.data(), lookup_text.size(), lookup.data(), lookup.size());
  sodium_bin2base64(secret_text.data(), secret_text.size(), secret.data(), secret.size(), kBase64);

  std::string text;
  text.reserve(kTextLength);
  text.append(kPrefix).append(lookup_text.data()).append("_").append(secret_text.data());
  sodium_memzero(secret.data(), secret.size());
  sodium_memzero(secret_text.data(), secret_text.size());
  return text;
}

}  // namespace weir::broker
