// SPDX-License-Identifier: Apache-2.0
#include "cli/setting_errors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/settings_loader.h"

namespace weir::cli {
namespace {

using base::ErrorId;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A value that is wrong for the setting; nullopt: every text is right until it is used.
std::optional<std::string> wrong_value(const Setting& setting) {
  if (setting.type != SettingType::kText && setting.type != SettingType::kList) return "-1 x";
  for (const char* const text : {"", "no such thing"}) {
    if (setting.check != nullptr && !setting.check(text)) return text;
  }
  return std::nullopt;
}

TEST(SettingErrorsTest, NameEverySettingWhoseValueIsWrong) {
  std::vector<std::string_view> unchecked;
  for (const Setting& setting : setting_table()) {
    const auto wrong = wrong_value(setting);
    if (!wrong) {
      unchecked.push_back(setting.name);
      continue;
    }
    const std::size_t dot = setting.name.find('.');
    const bool is_list = setting.type == SettingType::kList;
    const std::string toml =
        fmt::format("[{}]\n{} = {}\n", setting.name.substr(0, dot), setting.name.substr(dot + 1),
                    is_list ? fmt::format("['{}']", *wrong) : fmt::format("'{}'", *wrong));
    Settings settings;
    const auto in_file = apply_config(toml, "weir.toml", settings);
    ASSERT_FALSE(in_file) << setting.name;
    EXPECT_THAT(to_text(in_file.error()), HasSubstr(fmt::format(": {} is ", setting.name)));
    if (!is_list || !wrong->empty()) {
      const std::string variable = setting.environment_name();
      const auto in_environment =
          apply_environment({fmt::format("{}={}", variable, *wrong)}, settings);
      ASSERT_FALSE(in_environment) << setting.name;
      EXPECT_THAT(in_environment.error().message, StartsWith(variable + " is "));
    }
    if (setting.flag.empty()) continue;
    const auto in_flag = apply_flags({{.setting = &setting, .texts = {*wrong}}}, settings);
    ASSERT_FALSE(in_flag) << setting.name;
    EXPECT_THAT(in_flag.error().message, StartsWith(fmt::format("{} is ", setting.flag)));
  }
  EXPECT_THAT(unchecked,
              testing::ElementsAre("server.tls_cert", "server.tls_key", "webhooks.ca_file"))
      << "these are named when they are used";
}

std::string named(ErrorId id, std::string message) {
  Settings settings;
  settings.tls_cert = "/etc/weir/tls";
  settings.tls_key = "/etc/weir/tls.key";
  settings.webhooks.ca_file = "ca.pem";
  return name_setting({id, std::move(message), std::nullopt}, settings).message;
}

TEST(SettingErrorsTest, NameTheSettingThatCannotBeUsed) {
  EXPECT_EQ(named(ErrorId::kHttpListen, "127.0.0.1:80: Permission denied"),
            "server.listen: 127.0.0.1:80: Permission denied");
  EXPECT_EQ(named(ErrorId::kHttpTls, "/etc/weir/tls: No such file"),
            "server.tls_cert: /etc/weir/tls: No such file");
  EXPECT_EQ(named(ErrorId::kHttpTls, "/etc/weir/tls.key: no start line"),
            "server.tls_key: /etc/weir/tls.key: no start line");
  EXPECT_EQ(named(ErrorId::kHttpTls, "cannot use the authorities in 'ca.pem': none"),
            "webhooks.ca_file: cannot use the authorities in 'ca.pem': none");
  EXPECT_EQ(named(ErrorId::kStoreIo, "data: Permission denied"),
            "store.directory: data: Permission denied");
  EXPECT_EQ(named(ErrorId::kStoreCorrupt, "damaged"), "damaged");
}

}  // namespace
}  // namespace weir::cli
