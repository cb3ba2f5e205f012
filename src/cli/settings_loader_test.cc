// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory_testing.h"

namespace weir::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string refused(std::string_view toml) {
  Settings settings;
  const auto applied = apply_config(toml, "weir.toml", settings);
  return applied ? "accepted" : to_text(applied.error());
}

class SettingsLoaderTest : public ::testing::Test {
 protected:
  std::string file(std::string_view toml) {
    const std::filesystem::path path = directory_.path() / "weir.toml";
    std::ofstream(path) << toml;
    return path;
  }

  base::TemporaryDirectory directory_;
};

TEST_F(SettingsLoaderTest, LetsLaterSourcesWin) {
  SettingSources sources{.config_path = file("[broker]\nshards = 2\ndedup_window = \"5s\"\n"
                                             "[server]\nheader_count = 7\n")};
  EXPECT_EQ(load_settings({})->settings.broker.shard_count, 1U);
  EXPECT_EQ(load_settings(sources)->settings.broker.shard_count, 2U);
  sources.environment = {"WEIR_BROKER_SHARDS=3", "WEIR_BROKER_DEDUP_WINDOW=off"};
  EXPECT_EQ(load_settings(sources)->settings.broker.shard_count, 3U);
  sources.flags = {{.setting = find_setting("broker.shards"), .texts = {"4"}}};
  const auto loaded = load_settings(sources);
  EXPECT_EQ(loaded->settings.broker.shard_count, 4U);
  EXPECT_EQ(loaded->settings.broker.dedup_window, std::nullopt);
  EXPECT_EQ(loaded->settings.server.header_count_max, 7U);
}

TEST_F(SettingsLoaderTest, FindsTheFileByTheVariable) {
  const std::string path = file("[broker]\nshards = 2\n");
  EXPECT_EQ(load_settings({.environment = {"WEIR_CONFIG=" + path}})->settings.broker.shard_count,
            2U);
  const auto gone = load_settings({.config_path = path + ".gone"});
  EXPECT_EQ(gone.error().error.id, base::ErrorId::kCliFile);
}

TEST_F(SettingsLoaderTest, ChecksWhatBelongsTogetherLast) {
  SettingSources sources{.environment = {"WEIR_SERVER_TLS_CERT=c"}};
  EXPECT_EQ(load_settings(sources).error().error.id, base::ErrorId::kConfigKey);
  sources.flags = {{.setting = find_setting("server.tls_key"), .texts = {"k"}}};
  EXPECT_TRUE(load_settings(sources).has_value());
}

TEST(ConfigTest, TakesEveryType) {
  Settings settings;
  ASSERT_TRUE(
      apply_config("[server]\nlisten = [\"a:1\", \"b:2\"]\nbody_bytes = 10\n"
                   "header_bytes = \"2KiB\"\nanonymous = \"off\"\nidle_timeout = \"1m\"\n"
                   "[broker]\ndedup_false_positives = 0.001\n"
                   "[webhooks]\nrequests_per_minute = 9\n[log]\n",
                   "f", settings));
  EXPECT_THAT(settings.listen, ElementsAre("a:1", "b:2"));
  EXPECT_EQ(settings.server.body_bytes_max, 10U);
  EXPECT_EQ(settings.server.header_bytes_max, 2048U);
  EXPECT_EQ(settings.anonymous, "off");
  EXPECT_EQ(settings.server.idle_timeout, std::chrono::seconds(60));
  EXPECT_EQ(settings.broker.dedup_false_positives, 0.001);
  EXPECT_EQ(settings.webhooks.requests_per_minute, 9U);
  ASSERT_TRUE(apply_config("webhooks.requests_per_minute = \"off\"", "f", settings));
  EXPECT_EQ(settings.webhooks.requests_per_minute, std::nullopt);
  ASSERT_TRUE(apply_config("broker.dedup_false_positives = \"1%\"", "f", settings));
  EXPECT_EQ(settings.broker.dedup_false_positives, 0.01);
  ASSERT_TRUE(apply_config("broker.dedup_false_positives = 0", "f", settings));
  EXPECT_EQ(settings.broker.dedup_false_positives, 0);
  EXPECT_TRUE(apply_config("", "f", settings));
}

TEST(ConfigTest, PointsAtWhatIsNotToml) {
  const std::string told = refused("[server]\nlisten = [\n");
  EXPECT_THAT(told, StartsWith("weir: weir.toml: line "));
  Settings settings;
  const auto applied = apply_config("[server]\na = 1\na = 2\n", "f", settings);
  EXPECT_EQ(applied.error().error.id, base::ErrorId::kConfigSyntax);
  EXPECT_EQ(applied.error().error.position->line, 3U);
}

