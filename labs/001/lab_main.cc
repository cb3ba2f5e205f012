// SPDX-License-Identifier: Apache-2.0
// lab_001: runs the experiments of paper 001 and writes their results as CSV.
//
//   lab_001 --out DIR [--subscriptions N] [--publications N] [--draws N] [--workload NAME=FILE]...
//
// Generated workloads are always run; a file has the lines of workload.h and is run as it is. Times
// are of all subscriptions, the rest of a twentieth.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "001/figures.h"
#include "001/generator.h"
#include "shared/lab_program.h"
#include "shared/parse.h"

namespace {

using weir::lab::Lab;

struct Arguments {
  std::string directory;
  std::size_t subscription_count = 100'000;
  std::size_t publication_count = 1'000;
  std::size_t draw_count = 3;
  weir::lab::NamedFiles workloads;
};

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool parse_argument(std::string_view name, std::string_view value, Arguments& arguments) {
  if (name == "--subscriptions")
    return weir::lab::parse_count(value, 1'000, arguments.subscription_count);
  if (name == "--publications")
    return weir::lab::parse_count(value, 20, arguments.publication_count);
  if (name == "--draws") return weir::lab::parse_count(value, 1, arguments.draw_count);
  return name == "--workload" && weir::lab::parse_named_file(value, arguments.workloads);
}

std::vector<weir::lab::Workload> generated(const Arguments& arguments) {
  const weir::lab::GeneratorSizes sizes{.subscription_count = arguments.subscription_count,
                                        .publication_count = arguments.publication_count};
  return {weir::lab::make_content(weir::lab::ContentKind::kW1, sizes),
          weir::lab::make_content(weir::lab::ContentKind::kW2, sizes),
          weir::lab::make_quotes({}, sizes)};
}

std::string write_all(const Lab& lab) {
  using Figure = bool (*)(const Lab&);
  constexpr Figure kFigures[] = {
      weir::lab::write_floors, weir::lab::write_prefilter,  weir::lab::write_equality,
      weir::lab::write_times,  weir::lab::write_compressed,
  };
  return weir::lab::write_figures<Lab>(lab, kFigures);
}

std::string run(const Arguments& arguments) {
  Lab lab{.directory = arguments.directory,
          .workloads = generated(arguments),
          .swept_subscription_count = arguments.subscription_count / 20,
          .draw_count = static_cast<std::uint32_t>(arguments.draw_count),
          .probe_trial_count = 10 * arguments.subscription_count,
          .cpu_seconds = thread_cpu_seconds};
  std::string trouble =
      weir::lab::read_files(arguments.workloads, lab.workloads, weir::lab::read_workload);
  return trouble.empty() ? write_all(lab) : trouble;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  const auto outcome = weir::lab::run_lab<Arguments>(words, parse_argument, run);
  if (!outcome.problem.empty()) fmt::print(stderr, "lab_001: {}\n", outcome.problem);
  return outcome.status;
}
