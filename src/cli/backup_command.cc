// SPDX-License-Identifier: Apache-2.0
#include "cli/backup_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "broker/broker_options.h"
#include "cli/broker_directory.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/file_limit.h"
#include "cli/progress.h"
#include "cli/text_output.h"
#include "cli/version.h"
#include "event/json_writer.h"
#include "event/timestamp.h"
#include "store/backup.h"
#include "store/restore.h"

namespace weir::cli {
namespace {

std::string now_text() {
  const base::Instant now = broker::system_now();
  return event::to_string({.seconds = now.nanoseconds / 1'000'000'000, .nanoseconds = 0});
}

// How many bytes are copied, on a terminal.
class CopyLine {
 public:
  CopyLine(Output& err, bool json) : err_(err), enabled_(!json && ::isatty(STDERR_FILENO) == 1) {}

  void begin(std::uint64_t total_bytes) {
    total_bytes_ = total_bytes;
    progress_.emplace(err_, Progress::Options{.enabled = enabled_,
                                              .total_bytes = total_bytes,
                                              .events = "bytes",
                                              .written = "in all"});
  }
  void add(std::uint64_t bytes) {
    done_bytes_ += bytes;
    if (progress_) progress_->show(steady_now(), {done_bytes_, total_bytes_, done_bytes_});
  }
  void clear() {
    if (progress_) progress_->clear();
  }

 private:
  Output& err_;
  bool enabled_;
  std::optional<Progress> progress_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t done_bytes_ = 0;
};

struct Places {
  const std::filesystem::path& backup;
  const std::filesystem::path& directory;
};

void tell(std::string_view done, const Places& places, const store::Manifest& manifest, bool json,
          Output& out) {
  const std::uint64_t event_count = manifest.next_sequence - manifest.first_sequence;
  if (json) {
    std::string text;
    event::JsonObject object(text);
    object.member("backup", places.backup.native());
    object.member("directory", places.directory.native());
    object.member("created", manifest.created);
    object.member("files", manifest.files.size());
    object.member("bytes", manifest.size_bytes());
    object.member("events", event_count);
    object.member("last_sequence", manifest.next_sequence - 1);
    object.close();
    return out.append(text + '\n');
  }
  out.append(fmt::format("{}: {} in {} files, {} events up to number {}\n", done,
                         readable_bytes(static_cast<double>(manifest.size_bytes())),
                         grouped(manifest.files.size()), grouped(event_count),
                         grouped(manifest.next_sequence - 1)));
}

}  // namespace

int run_backup(const BackupOptions& options, Streams& streams) {
  const bool json = options.directory.json;
  const auto directory = broker_directory(options.directory);
  if (!directory) return report(directory.error(), json, streams.err);
  raise_file_limit();
  CopyLine line(streams.err, json);
  const std::filesystem::path target = options.target;
  auto manifest = store::back_up({.source = *directory,
                                  .target = target,
                                  .created = now_text(),
                                  .program = std::string(version()),
                                  .on_begin = [&](std::uint64_t bytes) { line.begin(bytes); },
                                  .progress = [&](std::uint64_t bytes) { line.add(bytes); }});
  line.clear();
  if (!manifest) return report({.error = std::move(manifest.error())}, json, streams.err);
  tell(fmt::format("backed up {} to {}", directory->native(), target.native()),
       {target, *directory}, *manifest, json, streams.out);
  return finish(kExitOk, json, streams);
}

int run_restore(const RestoreOptions& options, Streams& streams) {
  const bool json = options.directory.json;
  const auto directory = broker_directory(options.directory);
  if (!directory) return report(directory.error(), json, streams.err);
  CopyLine line(streams.err, json);
  const std::filesystem::path backup = options.backup;
  auto manifest = store::restore({.backup = backup,
                                  .target = *directory,
                                  .on_begin = [&](std::uint64_t bytes) { line.begin(bytes); },
                                  .progress = [&](std::uint64_t bytes) { line.add(bytes); }});
  line.clear();
  if (!manifest) return report({.error = std::move(manifest.error())}, json, streams.err);
  tell(fmt::format("restored {} to {}, as of {}", backup.native(), directory->native(),
                   manifest->created),
       {backup, *directory}, *manifest, json, streams.out);
  return finish(kExitOk, json, streams);
}

}  // namespace weir::cli
