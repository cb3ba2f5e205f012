// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario_file.h"

#include <filesystem>

#include "cli/byte_source.h"
#include "runtime/sim/scenario_parser.h"

namespace weir::cli {

Attempt<runtime::sim::Scenario> read_scenario_file(const std::string& path) {
  auto source = FileSource::open(path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  const auto text = read_all(*source, kScenarioBytesMax);
  if (!text) return tl::unexpected(file_failure(text.error(), source->name()));
  auto scenario = runtime::sim::parse_scenario(*text);
  if (!scenario) {
    return tl::unexpected(
        Failure{.error = scenario.error(), .what = source->name(), .text = *text});
  }
  if (scenario->name.empty()) {
    scenario->name = std::filesystem::path(source->name()).stem().string();
  }
  return *std::move(scenario);
}

}  // namespace weir::cli
