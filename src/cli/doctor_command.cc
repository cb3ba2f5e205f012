// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_command.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "broker/doctor.h"
#include "broker/repair.h"
#include "cli/broker_directory.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/repair_report.h"
#include "cli/text_output.h"
#include "event/json_writer.h"
#include "store/file_system.h"

namespace weir::cli {
namespace {

using store::Finding;
using store::Severity;

std::string_view verdict(Severity worst) {
  switch (worst) {
    case Severity::kNote:
      return "sound";
    case Severity::kWarning:
      return "warnings";
    case Severity::kDamage:
      break;
  }
  return "damaged";
}

int code_of(Severity worst) {
  if (worst == Severity::kNote) return kExitOk;
  return worst == Severity::kWarning ? kExitNo : exit_code(base::ErrorCode::kCorrupt);
}

std::string to_text(const Finding& finding) {
  const std::string place =
      finding.offset ? fmt::format(" at offset {}", *finding.offset) : std::string();
  return fmt::format("{}: {}{}: {}\n  consequence: {}\n  what to do: {}\n",
                     to_string(finding.severity), finding.file, place,
                     printable(finding.what, kStoreTextBytesMax), finding.consequence,
                     finding.advice);
}

std::string to_text(const broker::DoctorReport& report, const std::string& directory) {
  std::string text;
  for (const Finding& finding : report.findings.list()) text += to_text(finding);
  if (report.findings.dropped_count() > 0) {
    text += fmt::format("and {} more findings\n", grouped(report.findings.dropped_count()));
  }
  text += fmt::format(
      "examined: {} events and {} notes in {} segments, {}; {} subscriptions, {} tokens, {} dead "
      "letters\n",
      grouped(report.log.event_count), grouped(report.log.note_count),
      grouped(report.log.segment_count), readable_bytes(static_cast<double>(report.log.bytes)),
      grouped(report.registry.subscription_count), grouped(report.registry.token_count),
      grouped(report.registry.dead_letter_count));
  if (report.running) text += "a broker runs on this directory\n";
  return text + fmt::format("{}: {}\n", directory, verdict(report.findings.worst()));
}

void append_json(const Finding& finding, std::string& out) {
  event::JsonObject object(out);
  object.member("severity", to_string(finding.severity));
  object.member("file", finding.file);
  if (finding.offset) object.member("offset", *finding.offset);
  object.member("what", finding.what);
  object.member("consequence", finding.consequence);
  object.member("advice", finding.advice);
  object.close();
}

std::string to_json(const broker::DoctorReport& report, const std::string& directory) {
  std::string out;
  event::JsonObject object(out);
  object.member("directory", directory);
  object.member("verdict", verdict(report.findings.worst()));
  object.member("running", report.running);
  object.member("segments", report.log.segment_count);
  object.member("bytes", report.log.bytes);
  object.member("events", report.log.event_count);
  object.member("notes", report.log.note_count);
  object.member("lost_events", report.log.lost_count);
  object.member("first_sequence", report.log.first_sequence);
  object.member("last_sequence", report.log.next_sequence - 1);
  object.member("registry_version", report.registry.version);
  object.member("subscriptions", report.registry.subscription_count);
  object.member("tokens", report.registry.token_count);
  object.member("dead_letters", report.registry.dead_letter_count);
  object.name("findings");
  out += '[';
  for (const Finding& finding : report.findings.list()) {
    if (out.back() != '[') out += ',';
    append_json(finding, out);
  }
  out += ']';
  object.member("findings_dropped", report.findings.dropped_count());
  object.close();
  return out + '\n';
}

constexpr const char* kReportName = "REPORT";

// The list of what is lost stays with the originals.
base::Result<void> write_report(const broker::RepairReport& repair, const std::string& text) {
  if (repair.originals.empty()) return {};
  auto file = store::posix_file_system().create(repair.originals / kReportName);
  if (!file) return file.error();
  if (auto written = (*file)->write_at(0, text); !written) return written;
  return (*file)->sync_data();
}

int run_repair(const std::filesystem::path& directory, bool json, Streams& streams) {
  auto repair = broker::repair_directory(directory);
  if (!repair) return report({.error = std::move(repair.error())}, json, streams.err);
  const std::string text = repair_text(*repair, directory.native());
  streams.out.append(json ? repair_json(*repair, directory.native()) : text);
  if (auto written = write_report(*repair, text); !written) {
    return report({.error = std::move(written.error())}, json, streams.err);
  }
  return finish(kExitOk, json, streams);
}

}  // namespace

int run_doctor(const DoctorOptions& options, Streams& streams) {
  const bool json = options.directory.json;
  const auto directory = broker_directory(options.directory);
  if (!directory) return report(directory.error(), json, streams.err);
  if (options.repair) return run_repair(*directory, json, streams);
  auto examined = broker::examine_directory(*directory);
  if (!examined) return report({.error = std::move(examined.error())}, json, streams.err);
  streams.out.append(json ? to_json(*examined, directory->native())
                          : to_text(*examined, directory->native()));
  return finish(code_of(examined->findings.worst()), json, streams);
}

}  // namespace weir::cli
