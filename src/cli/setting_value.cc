// SPDX-License-Identifier: Apache-2.0
// Values of settings: from text to their place, and back to TOML.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/near_name.h"
#include "cli/settings.h"
#include "event/json_document.h"
#include "filter/duration.h"
#include "filter/limits.h"

namespace weir::cli {
namespace {

using std::chrono::milliseconds;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::array<std::pair<std::string_view, unsigned>, 5> kUnits = {
    {{"TiB", 40U}, {"GiB", 30U}, {"MiB", 20U}, {"KiB", 10U}, {"", 0U}}};

std::optional<std::uint64_t> parse_number(std::string_view text, bool with_unit) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc()) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const auto* const known = std::ranges::find(kUnits, unit, &decltype(kUnits)::value_type::first);
  if (known == kUnits.end() || (!with_unit && known->second > 0)) return std::nullopt;
  if (number > (std::uint64_t{1} << 62U >> known->second)) return std::nullopt;
  return number << known->second;
}

// From kFalsePositivesMin to kFalsePositivesMax, or 0.
std::optional<double> parse_share(std::string_view text) {
  const bool is_percentage = text.ends_with('%');
  if (is_percentage) text.remove_suffix(1);
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, share);
  if (failed != std::errc() || rest != end) return std::nullopt;
  if (is_percentage) share /= 100;
  const bool is_allowed =
      share == 0 || (share >= filter::kFalsePositivesMin && share <= filter::kFalsePositivesMax);
  return is_allowed ? std::optional(share) : std::nullopt;
}

std::optional<double> parse_not_negative(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc() || rest != end || !std::isfinite(number)) return std::nullopt;
  return number >= 0 ? std::optional(number) : std::nullopt;
}

// Without an exponent, as short as it can be.
std::string number_text(double number) {
  constexpr std::size_t kDigitsMax = 400;  // of any finite number, and its sign
  std::array<char, kDigitsMax> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  return {digits.data(), written.ptr};
}

std::string bytes_text(std::uint64_t bytes) {
  const auto fits = [&](const auto& unit) {
    return bytes != 0 && bytes % (std::uint64_t{1} << unit.second) == 0;
  };
  const auto* const unit = std::ranges::find_if(kUnits, fits);
  if (unit == kUnits.end() || unit->second == 0) return fmt::to_string(bytes);
  return fmt::format("{}{}", bytes >> unit->second, unit->first);
}

std::optional<base::Duration> parse_duration(const Setting& setting, std::string_view text) {
  const auto parsed = filter::parse_duration_prefix(text);
  if (!parsed || parsed->length_bytes != text.size()) return std::nullopt;
  const std::int64_t least = setting.min == 0 ? 0 : kMillisecond;
  if (parsed->duration.nanoseconds < least) return std::nullopt;
  return parsed->duration;
}

std::string toml_text(std::string_view text) {
  std::string out;
  event::append_json_string(text, out);
  return out;
}

// Puts one text, or all of a list's, into the setting's place; false if it is no value of its type.
class Writer {
 public:
  Writer(const Setting& setting, const std::vector<std::string>& texts, Settings& settings)
      : setting_(setting), texts_(texts), settings_(settings) {}

  bool operator()(Place<std::vector<std::string>> place) const {
    place(settings_) = texts_;
    return true;
  }
  bool operator()(Place<std::string> place) const {
    place(settings_) = texts_[0];
    return true;
  }
  bool operator()(Place<milliseconds> place) const {
    const auto duration = parse_duration(setting_, texts_[0]);
    if (duration) place(settings_) = milliseconds(duration->nanoseconds / kMillisecond);
    return duration.has_value();
  }
  bool operator()(Place<base::Duration> place) const {
    const auto duration = parse_duration(setting_, texts_[0]);
    if (duration) place(settings_) = *duration;
    return duration.has_value();
  }
  bool operator()(Place<std::optional<base::Duration>> place) const {
    const auto duration = parse_duration(setting_, texts_[0]);
    if (!duration && texts_[0] != "off") return false;
    place(settings_) = duration;
    return true;
  }
  bool operator()(Place<double> place) const {
    const bool is_share = setting_.type == SettingType::kShare;
    const auto number = is_share ? parse_share(texts_[0]) : parse_not_negative(texts_[0]);
    if (number) place(settings_) = *number;
    return number.has_value();
  }
  bool operator()(Place<std::uint64_t> place) const { return number(place); }
  bool operator()(Place<std::uint32_t> place) const { return number(place); }
  bool operator()(Place<std::optional<std::uint32_t>> place) const {
    if (texts_[0] != "off") return number(place);
    place(settings_).reset();
    return true;
  }

