// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "base/source_file_testing.h"
#include "cli/setting_checks.h"

namespace weir::cli {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string refused(std::string_view name, const std::vector<std::string>& texts) {
  Settings settings;
  const auto done = set(*find_setting(name), texts, settings, name, base::ErrorId::kConfigKey);
  return done ? "accepted" : done.error().message;
}

TEST(SettingsTest, NamesEverySettingOnceAndSectionsTogether) {
  std::set<std::string_view> names;
  std::set<std::string_view> flags;
  std::vector<std::string_view> sections;
  const std::regex shape("[a-z]+\\.[a-z]+(_[a-z]+)*");
  for (const Setting& setting : setting_table()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_TRUE(std::regex_match(std::string(setting.name), shape)) << setting.name;
    EXPECT_FALSE(setting.meaning.empty()) << setting.name;
    EXPECT_EQ(setting.type == SettingType::kWord, !setting.words.empty()) << setting.name;
    if (!setting.flag.empty()) {
      EXPECT_TRUE(flags.insert(setting.flag).second) << setting.flag;
    }
    if (sections.empty() || sections.back() != setting.section()) {
      sections.push_back(setting.section());
    }
  }
  EXPECT_EQ(std::set(sections.begin(), sections.end()).size(), sections.size());
}

TEST(SettingsTest, IsDocumentedRowByRow) {
  std::istringstream document(base::read_source_file("docs/configuration.md"));
  std::vector<std::string> documented;
  for (std::string line; std::getline(document, line);) {
    const bool is_row = line.starts_with("| `") && line.find(".") < line.find("|", 2);
    if (is_row) documented.push_back(line);
  }
  std::vector<std::string> expected;
  Settings defaults;
  for (const Setting& setting : setting_table()) {
    const std::string flag = setting.flag.empty() ? "" : fmt::format("`{}`", setting.flag);
    expected.push_back(fmt::format("| `{}` | {} | `{}` | {} | {} |", setting.name,
                                   to_string(setting.type), toml_value(setting, defaults), flag,
                                   setting.meaning));
  }
  EXPECT_THAT(documented, ElementsAreArray(expected));
}

// Whatever the place is, what is read from it can be put into it.
TEST(SettingsTest, TakesEveryDefaultBack) {
  for (const Setting& setting : setting_table()) {
    Settings settings;
    const std::string before = toml_value(setting, settings);
    if (setting.type == SettingType::kList || before == "\"\"") continue;
    std::string text = before;
    std::erase(text, '"');
    const auto done = set(setting, {text}, settings, setting.name, base::ErrorId::kConfigKey);
    EXPECT_TRUE(done.has_value()) << setting.name << ": " << before;
    EXPECT_EQ(toml_value(setting, settings), before);
  }
}

TEST(SettingsTest, ReachesEveryPlaceThroughItsOwnSetting) {
  for (const Setting& setting : setting_table()) {
    if (setting.type != SettingType::kCount && setting.type != SettingType::kDuration) continue;
    Settings settings;
    const std::string value = setting.type == SettingType::kCount ? "61" : "61s";
    ASSERT_TRUE(set(setting, {value}, settings, setting.name, base::ErrorId::kConfigKey));
    Settings defaults;
    for (const Setting& other : setting_table()) {
      EXPECT_EQ(toml_value(other, settings) == toml_value(other, defaults), &other != &setting)
          << setting.name << " and " << other.name;
    }
  }
}

TEST(SettingsTest, SaysWhatItExpects) {
  EXPECT_EQ(refused("server.header_timeout", {"10"}),
            "server.header_timeout is '10', expected a duration such as 500ms, 90s or 1h30m");
  EXPECT_EQ(refused("store.retention_age", {"never"}),
            "store.retention_age is 'never', expected a duration such as 500ms, 90s or 1h30m, or "
            "off");
  EXPECT_EQ(refused("broker.shards", {"257"}),
            "broker.shards is '257', expected a whole number from 1 to 256");
  EXPECT_THAT(refused("server.connections", {"1KiB"}), HasSubstr("expected a whole number from 1"));
  EXPECT_THAT(refused("server.body_bytes", {"2GiB"}), HasSubstr("from 1 to 1GiB"));
  EXPECT_EQ(refused("log.level", {"warn"}),
            "log.level is 'warn', expected one of: debug info warning error");
  EXPECT_THAT(refused("server.anonymous", {"loopbak"}), HasSubstr("did you mean 'loopback'?"));
  EXPECT_THAT(refused("server.listen", {"127.0.0.1:1", "8080"}),
              HasSubstr("'8080', expected ADDRESS:PORT"));
  EXPECT_THAT(refused("webhooks.allowed_networks", {"10.0.0.0/33"}), HasSubstr("a network such"));
  EXPECT_THAT(refused("server.anonymous_grants", {"everything"}), HasSubstr("publish, subscribe"));
  EXPECT_THAT(refused("broker.language", {"germn"}), HasSubstr("did you mean 'german'?"));
  EXPECT_EQ(refused("broker.language", {"de-AT"}), "accepted");
  EXPECT_THAT(refused("store.directory", {""}), HasSubstr("not empty"));
  EXPECT_EQ(refused("broker.dedup_false_positives", {"0.6"}),
            "broker.dedup_false_positives is '0.6', expected a share such as 0.001 or 0.1%, from "
            "0.000000001 to 0.5, or 0");
  EXPECT_EQ(refused("server.stop_grace", {"0s"}), "accepted");
  EXPECT_THAT(refused("server.idle_timeout", {"0s"}), HasSubstr("a duration"));
  EXPECT_THAT(refused("server.idle_timeout", {"10us"}), HasSubstr("a duration"));
}

TEST(SettingsTest, TakesNumbers) {
  const Setting& setting = *find_setting("filter.text_score");
  Settings settings;
  EXPECT_EQ(toml_value(setting, settings), "1");
  for (const char* text : {"0", "0.25", "1e300", "1e-300", "123456.789"}) {
    ASSERT_TRUE(set(setting, {text}, settings, setting.name, base::ErrorId::kConfigKey)) << text;
    EXPECT_EQ(settings.broker.engine.text_score, std::stod(text));
    EXPECT_EQ(std::stod(toml_value(setting, settings)), std::stod(text));
  }
  for (const char* text : {"", "-1", "1%", "inf", "nan", "1e999", "x", "1 "}) {
    EXPECT_EQ(refused(setting.name, {text}),
              std::string("filter.text_score is '") + text +
                  "', expected a number such as 1 or 0.5, not below 0");
  }
}

TEST(SettingsTest, TakesShares) {
  const Setting& setting = *find_setting("filter.distinct_false_positives");
  Settings settings;
  EXPECT_EQ(toml_value(setting, settings), "0.000001");
  for (const auto& [text, value] :
       {std::pair("0.01", 0.01), std::pair("1%", 0.01), std::pair("1e-09", 1e-9),
        std::pair("0.5", 0.5), std::pair("0", 0.0)}) {
    ASSERT_TRUE(set(setting, {text}, settings, setting.name, base::ErrorId::kConfigKey)) << text;
    EXPECT_EQ(settings.broker.engine.distinct_false_positives, value);
  }
  for (const char* const text : {"", "%", "1e-10", "-0.1", "51%", "nan", "inf", "0.1 %", "off"}) {
    EXPECT_THAT(refused(setting.name, {text}), HasSubstr("expected a share")) << text;
  }
}

TEST(SettingsTest, MakesOptionsOfWordsAndLists) {
  Settings settings;
  settings.listen = {"0.0.0.0:80", "[::1]:0", "http://localhost:81"};
  settings.tls_cert = "c";
  settings.tls_key = "k";
  settings.anonymous = "everyone";
  settings.anonymous_grants = {"publish=type:a."};
  settings.allowed_networks = {"10.0.0.0/8"};
  settings.log_level = "debug";
  settings.log_format = "json";
  settings.data_directory = "d";
  ASSERT_TRUE(resolve(settings).has_value());
  ASSERT_EQ(settings.server.endpoints.size(), 3U);
  EXPECT_EQ(settings.server.endpoints[0].address, "0.0.0.0");
  EXPECT_EQ(settings.server.endpoints[0].port, 80);
  EXPECT_TRUE(settings.server.endpoints[0].tls);
  EXPECT_EQ(settings.server.endpoints[1].address, "::1");
  EXPECT_FALSE(settings.server.endpoints[2].tls);
  EXPECT_EQ(settings.server.anonymous, server::Anonymous::kEveryone);
  ASSERT_TRUE(settings.broker.anonymous_grants);
  EXPECT_FALSE(settings.broker.anonymous_grants->admin);
  EXPECT_EQ(settings.broker.anonymous_grants->publish.size(), 1U);
  EXPECT_EQ(settings.webhooks.allowed_networks.size(), 1U);
  EXPECT_EQ(settings.log.level, server::LogLevel::kDebug);
  EXPECT_EQ(settings.log.format, server::LogFormat::kJson);
  EXPECT_EQ(settings.broker.directory, "d");
}

TEST(SettingsTest, GrantsNothingWithoutATokenIfThatIsOff) {
  Settings settings;
  settings.anonymous = "off";
  ASSERT_TRUE(resolve(settings).has_value());
  EXPECT_FALSE(settings.broker.anonymous_grants);
}

TEST(SettingsTest, RefusesWhatDoesNotGoTogether) {
  Settings half;
  half.tls_cert = "c";
  EXPECT_THAT(resolve(half).error().message, HasSubstr("must both be given"));
  Settings bare;
  bare.listen = {"https://127.0.0.1:1"};
  EXPECT_THAT(resolve(bare).error().message, HasSubstr("https, which needs"));
  Settings small;
  small.server.bodies_bytes_max = small.server.body_bytes_max - 1;
  EXPECT_THAT(resolve(small).error().message, HasSubstr("must not be less than"));
  Settings deaf;
  deaf.listen.clear();
  EXPECT_THAT(resolve(deaf).error().message, HasSubstr("expected an address"));
}

TEST(SettingChecksTest, ReadsAddresses) {
  for (const char* wrong : {"", ":80", "a", "a:", "a:65536", "a:-1", "::1:80", "[a]:80", "[::1]80",
                            "ftp://a:1", "a:1/x", "http://:1"}) {
    EXPECT_FALSE(parse_listen(wrong)) << wrong;
  }
  EXPECT_EQ(parse_listen("example.com:0")->endpoint.address, "example.com");
  EXPECT_TRUE(parse_listen("https://[::]:1")->endpoint.tls);
}

TEST(SettingChecksTest, KnowsThisMachine) {
  for (const char* here : {"localhost", "127.0.0.1", "127.9.9.9", "::1"}) {
    EXPECT_TRUE(is_loopback(here)) << here;
  }
  for (const char* there : {"0.0.0.0", "::", "10.0.0.1", "example.com", "localhost.example.com"}) {
    EXPECT_FALSE(is_loopback(there)) << there;
  }
}

}  // namespace
}  // namespace weir::cli
