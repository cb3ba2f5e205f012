// SPDX-License-Identifier: Apache-2.0
#include "broker/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "broker/grants.h"
#include "broker/match_note.h"
#include "broker/resent_letters.h"
#include "broker/stored_definition.h"
#include "event/event.h"
#include "event/json_document.h"
#include "store/directory_lock.h"
#include "store/registry_file.h"
#include "store/store_identity.h"

namespace weir::broker {
namespace {

using store::Finding;
using store::Severity;

constexpr const char* kRestore = "restore the last backup";

class Doctor final : public store::RegistryVisitor {
 public:
  Doctor(const std::filesystem::path& directory, DirectoryUse use)
      : directory_(directory), use_(use) {}

  base::Result<DoctorReport> run() {
    report_.running = use_ == DirectoryUse::kAny && store::DirectoryLock::is_held(directory_);
    // The registry is written after the log: read in this order, it never knows more.
    report_.registry = store::examine_registry({directory_ / store::kRegistryName, report_.running},
                                               *this, report_.findings);
    auto log = store::examine_log(
        store::posix_file_system(), directory_ / "log",
        [this](const std::string& file, std::uint64_t offset_bytes,
               const store::RecordView& record) { take_record(file, offset_bytes, record); },
        report_.findings);
    if (log) {
      report_.log = *log;
    } else {
      add({.file = "log",
           .what = log.error().message,
           .consequence = "there are no events",
           .advice = "copy the directory log from where the registry came from; weir doctor "
                     "--repair goes on without its events"});
    }
    compare_identities();
    compare_sequences();
    return std::move(report_);
  }

  void on_subscription(const store::SubscriptionRow& row) override {
    since_sequence_ = std::max(since_sequence_, row.since_sequence);
    const auto definition = parse_stored_definition(row.definition);
    if (definition) {
      const filter::Kinds& kinds = (*definition)->filter()->kinds();
      any_stateful_ |= kinds.change || kinds.distinct || kinds.text;
      return;
    }
    add_row(fmt::format("the definition of subscription '{}' cannot be read: {}", row.id,
                        definition.error().to_string()),
            "a broker does not start");
  }

  void on_cursor(const store::CursorRow& row) override {
    scan_sequence_ = std::max(scan_sequence_, row.scan_sequence);
  }

  void on_token(std::string_view name, std::string_view grants) override {
    const auto parsed = Grants::parse_json(grants);
    if (parsed) return;
    add({.severity = Severity::kWarning,
         .file = store::kRegistryName,
         .what = fmt::format("the grants of token '{}' cannot be read: {}", name,
                             parsed.error().to_string()),
         .consequence = "the token cannot be used",
         .advice = "make another token, and revoke this one"});
  }

  void on_dead_letter(const store::DeadLetterRow& row) override {
    const auto document = event::JsonDocument::parse(row.events);
    if (document && document->root().kind() == event::JsonKind::kArray) return;
    add_row(fmt::format("dead letter {} of subscription number {} is no array of events",
                        row.delivery, row.subscription),
            "it can be neither read nor sent again");
  }

  void on_replay(std::uint64_t /*subscription*/, std::uint64_t next_sequence) override {
    since_sequence_ = std::max(since_sequence_, next_sequence);
  }

 private:
  void take_record(const std::string& file, std::uint64_t offset_bytes,
                   const store::RecordView& record) {
    if (record.kind == store::RecordKind::kLost) {
      last_sequence_ = record.sequence - 1;
      return;
    }
    if (record.kind == store::RecordKind::kEvent) {
      last_sequence_ = record.sequence;
      const auto event = event::decode_event(record.payload);
      if (event) return;
      return add_record(
          file, offset_bytes,
          fmt::format("event {} cannot be read: {}", record.sequence, event.error().to_string()));
    }
    const auto note = decode_match_note(record.payload);
    if (!note) {
      return add_record(file, offset_bytes,
                        fmt::format("the note on event {} cannot be read: {}", record.sequence,
                                    note.error().to_string()));
    }
    take_note(file, offset_bytes, *note);
  }

