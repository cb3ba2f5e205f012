// SPDX-License-Identifier: Apache-2.0
#include "store/restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "store/directory_lock.h"
#include "store/file_system.h"
#include "store/log_bounds.h"
#include "store/registry_file.h"
#include "store/registry_numbers.h"
#include "store/segment.h"

namespace weir::store {
namespace {

using std::filesystem::path;

base::Error unusable(std::string message) {
  return {base::ErrorId::kStoreTarget, std::move(message), std::nullopt};
}

base::Result<Manifest> read_manifest(const path& backup) {
  const path file = backup / kManifestName;
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) {
    return unusable(
        fmt::format("{} is no complete backup: it has no {}", backup.native(), kManifestName));
  }
  const auto opened = posix_file_system().open_to_read(file);
  if (!opened) return opened.error();
  const auto text = (*opened)->read_at(0, std::filesystem::file_size(file, failed));
  if (!text) return text.error();
  return parse_manifest(*text);
}

class Restore {
 public:
  Restore(const RestoreOptions& options, path staging)
      : options_(options), files_(posix_file_system()), staging_(std::move(staging)) {}

  base::Result<void> run(const Manifest& manifest) {
    if (auto made = make_staging(); !made) return made;
    base::Result<void> done = fill(manifest);
    std::error_code failed;
    if (done) {
      std::filesystem::rename(staging_, options_.target, failed);
      if (!failed) return files_.sync_directory(parent());
      done = unusable(fmt::format("cannot rename {} to {}: {}", staging_.native(),
                                  options_.target.native(), failed.message()));
    }
    std::filesystem::remove_all(staging_, failed);
    return done;
  }

 private:
  path parent() const {
    return options_.target.has_parent_path() ? options_.target.parent_path() : path(".");
  }

  base::Result<void> make_staging() {
    if (auto made = files_.create_directory(parent()); !made) return made;
    std::error_code failed;
    if (!std::filesystem::create_directory(staging_, failed)) {
      return unusable(
          fmt::format("{} is there: another restore works on it, or was interrupted; "
                      "remove it if none does",
                      staging_.native()));
    }
    std::filesystem::permissions(staging_, std::filesystem::perms::owner_all, failed);
    if (failed) return unusable(fmt::format("{}: {}", staging_.native(), failed.message()));
    return files_.create_directory(staging_ / "log");
  }

  base::Result<void> fill(const Manifest& manifest) {
    for (const ManifestFile& file : manifest.files) {
      if (auto copied = copy(file); !copied) return copied;
    }
    if (auto made = create_numbers(staging_ / kRegistryName); !made) return made;
    if (auto made = write_bounds(manifest); !made) return made;
    if (auto synced = files_.sync_directory(staging_ / "log"); !synced) return synced;
    return files_.sync_directory(staging_);
  }

  // The manifest tells where the log begins and ends.
  base::Result<void> write_bounds(const Manifest& manifest) {
    LogBounds bounds{.first_sequence = manifest.first_sequence,
                     .next_sequence = manifest.next_sequence};
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const ManifestFile& file : manifest.files) {
      const auto number = segment_number(path(file.name).filename().native());
      if (!number) continue;
      first = std::min(first, *number);
      if (*number < bounds.end_segment) continue;
      bounds.end_segment = *number;
      bounds.end_bytes = file.bytes;
    }
    if (bounds.end_segment == 0) return {};  // an empty log has none yet
    bounds.first_segment = first;
    return BoundsFile(files_, staging_ / "log", bounds).require();
  }

  base::Result<void> copy(const ManifestFile& wanted) {
    const path source = options_.backup / wanted.name;
    const auto from = files_.open_to_read(source);
    if (!from) return from.error();
    const path target = staging_ / wanted.name;
    const auto copied = copy_file(**from, wanted.bytes + 1, files_, target, options_.progress);
    if (!copied) return copied.error();
    if (copied->bytes != wanted.bytes || copied->checksum != wanted.checksum) {
      return base::Error{base::ErrorId::kStoreCorrupt,
                         fmt::format("{} is damaged: it is not what was backed up. Use another "
                                     "copy of this backup, or another backup",
                                     source.native()),
                         std::nullopt};
    }
    if (wanted.name != kRegistryName) return {};
    using std::filesystem::perms;
    std::error_code failed;
    std::filesystem::permissions(target, perms::owner_read | perms::owner_write, failed);
    if (failed) return unusable(fmt::format("{}: {}", target.native(), failed.message()));
    return {};
  }

  const RestoreOptions& options_;
  FileSystem& files_;
  path staging_;
};

base::Result<void> check_target(const path& target) {
  std::error_code failed;
  if (!std::filesystem::exists(target, failed)) return {};
  if (std::filesystem::is_directory(target, failed) && std::filesystem::is_empty(target, failed)) {
    return {};
  }
  if (std::filesystem::exists(target / kLockName, failed)) {
    if (auto lock = DirectoryLock::acquire(target); !lock) return lock.error();
  }
  return unusable(
      fmt::format("{} is not empty: give a directory that is not there or empty", target.native()));
}

}  // namespace

base::Result<Manifest> restore(const RestoreOptions& options) {
  RestoreOptions plain = options;
  // Without a slash at its end, a name can get a suffix.
  if (!plain.target.has_filename()) plain.target = plain.target.parent_path();
  if (auto checked = check_target(plain.target); !checked) return checked.error();
  auto manifest = read_manifest(plain.backup);
  if (!manifest) return manifest.error();
  if (plain.on_begin) plain.on_begin(manifest->size_bytes());
  path staging = plain.target;
  staging += ".restoring";
  if (auto restored = Restore(plain, staging).run(*manifest); !restored) return restored.error();
  return manifest;
}

}  // namespace weir::store