TEST(ConfigTest, PointsAtUnknownKeys) {
  EXPECT_EQ(refused("[server]\n\n  lisen = 3\n"),
            "weir: weir.toml: line 3, column 3: unknown key 'server.lisen': did you mean "
            "'listen'?\n    lisen = 3\n    ^\n");
  EXPECT_THAT(refused("[sever]\nlisten = 3\n"),
              HasSubstr("line 2, column 1: unknown table 'sever', expected one of the tables: "
                        "server store broker filter text webhooks log: did you mean 'server'?"));
  EXPECT_THAT(refused("[sever]\n"), HasSubstr("unknown table 'sever'"));
  EXPECT_THAT(refused("listen = 3\n"), HasSubstr("unknown key 'listen', expected one of the tab"));
  EXPECT_THAT(refused("[log]\nzzz = 3\n"),
              HasSubstr("unknown key 'log.zzz', expected one of: level format"));
}

TEST(ConfigTest, PointsAtValuesOfTheWrongType) {
  EXPECT_THAT(refused("[server]\nlisten = \"a:1\"\n"),
              HasSubstr("line 2, column 10: server.listen is \"a:1\", expected a list of texts"));
  EXPECT_THAT(refused("[server]\nlisten = [1]\n"), HasSubstr("is an array of other things"));
  EXPECT_THAT(refused("[broker]\nshards = \"2\"\n"),
              HasSubstr("broker.shards is \"2\", expected a whole number from 1 to 256\n"));
  EXPECT_THAT(refused("[broker]\nshards = 1.5\n"), HasSubstr("is 1.5, expected a whole"));
  EXPECT_THAT(refused("[broker]\nshards = -1\n"), HasSubstr("is '-1', expected a whole number"));
  EXPECT_THAT(refused("[broker]\ndedup_window = false\n"),
              HasSubstr("is a boolean, expected a du"));
  EXPECT_THAT(refused("[broker]\ndedup_window = 5\n"), HasSubstr("or off, in quotes"));
  EXPECT_THAT(refused("[broker.shards]\nx = 1\n"), HasSubstr("broker.shards is a table"));
  EXPECT_THAT(refused("[log]\nlevel = 2026-01-01\n"), HasSubstr("is a date or time"));
  EXPECT_THAT(refused("[log]\nlevel = \"loud\"\n"), HasSubstr("line 2, column 9: log.level is 'l"));
}

TEST(EnvironmentTest, TakesListsWithCommas) {
  Settings settings;
  ASSERT_TRUE(apply_environment({"WEIR_SERVER_LISTEN=a:1, b:2", "X=1", "WEIR_TOKEN=t"}, settings));
  EXPECT_THAT(settings.listen, ElementsAre("a:1", "b:2"));
  ASSERT_TRUE(apply_environment({"WEIR_SERVER_ANONYMOUS_GRANTS="}, settings));
  EXPECT_THAT(settings.anonymous_grants, IsEmpty());
}

TEST(EnvironmentTest, NamesTheVariable) {
  Settings settings;
  const auto applied = apply_environment({"WEIR_LOG_FORMAT=xml"}, settings);
  EXPECT_EQ(applied.error().id, base::ErrorId::kConfigKey);
  EXPECT_EQ(applied.error().message, "WEIR_LOG_FORMAT is 'xml', expected one of: text json");
}

TEST(EnvironmentTest, WarnsOfVariablesThatAreNoSettings) {
  Settings settings;
  const auto warnings =
      apply_environment({"WEIR_SERVER_LISEN=a", "WEIR_TOKEN=t", "WEIR_CONFIG=c"}, settings);
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("WEIR_SERVER_LISEN")));
}

TEST(PrintConfigTest, PrintsWhatGivesTheSameSettings) {
  Settings settings;
  settings.listen = {"0.0.0.0:1", "[::1]:2"};
  settings.tls_cert = "a \"file\"";
  settings.broker.dedup_window = std::nullopt;
  settings.broker.shard_count = 7;
  settings.webhooks.requests_per_minute = 3;
  settings.stop_grace = std::chrono::milliseconds(0);
  settings.log_level = "error";
  const std::string toml = settings_toml(settings);
  Settings again;
  const auto applied = apply_config(toml, "f", again);
  ASSERT_TRUE(applied.has_value()) << to_text(applied.error());
  EXPECT_EQ(settings_toml(again), toml);
  EXPECT_THAT(again.listen, ElementsAre("0.0.0.0:1", "[::1]:2"));
}

}  // namespace
}  // namespace weir::cli
