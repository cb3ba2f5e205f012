// SPDX-License-Identifier: Apache-2.0
#include "server/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <utility>

#include "event/json_writer.h"

namespace weir::server {
namespace {

constexpr std::array kLevels = {
    std::pair(LogLevel::kDebug, std::string_view("debug")),
    std::pair(LogLevel::kInfo, std::string_view("info")),
    std::pair(LogLevel::kWarning, std::string_view("warning")),
    std::pair(LogLevel::kError, std::string_view("error")),
};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

class StderrLog final : public Log {
 public:
  explicit StderrLog(const LogOptions& options)
      : format_(options.format),
        logger_("weir", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_level(spdlog_level(options.level));
    logger_.set_pattern(format_ == LogFormat::kJson
                            ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                            : "%Y-%m-%dT%H:%M:%S.%eZ %l %v",
                        spdlog::pattern_time_type::utc);
    logger_.flush_on(spdlog::level::debug);
  }

  void set_level(LogLevel level) override { logger_.set_level(spdlog_level(level)); }
  bool enabled(LogLevel level) const override { return logger_.should_log(spdlog_level(level)); }

  void write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields) override {
    if (!enabled(level)) return;
    logger_.log(
        spdlog_level(level), "{}",
        format_ == LogFormat::kJson ? log_json(message, fields) : log_text(message, fields));
  }

 private:
  LogFormat format_;
  spdlog::logger logger_;
};

bool is_plain_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < '\x7f' && c != '"' && c != '=' && c != '\\';
  });
}

}  // namespace

std::string_view to_string(LogLevel level) {
  return std::ranges::find(kLevels, level, &std::pair<LogLevel, std::string_view>::first)->second;
}

std::optional<LogLevel> log_level_of(std::string_view name) {
  for (const auto& [level, text] : kLevels) {
    if (text == name) return level;
  }
  return std::nullopt;
}

std::shared_ptr<Log> Log::to_stderr(const LogOptions& options) {
  return std::make_shared<StderrLog>(options);
}

std::string log_text(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line(message);
  for (const LogField& field : fields) {
    line.append(" ").append(field.name).append("=");
    if (is_plain_word(field.value.text())) {
      line += field.value.text();
    } else {
      event::append_json(field.value.text(), line);
    }
  }
  return line;
}

std::string log_json(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line;
  event::JsonObject object(line);
  object.member("message", message);
  for (const LogField& field : fields) {
    if (field.value.is_number()) {
      object.raw(field.name, field.value.text());
    } else {
      object.member(field.name, field.value.text());
    }
  }
  object.close();
  return line.substr(1, line.size() - 2);
}

}  // namespace weir::server
