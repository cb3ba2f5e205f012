// SPDX-License-Identifier: Apache-2.0
// Settings: everything about `weir serve` that can be set, and the one table that says how.
//
// A setting has a name (section.key), a type, a meaning and a place where it goes. The table drives
// the configuration file, the environment (WEIR_SECTION_KEY), the flags of the common ones, what
// `weir serve --print-config` prints, and docs/configuration.md, which a test compares with it.
// Defaults are those of the options that a setting goes to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/broker_options.h"
#include "server/log.h"
#include "server/server_options.h"
#include "server/webhook_sender.h"

namespace weir::cli {

struct Settings {
  // Words and lists, as they were given; resolve() makes options of them.
  std::string data_directory = "weir-data";
  std::vector<std::string> listen = {"127.0.0.1:8080"};
  std::string tls_cert = {};
  std::string tls_key = {};
  std::string anonymous = "loopback";
  std::vector<std::string> anonymous_grants = {"publish", "subscribe", "block", "admin"};
  std::vector<std::string> allowed_networks = {};
  std::vector<std::string> corpus_paths = {};
  std::string log_level = "info";
  std::string log_format = "text";
  std::chrono::milliseconds stop_grace{5'000};

  broker::BrokerOptions broker = {};
  server::ServerOptions server = {};
  server::WebhookOptions webhooks = {};
  server::LogOptions log = {};
};

enum class SettingType : std::uint8_t {
  kDuration,  // 90s, 1h30m
  kBytes,     // 65536, 16MiB
  kCount,
  kShare,   // of false positives: 0.001, 0.1%, or 0 for none
  kNumber,  // not below 0: 1, 0.5
  kWord,    // one of a few
  kText,
  kList,  // of texts
};
std::string_view to_string(SettingType type);

// Where a value goes. An optional one may be off.
template <typename T>
using Place = T& (*)(Settings&);
using SettingPlace =
    std::variant<Place<std::chrono::milliseconds>, Place<base::Duration>,
                 Place<std::optional<base::Duration>>, Place<std::uint64_t>, Place<std::uint32_t>,
                 Place<std::optional<std::uint32_t>>, Place<double>, Place<std::string>,
                 Place<std::vector<std::string>>>;

struct Setting {
  std::string_view name;
  SettingType type;
  SettingPlace place;
  std::string_view meaning;
  std::string_view flag = {};                            // empty: none
  std::uint64_t min = 1;                                 // of a count; 0: a duration may be 0
  std::uint64_t max = std::uint64_t{1} << 50U;           // of a count or bytes
  std::span<const std::string_view> words = {};          // of a word
  base::Result<void> (*check)(const std::string&) = {};  // of a text or a list's element

  bool may_be_off() const;
  std::string_view section() const { return name.substr(0, name.find('.')); }
  // WEIR_SERVER_LISTEN
  std::string environment_name() const;
};

// In the order of documents.
std::span<const Setting> setting_table();
// Null if there is none.
const Setting* find_setting(std::string_view name);

// Takes a value; a list has any number of texts, all else one. Fails, with the given id, if it is
// none: "server.body_bytes is '1 kg', expected ...".
base::Result<void> set(const Setting& setting, const std::vector<std::string>& texts,
                       Settings& settings, std::string_view shown_name, base::ErrorId error_id);
// What a value of this setting looks like: `a duration such as 90s, or off`.
std::string expected_value(const Setting& setting);
// The value as TOML, as it stands in a file.
std::string toml_value(const Setting& setting, Settings& settings);

// Makes options of words and lists, and checks what belongs together.
base::Result<void> resolve(Settings& settings);

}  // namespace weir::cli
