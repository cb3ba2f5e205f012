// SPDX-License-Identifier: Apache-2.0
// How the arguments of each command become its options. Each fails with kCliUsage; the message says
// what was expected.
#pragma once

#include "base/result.h"
#include "cli/argument_parser.h"
#include "cli/help.h"
#include "cli/options.h"

namespace weir::cli {

base::Result<Options> parse_check_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_explain_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_filter_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_eval_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_analyze_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_corpus_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_size_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_sim_command(const CommandHelp& help, const Arguments& arguments);

base::Result<Options> parse_serve_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_token_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_publish_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_subscribe_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_subscriptions_command(const CommandHelp& help,
                                                  const Arguments& arguments);
base::Result<Options> parse_dead_letters_command(const CommandHelp& help,
                                                 const Arguments& arguments);
base::Result<Options> parse_backup_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_restore_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_doctor_command(const CommandHelp& help, const Arguments& arguments);
base::Result<Options> parse_member_command(const CommandHelp& help, const Arguments& arguments);

}  // namespace weir::cli
