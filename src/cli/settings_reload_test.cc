// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "server/log_testing.h"

namespace weir::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SettingsReloadTest : public testing::Test {
 protected:
  SettingsReloadTest() {
    write("[log]\nlevel = 'info'\n[broker]\nshards = 2\n");
    sources_ = {.config_path = (directory_ / "weir.toml").string(),
                .environment = {"WEIR_BROKER_OUTBOX=7"}};
    log_.set_level(server::LogLevel::kInfo);
    reload_.emplace(sources_, load_settings(sources_).value().settings);
  }

  void write(const std::string& toml) { std::ofstream(directory_ / "weir.toml") << toml; }
  std::vector<std::string> lines() {
    reload_->run(log_);
    return log_.take();
  }

  base::TemporaryDirectory directory_;
  SettingSources sources_;
  server::RecordedLog log_;
  std::optional<SettingsReload> reload_;
};

TEST_F(SettingsReloadTest, SaysNothingOfWhatStays) {
  EXPECT_THAT(lines(), ElementsAre("info read again what=configuration"));
}

TEST_F(SettingsReloadTest, NamesWhatIsAppliedAndWhatNeedsARestart) {
  write("[log]\nlevel = 'warning'\n[broker]\nshards = 4\noutbox = 9\n[server]\nio_threads = 3\n");
  EXPECT_THAT(
      lines(),
      ElementsAre("info read again what=configuration",
                  "warning a setting has changed and needs a restart setting=server.io_threads "
                  "running=2 configured=3",
                  "warning a setting has changed and needs a restart setting=broker.shards "
                  "running=2 configured=4",
                  R"(info a setting has changed and is applied setting=log.level )"
                  R"(before="\"info\"" now="\"warning\"")"))
      << "the environment hides the outbox of the file";
  EXPECT_FALSE(log_.enabled(server::LogLevel::kInfo));
  EXPECT_EQ(lines().size(), 2U) << "what still needs a restart is told again, what is applied not";
  write("[log]\nlevel = 'info'\n[broker]\nshards = 2\n");
  EXPECT_EQ(lines().size(), 0U) << "the level is raised last";
  EXPECT_TRUE(log_.enabled(server::LogLevel::kInfo));
  EXPECT_THAT(lines(), ElementsAre("info read again what=configuration"));
}

TEST_F(SettingsReloadTest, KeepsAllIfTheFileIsWrong) {
  write("[log]\nlevel = 'debug'\n[broker]\nshards = 0\n");
  EXPECT_THAT(lines(),
              ElementsAre(AllOf(HasSubstr("error cannot be read again, all stays as it was "),
                                HasSubstr("weir.toml: line 4, column 10: broker.shards is '0'"))));
  EXPECT_FALSE(log_.enabled(server::LogLevel::kDebug));
  write("[log\n");
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("error cannot be read again")));
}

}  // namespace
}  // namespace weir::cli
