// SPDX-License-Identifier: Apache-2.0
// JSON for answers, appended to a string.
//
//   JsonObject object(out);
//   object.member("status", "accepted");
//   object.raw("event", event.json());
//   object.close();
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::server {

// What is not UTF-8 in a text becomes U+FFFD.
void append_json(std::string_view text, std::string& out);
void append_json(std::uint64_t number, std::string& out);

class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }

  // Starts a member; its value is to be appended to `out` next.
  void name(std::string_view name_text);

  template <std::convertible_to<std::string_view> T>
  void member(std::string_view name_text, const T& value) {
    name(name_text);
    append_json(std::string_view(value), out_);
  }
  template <std::unsigned_integral T>
  void member(std::string_view name_text, T value) {
    name(name_text);
    if constexpr (std::same_as<T, bool>) {
      out_ += value ? "true" : "false";
    } else {
      append_json(static_cast<std::uint64_t>(value), out_);
    }
  }
  // The value is JSON already.
  void raw(std::string_view name_text, std::string_view json) {
    name(name_text);
    out_ += json;
  }
  // Members with their commas, without the braces; nothing if there are none.
  void raw_members(std::string_view members);

  void close() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace weir::server
