// SPDX-License-Identifier: Apache-2.0
// Log: what an operator should know, one line each on stderr, as text or as JSON.
//
//   log.write(LogLevel::kWarning, "listening failed", {{"address", address}, {"port", 8080}});
//
// Never given to it: tokens, the Authorization header, query strings. Any thread.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace weir::server {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

std::string_view to_string(LogLevel level);
std::optional<LogLevel> log_level_of(std::string_view name);

enum class LogFormat : std::uint8_t { kText, kJson };

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kText;
};

// A text, or a number, which is one in JSON too. A text must outlive it.
class LogValue {
 public:
  LogValue(std::string_view text) : text_(text) {}
  LogValue(const char* text) : text_(text) {}
  LogValue(const std::string& text) : text_(text) {}
  template <typename Number>
    requires std::is_arithmetic_v<Number> && (!std::same_as<Number, bool>)
  LogValue(Number number) : digits_(fmt::to_string(number)) {}

  bool is_number() const { return !digits_.empty(); }
  std::string_view text() const { return is_number() ? std::string_view(digits_) : text_; }

 private:
  std::string_view text_;
  std::string digits_;  // of a number
};

struct LogField {
  std::string_view name;
  LogValue value;
};

class Log {
 public:
  static std::shared_ptr<Log> to_stderr(const LogOptions& options);
  virtual ~Log() = default;

  virtual bool enabled(LogLevel level) const = 0;
  virtual void set_level(LogLevel level) = 0;
  virtual void write(LogLevel level, std::string_view message,
                     std::initializer_list<LogField> fields) = 0;
};

// One line without its time and level: `message name=value name="with blanks"`.
std::string log_text(std::string_view message, std::initializer_list<LogField> fields);
// The members of a JSON object: `"message":"...","name":"...","port":8080`.
std::string log_json(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace weir::server
