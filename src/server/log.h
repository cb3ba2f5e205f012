// SPDX-License-Identifier: Apache-2.0
// Log: what an operator should know, one line each on stderr, as text or as JSON.
//
//   log.write(LogLevel::kWarning, "listening failed", {{"address", address}, {"reason", reason}});
//
// Never given to it: tokens, the Authorization header, query strings. Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weir::server {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

std::string_view to_string(LogLevel level);
std::optional<LogLevel> log_level_of(std::string_view name);

enum class LogFormat : std::uint8_t { kText, kJson };

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kText;
};

struct LogField {
  std::string_view name;
  std::string_view value;
};

class Log {
 public:
  static std::shared_ptr<Log> to_stderr(const LogOptions& options);
  virtual ~Log() = default;

  virtual bool enabled(LogLevel level) const = 0;
  virtual void write(LogLevel level, std::string_view message,
                     std::initializer_list<LogField> fields) = 0;
};

// One line without its time and level: `message name=value name="with blanks"`.
std::string log_text(std::string_view message, std::initializer_list<LogField> fields);
// The members of a JSON object: `"message":"...","name":"..."`.
std::string log_json(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace weir::server
