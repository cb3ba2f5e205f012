// SPDX-License-Identifier: Apache-2.0
#include "store/backup.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "store/database.h"
#include "store/file_system.h"
#include "store/log_bounds.h"
#include "store/log_copy.h"
#include "store/log_snapshot.h"
#include "store/registry_file.h"
#include "store/registry_schema.h"
#include "store/segment_recovery.h"
#include "store/store_identity.h"

namespace weir::store {
namespace {

using std::filesystem::path;

base::Error unusable(std::string message) {
  return {base::ErrorId::kStoreTarget, std::move(message), std::nullopt};
}

class Backup {
 public:
  explicit Backup(const BackupOptions& options)
      : options_(options),
        files_(posix_file_system()),
        log_copy_(files_, options.target / "log", options.progress) {}

  base::Result<Manifest> run() {
    if (auto checked = check_source(); !checked) return checked.error();
    if (auto made = make_target(options_.target); !made) return made.error();
    auto source = Database::open(options_.source / kRegistryName, {.create = false});
    if (!source) return source.error();
    if (auto copied = copy_all(**source); !copied) return copied.error();
    if (auto checked = check_copy(); !checked) return checked.error();
    return write_manifest();
  }

 private:
  base::Result<void> check_source() {
    const auto registry = inspect_registry_file(options_.source / kRegistryName);
    if (!registry) return registry.error();
    std::error_code failed;
    if (*registry == RegistryFile::kThere &&
        std::filesystem::is_directory(options_.source / "log", failed)) {
      return {};
    }
    return unusable(
        fmt::format("there is no broker's data in '{}': use --data", options_.source.native()));
  }

  base::Result<void> copy_all(Database& source) {
    // The first read fixes what the transaction sees.
    const auto transaction = Transaction::begin(source, Transaction::Kind::kRead);
    if (!transaction) return transaction.error();
    if (auto version = registry_version(source); !version) return version.error();
    // How far the log was confirmed is read before its segments, where it begins after them.
    const path log = options_.source / "log";
    const auto end = read_bounds(files_, log);
    if (!end) return end.error();
    const auto segments = take_log_snapshot(files_, log);
    if (!segments) return segments.error();
    if (auto checked = check_begin(*segments); !checked) return checked;
    if (auto copied = copy_registry(source); !copied) return copied;
    if (options_.on_begin) options_.on_begin(sum_bytes(*segments));
    if (auto copied = log_copy_.copy(*segments); !copied) return copied;
    if (*end && (*end)->is_known() && !segments->empty()) {
      if (auto checked = store::check_end(log, segments->back().header.number, log_copy_.end(),
                                          (*end)->bounds);
          !checked) {
        return checked;
      }
    }
    return copy_identity();
  }

  // Nothing that was lost looks as if retention had removed it.
  base::Result<void> check_begin(const std::vector<SnapshotSegment>& segments) {
    std::vector<FoundSegment> found;
    for (const SnapshotSegment& segment : segments) {
      found.push_back({.number = segment.header.number,
                       .path = segment.path,
                       .file = nullptr,
                       .file_bytes = segment.bytes,
                       .header = segment.header,
                       .version = segment.version});
    }
    const path log = options_.source / "log";
    const auto bounds = required_bounds(files_, log, found);
    if (!bounds) return bounds.error();
    return *bounds ? store::check_begin(log, found, **bounds) : base::Result<void>();
  }

  static std::uint64_t sum_bytes(const std::vector<SnapshotSegment>& segments) {
    std::uint64_t sum = 0;
    for (const SnapshotSegment& segment : segments) sum += segment.bytes;
    return sum;
  }

  base::Result<void> copy_registry(Database& source) {
    const path target = options_.target / kRegistryName;
    // Made here first, so that nobody else can read it at any time.
    if (auto made = files_.create(target); !made) return made.error();
    std::error_code failed;
    using std::filesystem::perms;
    std::filesystem::permissions(target, perms::owner_read | perms::owner_write, failed);
    if (failed) return unusable(fmt::format("{}: {}", target.native(), failed.message()));
    return source.copy_to(target);
  }

  base::Result<void> copy_identity() {
    const auto identity = read_log_identity(files_, options_.source / "log");
    if (!identity) return identity.error();
    if (!*identity) return {};
    return write_log_identity(files_, options_.target / "log", **identity);
  }

  // Checks the copy as a broker does when it starts, as far as that is possible without one.
  base::Result<void> check_copy() {
    const auto copy =
        Database::open(options_.target / kRegistryName, {.read_only = true, .alone = true});
    if (!copy) return copy.error();
    if (auto checked = check_registry(**copy); !checked) return checked;
    const auto known = (*copy)->query_integer("SELECT value FROM meta WHERE name = 'log_sequence'");
    if (!known) return known.error();
    if (std::cmp_less(*known, log_copy_.next_sequence())) return {};
    return base::Error{
        base::ErrorId::kStoreMismatch,
        fmt::format("the registry of {} knows of event {}, but its log ends with event {}: run "
                    "weir doctor",
                    options_.source.native(), *known, log_copy_.next_sequence() - 1),
        std::nullopt};
  }

  base::Result<Manifest> write_manifest() {
    Manifest manifest{.created = options_.created,
                      .program = options_.program,
                      .first_sequence = log_copy_.first_sequence(),
                      .next_sequence = log_copy_.next_sequence(),
                      .files = {}};
    for (const std::string& name :
         {std::string(kRegistryName), fmt::format("log/{}", kIdentityName)}) {
      std::error_code failed;
      if (!std::filesystem::exists(options_.target / name, failed)) continue;
      const auto file = files_.open_to_read(options_.target / name);
      if (!file) return file.error();
      const auto sum = sum_file(**file);
      if (!sum) return sum.error();
      manifest.files.push_back({name, sum->bytes, sum->checksum});
    }
    const auto& segments = log_copy_.copied();
    manifest.files.insert(manifest.files.end(), segments.begin(), segments.end());
    if (auto synced = files_.sync_directory(options_.target); !synced) return synced.error();
    auto file = files_.create(options_.target / kManifestName);
    if (!file) return file.error();
    if (auto written = (*file)->write_at(0, to_text(manifest)); !written) return written.error();
    if (auto synced = (*file)->sync_data(); !synced) return synced.error();
    if (auto synced = files_.sync_directory(options_.target); !synced) return synced.error();
    return manifest;
  }

  const BackupOptions& options_;
  FileSystem& files_;
  LogCopy log_copy_;
};

}  // namespace

base::Result<void> make_target(const path& target) {
  std::error_code failed;
  const bool is_new = std::filesystem::create_directories(target, failed);
  if (failed) return unusable(fmt::format("{}: {}", target.native(), failed.message()));
  if (is_new) {
    std::filesystem::permissions(target, std::filesystem::perms::owner_all, failed);
  } else if (!std::filesystem::is_empty(target, failed)) {
    return unusable(fmt::format("{} is not empty: give a directory that is not there or empty",
                                target.native()));
  }
  if (failed) return unusable(fmt::format("{}: {}", target.native(), failed.message()));
  return {};
}

base::Result<Manifest> back_up(const BackupOptions& options) { return Backup(options).run(); }

}  // namespace weir::store
