// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/temporary_directory_testing.h"

namespace weir::cli {
namespace {

class ScenarioFileTest : public testing::Test {
 protected:
  std::string write(const std::string& text) const {
    const std::string path = (directory_.path() / "calm.toml").string();
    std::ofstream(path) << text;
    return path;
  }

  base::TemporaryDirectory directory_;
};

TEST_F(ScenarioFileTest, AScenarioWithoutANameHasThatOfItsFile) {
  EXPECT_EQ(read_scenario_file(write("seed = 7\n"))->name, "calm");
  EXPECT_EQ(read_scenario_file(write("name = \"other\"\n"))->name, "other");
}

TEST_F(ScenarioFileTest, AFailureHasTheFileThePlaceAndTheText) {
  const std::string text = "[work]\nlookups = -1\n";
  const std::string path = write(text);
  const auto scenario = read_scenario_file(path);
  ASSERT_FALSE(scenario.has_value());
  EXPECT_EQ(scenario.error().what, path);
  EXPECT_EQ(scenario.error().text, text);
  EXPECT_EQ(scenario.error().error.to_string(),
            "line 2, column 11: work.lookups is -1, expected a whole number from 0 to 1000000");
}

TEST_F(ScenarioFileTest, AFileThatIsNotThereIsNamed) {
  const auto scenario = read_scenario_file((directory_.path() / "none.toml").string());
  ASSERT_FALSE(scenario.has_value());
  EXPECT_THAT(scenario.error().error.to_string(), testing::HasSubstr("none.toml"));
}

}  // namespace
}  // namespace weir::cli
