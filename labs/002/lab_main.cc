// SPDX-License-Identifier: Apache-2.0
// lab_002: runs the experiments of paper 002 and writes their results as CSV.
//
//   lab_002 --out DIR [--sources N] [--long N] [--workload NAME=FILE]...
//
// Walks are always run: N sources of each law, each a day of minutes; and some that are N values
// long. A file has the lines of workload.h and is run as it is.
#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "002/figures.h"
#include "002/generator.h"
#include "shared/lab_program.h"
#include "shared/parse.h"

namespace {

using weir::lab::Lab;

constexpr std::size_t kDayLength = 390;  // minutes in which a stock exchange is open
constexpr std::size_t kLongCount = 20;

struct Arguments {
  std::string directory;
  std::size_t source_count = 5'453;  // as the paper
  std::size_t long_length = 400'000;
  weir::lab::NamedFiles workloads;
};

bool parse_argument(std::string_view name, std::string_view value, Arguments& arguments) {
  if (name == "--sources") return weir::lab::parse_count(value, 2, arguments.source_count);
  if (name == "--long") return weir::lab::parse_count(value, 2, arguments.long_length);
  return name == "--workload" && weir::lab::parse_named_file(value, arguments.workloads);
}

std::vector<weir::lab::Workload> generated(const Arguments& arguments) {
  std::vector<weir::lab::Workload> workloads;
  for (const weir::lab::Law law : weir::lab::kLaws) {
    workloads.push_back(weir::lab::make_walks({.name = name_of(law),
                                               .law = law,
                                               .stream_count = arguments.source_count,
                                               .length = kDayLength}));
  }
  workloads.push_back(weir::lab::make_walks({.name = "long unit walks",
                                             .law = weir::lab::Law::kUnit,
                                             .stream_count = kLongCount,
                                             .length = arguments.long_length,
                                             .seed = 2}));
  return workloads;
}

std::string write_all(const Lab& lab) {
  using Figure = bool (*)(const Lab&);
  constexpr Figure kFigures[] = {
      weir::lab::write_ratios, weir::lab::write_rivals, weir::lab::write_adversary,
      weir::lab::write_least,  weir::lab::write_worst,
  };
  return weir::lab::write_figures<Lab>(lab, kFigures);
}

std::string run(const Arguments& arguments) {
  Lab lab{.directory = arguments.directory, .workloads = generated(arguments)};
  std::string trouble =
      weir::lab::read_files(arguments.workloads, lab.workloads, weir::lab::read_workload);
  return trouble.empty() ? write_all(lab) : trouble;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  const auto outcome = weir::lab::run_lab<Arguments>(words, parse_argument, run);
  if (!outcome.problem.empty()) fmt::print(stderr, "lab_002: {}\n", outcome.problem);
  return outcome.status;
}
