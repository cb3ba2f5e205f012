// SPDX-License-Identifier: Apache-2.0
// JSON for answers and outputs, appended to a string, on one line.
//
//   JsonObject object(out);
//   object.member("value", true);
//   object.member("errors", names);
//   object.raw("event", event.json());
//   object.close();  // {"value":true,"errors":["cast"],"event":{}}
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::event {

// What a value is made of; strings must be UTF-8, what is not becomes U+FFFD.
void append_json(std::string_view text, std::string& out);
void append_json(bool boolean, std::string& out);
void append_json(double number, std::string& out);
void append_json(std::uint64_t number, std::string& out);
void append_json(std::int64_t number, std::string& out);
void append_json(const std::vector<std::string>& texts, std::string& out);

class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }

  // Starts a member; its value is to be appended to `out` next.
  void name(std::string_view name);

  template <typename T>
  void member(std::string_view name_text, const T& value) {
    name(name_text);
    if constexpr (std::signed_integral<T>) {
      append_json(static_cast<std::int64_t>(value), out_);
    } else if constexpr (std::unsigned_integral<T> && !std::same_as<T, bool>) {
      append_json(static_cast<std::uint64_t>(value), out_);
    } else if constexpr (std::convertible_to<T, std::string_view>) {
      append_json(std::string_view(value), out_);
    } else {
      append_json(value, out_);
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
  void separate();

  std::string& out_;
  bool first_ = true;
};

}  // namespace weir::event
