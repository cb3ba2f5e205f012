// SPDX-License-Identifier: Apache-2.0
#include "cli/size_command.h"

#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/size_report.h"

namespace weir::cli {

int run_size(const SizeOptions& options, Streams& streams) {
  const SizeReport report = size_report(options);
  streams.out.append(options.json ? to_json(report, options) : to_text(report, options));
  return finish(kExitOk, options.json, streams);
}

}  // namespace weir::cli