 private:
  template <typename T>
  bool number(Place<T> place) const {
    const auto number = parse_number(texts_[0], setting_.type == SettingType::kBytes);
    if (!number || *number < setting_.min || *number > setting_.max) return false;
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      place(settings_) = *number;
    } else {
      place(settings_) = static_cast<std::uint32_t>(*number);
    }
    return true;
  }

  const Setting& setting_;
  const std::vector<std::string>& texts_;
  Settings& settings_;
};

class Reader {
 public:
  Reader(const Setting& setting, Settings& settings) : setting_(setting), settings_(settings) {}

  std::string operator()(Place<std::vector<std::string>> place) const {
    std::string out = "[";
    for (const std::string& text : place(settings_)) {
      if (out.size() > 1) out += ", ";
      out += toml_text(text);
    }
    return out + "]";
  }
  std::string operator()(Place<std::string> place) const { return toml_text(place(settings_)); }
  std::string operator()(Place<milliseconds> place) const {
    return duration(base::Duration::milliseconds(place(settings_).count()));
  }
  std::string operator()(Place<base::Duration> place) const { return duration(place(settings_)); }
  std::string operator()(Place<std::optional<base::Duration>> place) const {
    return place(settings_) ? duration(*place(settings_)) : toml_text("off");
  }
  std::string operator()(Place<double> place) const { return number_text(place(settings_)); }
  std::string operator()(Place<std::uint64_t> place) const { return number(place(settings_)); }
  std::string operator()(Place<std::uint32_t> place) const { return number(place(settings_)); }
  std::string operator()(Place<std::optional<std::uint32_t>> place) const {
    return place(settings_) ? number(*place(settings_)) : toml_text("off");
  }

 private:
  static std::string duration(base::Duration value) {
    return toml_text(value.nanoseconds == 0 ? "0s" : filter::to_text(value));
  }
  std::string number(std::uint64_t value) const {
    if (setting_.type != SettingType::kBytes) return fmt::to_string(value);
    return toml_text(bytes_text(value));
  }

  const Setting& setting_;
  Settings& settings_;
};

base::Error unfit(std::string_view name, std::string_view text, std::string_view expected,
                  base::ErrorId error_id) {
  return {error_id, fmt::format("{} is '{}', expected {}", name, text, expected), std::nullopt};
}

}  // namespace

std::string expected_value(const Setting& setting) {
  const char* const off = setting.may_be_off() ? ", or off" : "";
  const bool bounded = setting.max < (std::uint64_t{1} << 50U);
  switch (setting.type) {
    case SettingType::kDuration:
      return fmt::format("a duration such as 500ms, 90s or 1h30m{}", off);
    case SettingType::kBytes:
      return fmt::format("a number of bytes such as 65536 or 16MiB, from {} to {}",
                         bytes_text(setting.min), bytes_text(setting.max));
    case SettingType::kCount:
      return bounded ? fmt::format("a whole number from {} to {}{}", setting.min, setting.max, off)
                     : fmt::format("a whole number from {}{}", setting.min, off);
    case SettingType::kShare:
      return fmt::format("a share such as 0.001 or 0.1%, from {} to {}, or 0",
                         number_text(filter::kFalsePositivesMin),
                         number_text(filter::kFalsePositivesMax));
    case SettingType::kNumber:
      return "a number such as 1 or 0.5, not below 0";
    case SettingType::kWord:
      return fmt::format("one of: {}", fmt::join(setting.words, " "));
    case SettingType::kText:
      return "a text";
    case SettingType::kList:
      break;
  }
  return "a list of texts";
}

base::Result<void> set(const Setting& setting, const std::vector<std::string>& texts,
                       Settings& settings, std::string_view shown_name, base::ErrorId error_id) {
  if (setting.type != SettingType::kList) WEIR_CHECK(texts.size() == 1);
  if (setting.type == SettingType::kWord &&
      std::ranges::find(setting.words, texts[0]) == setting.words.end()) {
    return unfit(shown_name, texts[0],
                 expected_value(setting) + base::did_you_mean(texts[0], setting.words), error_id);
  }
  if (setting.check != nullptr) {
    for (const std::string& text : texts) {
      const auto checked = setting.check(text);
      if (!checked) return unfit(shown_name, text, checked.error().message, error_id);
    }
  }
  if (std::visit(Writer(setting, texts, settings), setting.place)) return {};
  return unfit(shown_name, texts[0], expected_value(setting), error_id);
}

std::string toml_value(const Setting& setting, Settings& settings) {
  return std::visit(Reader(setting, settings), setting.place);
}

}  // namespace weir::cli