  void take_note(const std::string& file, std::uint64_t offset_bytes, const MatchNote& note) {
    for (const NotedMatch& match : note.matches) {
      highest_noted_ = std::max(highest_noted_, match.subscription);
      const auto later = std::ranges::find_if(match.sequences, [&](std::uint64_t sequence) {
        return sequence > last_sequence_ && !is_letter(sequence);
      });
      if (later == match.sequences.end() || last_sequence_ == 0) continue;
      return add_record(file, offset_bytes,
                        fmt::format("a note tells of event {}, which comes after it", *later));
    }
  }

  void compare_identities() {
    const auto of_log = store::read_log_identity(store::posix_file_system(), directory_ / "log");
    if (!of_log) {
      if (report_.log.segment_count == 0) return;
      return add({.file = "log/IDENTITY",
                  .what = of_log.error().message,
                  .consequence = "a broker does not start",
                  .advice = "copy it from where the log came from; weir doctor --repair writes it "
                            "anew"});
    }
    const auto compared = store::compare_identities(directory_, report_.registry.identity, *of_log);
    const auto registry = store::inspect_registry_file(directory_ / store::kRegistryName);
    const bool is_new = registry && *registry == store::RegistryFile::kNew;
    // Nothing can be told of a registry that cannot be read.
    if (compared || (report_.registry.version == 0 && !is_new)) return;
    add({.file = "log/IDENTITY",
         .what = compared.error().message,
         .consequence = "a broker does not start",
         .advice = "copy log and registry from one directory, or restore a backup"});
  }

  // Every event that the registry knows of must be in the log.
  void compare_sequences() {
    const store::RegistryExamination& registry = report_.registry;
    const std::uint64_t last = report_.log.next_sequence - 1;
    const std::uint64_t known =
        std::max({registry.log_sequence, registry.checkpoint_sequence, scan_sequence_,
                  std::max<std::uint64_t>(since_sequence_, 1) - 1});
    if (known > last) {
      add({.file = "log",
           .what = fmt::format("the log ends with event {}, but the registry knows of event {}",
                               last, known),
           .consequence = fmt::format("events {} to {} are missing, and a broker does not start",
                                      last + 1, known),
           .advice = "copy log/ again from where it came from, or restore the last backup; "
                     "weir doctor --repair goes on without these events"});
    }
    if (any_stateful_ && registry.checkpoint_sequence + 1 < report_.log.first_sequence) {
      add({.severity = Severity::kWarning,
           .file = "log",
           .what = fmt::format("the log begins with event {}, but the state of filters is as of "
                               "event {}",
                               report_.log.first_sequence, registry.checkpoint_sequence),
           .consequence = "change, distinct and text filters miss the events in between",
           .advice = "keep more of the log (store.retention_bytes)"});
    }
    if (registry.version != 0 && highest_noted_ > registry.last_subscription_number) {
      add({.severity = Severity::kWarning,
           .file = store::kRegistryName,
           .what = fmt::format("the log tells of subscription number {}, the registry knows "
                               "numbers up to {}",
                               highest_noted_, registry.last_subscription_number),
           .consequence = "the registry is older than the log: subscriptions made since then are "
                          "missing, and what was acknowledged since is delivered again",
           .advice = "nothing if this is a restored backup; else copy the registry again"});
    }
  }

  void add_row(std::string what, std::string consequence) {
    add({.file = store::kRegistryName,
         .what = std::move(what),
         .consequence = std::move(consequence),
         .advice = kRestore});
  }

  void add_record(const std::string& file, std::uint64_t offset_bytes, std::string what) {
    add({.file = file,
         .offset = offset_bytes,
         .what = std::move(what),
         .consequence = "a broker that has to read it does not start",
         .advice = kRestore});
  }

  void add(Finding finding) { report_.findings.add(std::move(finding)); }

  const std::filesystem::path& directory_;
  DirectoryUse use_;
  DoctorReport report_;
  bool any_stateful_ = false;
  std::uint64_t since_sequence_ = 0;
  std::uint64_t scan_sequence_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t highest_noted_ = 0;
};

}  // namespace

base::Result<DoctorReport> examine_directory(const std::filesystem::path& directory,
                                             DirectoryUse use) {
  std::error_code failed;
  const bool any = std::filesystem::exists(directory / store::kRegistryName, failed) ||
                   std::filesystem::is_directory(directory / "log", failed);
  if (any) return Doctor(directory, use).run();
  return base::Error{base::ErrorId::kStoreTarget,
                     fmt::format("there is no broker's data in '{}'", directory.native()),
                     std::nullopt};
}

}  // namespace weir::broker
