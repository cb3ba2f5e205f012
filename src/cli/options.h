// SPDX-License-Identifier: Apache-2.0
// Options: what a command line asks for, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "cli/argument_parser.h"
#include "cli/client_options.h"
#include "cli/directory_options.h"
#include "cli/line_reader.h"
#include "cli/member_options.h"
#include "cli/serve_options.h"
#include "cli/sim_options.h"
#include "cli/size_options.h"
#include "cli/token_options.h"
#include "match/change_filter.h"

namespace weir::cli {

// How a filter is written.
enum class Dialect : std::uint8_t {
  kWeir,
  kCesql,
  kJson,  // the `filters` array of a CloudEvents subscription
};

// Where the instant of an event comes from.
enum class ClockKind : std::uint8_t {
  kEvent,  // its attribute time; without one, the newest instant so far
  kWall,
};

struct CheckOptions {
  std::string expression;
  Dialect dialect = Dialect::kWeir;
  std::string language = "english";
  bool json = false;
};

// Of a filter, or of a subscription of a broker: one of the two is given.
struct ExplainOptions {
  std::string filter;
  std::string id;
  ConnectionOptions connection = {};
  Dialect dialect = Dialect::kWeir;
  std::string event_path = kStdin;
  std::string history_path;  // empty: nothing was published before
  match::Initial initial = match::Initial::kDeliver;
  std::string language = "english";
};

struct FilterOptions {
  std::vector<std::string> expressions;
  std::string filters_path;  // empty: expressions only
  Dialect dialect = Dialect::kWeir;
  std::string input_path = kStdin;
  bool json = false;
  bool stats = false;
  bool keep_going = false;
  std::optional<base::Duration> dedup;
  match::Initial initial = match::Initial::kDeliver;
  std::string language = "english";
  ClockKind clock = ClockKind::kEvent;
  std::size_t line_bytes_max = kLineBytesMaxDefault;
};

struct EvalOptions {
  std::string expression;
  Dialect dialect = Dialect::kWeir;
  std::string event_path;  // empty: a minimal event
  bool json = false;
};

struct AnalyzeOptions {
  std::string text;
  std::string input_path;  // empty: the text is above
  std::string language = "english";
  bool json = false;
};

struct CorpusOptions {
  std::vector<std::string> paths;  // at least one
  std::string text;                // of events, as in a filter; empty: documents are plain texts
  bool whole = false;              // a file is one document, not every line of it
  std::string language = "english";
  bool json = false;
};

using Options =
    std::variant<PrintOptions, CheckOptions, ExplainOptions, FilterOptions, EvalOptions,
                 AnalyzeOptions, CorpusOptions, SizeOptions, SimOptions, ServeOptions,
                 PublishOptions, SubscribeOptions, SubscriptionsOptions, DeadLettersOptions,
                 TokenOptions, BackupOptions, RestoreOptions, DoctorOptions, MemberOptions>;

// The arguments without the program's name. Fails with kCliUsage; the message says what was
// expected.
base::Result<Options> parse_arguments(const std::vector<std::string>& arguments);

// What to type for help on the command that the arguments name: "weir filter --help".
std::string help_command(const std::vector<std::string>& arguments);

// True if --json is among the arguments, also where they cannot be parsed.
bool wants_json(const std::vector<std::string>& arguments);

}  // namespace weir::cli
