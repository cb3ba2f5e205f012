// SPDX-License-Identifier: Apache-2.0
#include "broker/grant_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/near_name.h"
#include "base/utf8.h"
#include "event/json_document.h"

namespace weir::broker {
namespace {

using base::Result;

constexpr std::array<std::string_view, 4> kWords = {"publish", "subscribe", "block", "admin"};
constexpr std::string_view kSource = "source:";
constexpr std::string_view kType = "type:";

base::Error error_at(std::string_view text, std::size_t offset_bytes, std::string message) {
  return {base::ErrorId::kBrokerToken, std::move(message), base::position_at(text, offset_bytes)};
}

// Reads a prefix up to a comma that is not doubled, and leaves `offset_bytes` there.
std::string read_prefix(std::string_view text, std::size_t& offset_bytes) {
  std::string prefix;
  for (; offset_bytes < text.size(); ++offset_bytes) {
    if (text[offset_bytes] == ',') {
      const bool doubled = text.substr(offset_bytes).starts_with(",,");
      if (!doubled) break;
      ++offset_bytes;
    }
    prefix += text[offset_bytes];
  }
  return prefix;
}

Result<void> read_part(std::string_view text, std::size_t& offset_bytes, Scope& scope) {
  const std::string_view rest = text.substr(offset_bytes);
  const bool is_source = rest.starts_with(kSource);
  if (!is_source && !rest.starts_with(kType)) {
    return error_at(text, offset_bytes, "expected source: or type: and a prefix");
  }
  std::string& prefix = is_source ? scope.source_prefix : scope.type_prefix;
  const std::string_view name = is_source ? kSource : kType;
  if (!prefix.empty()) {
    return error_at(text, offset_bytes, fmt::format("expected {} only once", name));
  }
  offset_bytes += name.size();
  const std::size_t prefix_offset_bytes = offset_bytes;
  prefix = read_prefix(text, offset_bytes);
  if (prefix.empty() || prefix.size() > kPrefixBytesMax) {
    return error_at(text, prefix_offset_bytes,
                    fmt::format("expected a prefix of 1 to {} bytes; to allow any, leave {} out",
                                kPrefixBytesMax, name));
  }
  return {};
}

Result<Scope> read_scope(std::string_view text, std::size_t offset_bytes) {
  Scope scope;
  while (true) {
    const auto part = read_part(text, offset_bytes, scope);
    if (!part) return part.error();
    if (offset_bytes == text.size()) return scope;
    ++offset_bytes;  // the comma
  }
}

Result<void> add_scope(std::string_view text, std::size_t word_bytes, std::vector<Scope>& scopes) {
  Scope scope;
  if (word_bytes < text.size()) {
    auto read = read_scope(text, word_bytes + 1);
    if (!read) return read.error();
    scope = std::move(*read);
  }
  if (scopes.size() >= kScopeCountMax) {
    return error_at(
        text, 0,
        fmt::format("expected at most {} of '{}'", kScopeCountMax, text.substr(0, word_bytes)));
  }
  scopes.push_back(std::move(scope));
  return {};
}

Result<void> set_flag(std::string_view text, std::size_t word_bytes, bool& flag) {
  if (word_bytes < text.size()) {
    return error_at(text, word_bytes,
                    fmt::format("expected nothing after '{}'", text.substr(0, word_bytes)));
  }
  flag = true;
  return {};
}

std::string scope_text(std::string_view word, const Scope& scope) {
  std::string text(word);
  auto append = [&text, separator = '='](std::string_view name, std::string_view prefix) mutable {
    if (prefix.empty()) return;
    text += std::exchange(separator, ',');
    text += name;
    for (const char c : prefix) text.append(c == ',' ? 2 : 1, c);
  };
  append(kSource, scope.source_prefix);
  append(kType, scope.type_prefix);
  return text;
}

}  // namespace

Result<void> add_grant(std::string_view text, Grants& grants) {
  const std::size_t valid_bytes = base::utf8_valid_prefix_bytes(text);
  if (valid_bytes < text.size()) return error_at(text, valid_bytes, "expected UTF-8");
  const std::size_t word_bytes = std::min(text.find('='), text.size());
  const std::string_view word = text.substr(0, word_bytes);
  if (word == "publish") return add_scope(text, word_bytes, grants.publish);
  if (word == "subscribe") return add_scope(text, word_bytes, grants.subscribe);
  if (word == "block") return set_flag(text, word_bytes, grants.block);
  if (word == "admin") return set_flag(text, word_bytes, grants.admin);
  return error_at(text, 0,
                  fmt::format("expected {}, not '{}'{}", fmt::join(kWords, ", "),
                              event::excerpt(word), base::did_you_mean(word, kWords)));
}

std::vector<std::string> grant_texts(const Grants& grants) {
  std::vector<std::string> texts;
  for (const Scope& scope : grants.publish) texts.push_back(scope_text("publish", scope));
  for (const Scope& scope : grants.subscribe) texts.push_back(scope_text("subscribe", scope));
  if (grants.block) texts.emplace_back("block");
  if (grants.admin) texts.emplace_back("admin");
  return texts;
}

}  // namespace weir::broker
