// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "cli/analyze_command.h"
#include "cli/backup_command.h"
#include "cli/check_command.h"
#include "cli/corpus_command.h"
#include "cli/dead_letters_command.h"
#include "cli/doctor_command.h"
#include "cli/eval_command.h"
#include "cli/exit_code.h"
#include "cli/explain_command.h"
#include "cli/failure.h"
#include "cli/filter_command.h"
#include "cli/member_command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/publish_command.h"
#include "cli/serve_command.h"
#include "cli/sim_command.h"
#include "cli/size_command.h"
#include "cli/subscribe_command.h"
#include "cli/subscriptions_command.h"
#include "cli/token_command.h"

namespace weir::cli {
namespace {

int dispatch(const PrintOptions& options, Streams& streams) {
  streams.out.append(options.text);
  return finish(kExitOk, false, streams);
}
int dispatch(const CheckOptions& options, Streams& streams) { return run_check(options, streams); }
int dispatch(const ExplainOptions& options, Streams& streams) {
  return run_explain(options, streams);
}
int dispatch(const FilterOptions& options, Streams& streams) {
  return run_filter(options, streams);
}
int dispatch(const EvalOptions& options, Streams& streams) { return run_eval(options, streams); }
int dispatch(const AnalyzeOptions& options, Streams& streams) {
  return run_analyze(options, streams);
}

int dispatch(const CorpusOptions& options, Streams& streams) {
  return run_corpus(options, streams);
}
int dispatch(const SizeOptions& options, Streams& streams) { return run_size(options, streams); }
int dispatch(const SimOptions& options, Streams& streams) { return run_sim(options, streams); }
int dispatch(const ServeOptions& options, Streams& streams) { return run_serve(options, streams); }
int dispatch(const PublishOptions& options, Streams& streams) {
  return run_publish(options, streams);
}
int dispatch(const SubscribeOptions& options, Streams& streams) {
  return run_subscribe(options, streams);
}
int dispatch(const SubscriptionsOptions& options, Streams& streams) {
  return run_subscriptions(options, streams);
}
int dispatch(const DeadLettersOptions& options, Streams& streams) {
  return run_dead_letters(options, streams);
}
int dispatch(const TokenOptions& options, Streams& streams) { return run_token(options, streams); }
int dispatch(const BackupOptions& options, Streams& streams) {
  return run_backup(options, streams);
}
int dispatch(const RestoreOptions& options, Streams& streams) {
  return run_restore(options, streams);
}
int dispatch(const DoctorOptions& options, Streams& streams) {
  return run_doctor(options, streams);
}
int dispatch(const MemberOptions& options, Streams& streams) {
  return run_member(options, streams);
}

int report_usage(base::Error error, const std::vector<std::string>& arguments, Output& err) {
  const bool json = wants_json(arguments);
  const int code = report({.error = std::move(error)}, json, err);
  if (!json) err.append(fmt::format("weir: see {}\n", help_command(arguments)));
  err.flush();
  return code;
}

}  // namespace

int run(int argc, char** argv) {
  // A reader that goes away is told by write(), see Output.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow (RLIMIT_FSIZE) is told by write() too, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  DescriptorSink out_sink(STDOUT_FILENO, "stdout");
  DescriptorSink err_sink(STDERR_FILENO, "stderr");
  Output out(out_sink);
  Output err(err_sink);
  Streams streams{out, err};
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  auto options = parse_arguments(arguments);
  if (!options) return report_usage(std::move(options.error()), arguments, err);
  return std::visit([&](const auto& chosen) { return dispatch(chosen, streams); }, *options);
}

}  // namespace weir::cli
