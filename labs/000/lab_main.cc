// SPDX-License-Identifier: Apache-2.0
// lab_000: runs the experiments of paper 000 and writes their results as CSV.
//
//   lab_000 --out DIR [--events N] [--repetitions N] [--weblog NAME=FILE]... [--flows NAME=FILE]...
//
// A file has lines `client TAB event`. What is not given is generated.
#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "000/figures.h"
#include "000/generator.h"
#include "shared/lab_program.h"
#include "shared/parse.h"
#include "shared/text_file.h"

namespace {

using weir::lab::Lab;

constexpr std::size_t kEventCountMin = 1'000;
constexpr std::size_t kEventCountPaper = 100'000;
constexpr std::size_t kDistinctCountMin = 20;  // so that a filter has cells for 50 slices

struct Arguments {
  std::string directory;
  std::size_t event_count = kEventCountPaper;
  std::size_t repetition_count = 20;
  weir::lab::NamedFiles web_logs;
  weir::lab::NamedFiles flows;
};

bool parse_argument(std::string_view name, std::string_view value, Arguments& arguments) {
  if (name == "--events")
    return weir::lab::parse_count(value, kEventCountMin, arguments.event_count);
  if (name == "--repetitions") return weir::lab::parse_count(value, 1, arguments.repetition_count);
  if (name == "--weblog") return weir::lab::parse_named_file(value, arguments.web_logs);
  return name == "--flows" && weir::lab::parse_named_file(value, arguments.flows);
}

weir::base::Result<weir::lab::Workload> read_log(std::string_view name, const std::string& file,
                                                 std::size_t event_count_max) {
  auto workload = weir::lab::read_workload(name, file, event_count_max);
  if (workload && workload->distinct_keys().size() < kDistinctCountMin) {
    return weir::lab::file_error(
        fmt::format("{} has fewer than {} distinct events", name, kDistinctCountMin));
  }
  return workload;
}

std::string read_logs(const Arguments& arguments, Lab& lab) {
  const auto read = [&](std::string_view name, const std::string& file) {
    return read_log(name, file, arguments.event_count);
  };
  std::string trouble = weir::lab::read_files(arguments.web_logs, lab.web_logs, read);
  return trouble.empty() ? weir::lab::read_files(arguments.flows, lab.others, read) : trouble;
}

// The paper's numbers of distinct events, in proportion.
void generate_missing(const Arguments& arguments, Lab& lab) {
  const std::size_t count = arguments.event_count;
  const auto scaled = [&](std::size_t distinct) { return distinct * count / kEventCountPaper; };
  if (lab.web_logs.empty()) {
    lab.web_logs.push_back(weir::lab::make_web_log(
        {.event_count = count, .distinct_count = scaled(16'850), .client_count = scaled(2'500)}));
  }
  if (lab.others.empty()) {
    lab.others.push_back(weir::lab::make_synthetic(
        {.name = "flows", .event_count = count, .distinct_count = scaled(2'049), .seed = 2}));
  }
  for (const auto& [name, exponent] : {std::pair{"uniform", 0.0}, std::pair{"zipf", 1.0}}) {
    lab.others.push_back(weir::lab::make_synthetic({.name = name,
                                                    .event_count = count,
                                                    .distinct_count = scaled(5'700),
                                                    .exponent = exponent,
                                                    .seed = 3}));
  }
}

std::string write_all(const Lab& lab) {
  using Figure = bool (*)(const Lab&);
  constexpr Figure kFigures[] = {
      weir::lab::write_false_positives, weir::lab::write_load,
      weir::lab::write_sites_contacted, weir::lab::write_failures,
      weir::lab::write_slices_wanted,   weir::lab::write_live_threshold,
      weir::lab::write_equal_shares,    weir::lab::write_equal_threshold,
      weir::lab::write_bursts,          weir::lab::write_tree_levels,
      weir::lab::write_top_down,
  };
  return weir::lab::write_figures<Lab>(lab, kFigures);
}

std::string run(const Arguments& arguments) {
  Lab lab{.directory = arguments.directory,
          .repetition_count = static_cast<std::uint32_t>(arguments.repetition_count),
          .web_logs = {},
          .others = {}};
  std::string trouble = read_logs(arguments, lab);
  if (!trouble.empty()) return trouble;
  generate_missing(arguments, lab);
  return write_all(lab);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  const auto outcome = weir::lab::run_lab<Arguments>(words, parse_argument, run);
  if (!outcome.problem.empty()) fmt::print(stderr, "lab_000: {}\n", outcome.problem);
  return outcome.status;
}
