// SPDX-License-Identifier: Apache-2.0
#include "broker/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "store/directory_lock.h"
#include "store/file_copy.h"
#include "store/file_system.h"
#include "store/registry.h"
#include "store/registry_file.h"
#include "store/store_identity.h"

namespace weir::broker {
namespace {

using base::Result;
using std::filesystem::path;
using store::Severity;

// Copies files into a new subdirectory before they are changed.
class Originals {
 public:
  explicit Originals(const path& directory) : directory_(directory) {}

  // Makes the subdirectory.
  Result<void> begin() {
    std::error_code failed;
    for (int number = 1; place_.empty(); ++number) {
      path place = directory_ / fmt::format("damaged-{}", number);
      if (std::filesystem::create_directory(place, failed)) place_ = std::move(place);
      if (failed) return cannot_make(failed);
    }
    std::filesystem::permissions(place_, std::filesystem::perms::owner_all, failed);
    if (failed) return cannot_make(failed);
    if (auto made = files_.create_directory(place_ / "log"); !made) return made;
    return files_.sync_directory(directory_);
  }

  Result<void> keep(const std::string& file) {
    if (!kept_.insert(file).second) return {};
    const auto from = files_.open_to_read(directory_ / file);
    if (!from) return from.error();
    const auto size_bytes = (*from)->size();
    if (!size_bytes) return size_bytes.error();
    const path to = place_ / file;
    if (auto copied = store::copy_file(**from, *size_bytes, files_, to, {}); !copied) {
      return copied.error();
    }
    std::error_code failed;
    const auto status = std::filesystem::status(directory_ / file, failed);
    std::filesystem::permissions(to, status.permissions(), failed);
    if (failed) return cannot_make(failed);
    return files_.sync_directory(to.parent_path());
  }

  const path& place() const { return place_; }
  std::vector<std::string> files() const { return {kept_.begin(), kept_.end()}; }

 private:
  base::Error cannot_make(const std::error_code& failed) const {
    return {
        base::ErrorId::kStoreIo,
        fmt::format("cannot keep the originals in {}: {}", directory_.native(), failed.message()),
        std::nullopt};
  }

  const path& directory_;
  store::FileSystem& files_ = store::posix_file_system();
  path place_;
  std::set<std::string> kept_;
};

class Repair {
 public:
  explicit Repair(const path& directory) : directory_(directory), originals_(directory) {}

  Result<RepairReport> run() {
    auto before = examine_directory(directory_);
    if (!before) return before.error();
    const auto lock = store::DirectoryLock::acquire(directory_);
    if (!lock) return lock.error();
    before = examine_directory(directory_, DirectoryUse::kMine);
    if (!before) return before.error();
    report_.before = *std::move(before);
    if (report_.before.findings.worst() != Severity::kDamage) return std::move(report_);
    if (auto begun = originals_.begin(); !begun) return begun.error();
    if (auto repaired = repair(); !repaired) return repaired.error();
    report_.originals = originals_.place();
    report_.changed = originals_.files();
    return std::move(report_);
  }

 private:
  Result<void> repair() {
    const path log = directory_ / "log";
    const store::KeepOriginal keep = [this](const std::string& file) {
      return originals_.keep(file);
    };
    if (auto made = files_.create_directory(log); !made) return made;
    const auto identity = store::read_log_identity(files_, log);
    if (auto checked = check_identity(identity); !checked) return checked;
    if (is_damaged("registry.")) {
      const auto of_log = identity ? *identity : std::optional<std::uint64_t>();
      auto repaired = store::repair_registry(directory_, of_log, keep);
      if (!repaired) return repaired.error();
      report_.registry = *std::move(repaired);
    }
    if (auto written = write_identity(identity); !written) return written;
    auto contents = read_registry();
    if (!contents) return contents.error();
    if (is_damaged("log")) {
      auto lost = store::repair_log(directory_, known_sequence(*contents), keep);
      if (!lost) return lost.error();
      report_.records = *std::move(lost);
    }
    if (auto listed = list_deliveries(*contents); !listed) return listed;
    return verify();
  }

  bool is_damaged(std::string_view file) const {
    return std::ranges::any_of(report_.before.findings.list(), [&](const store::Finding& one) {
      return one.severity == Severity::kDamage && one.file.starts_with(file);
    });
  }

  // Two halves of different stores are not made one.
  Result<void> check_identity(const Result<std::optional<std::uint64_t>>& of_log) const {
    if (!of_log) return {};
    auto compared =
        store::compare_identities(directory_, report_.before.registry.identity, *of_log);
    // A row that fails its checksum tells nothing.
    if (compared || is_damaged("registry.")) return {};
    compared.error().message += "; this cannot be repaired";
    return compared;
  }

  Result<void> write_identity(const Result<std::optional<std::uint64_t>>& of_log) {
    if (of_log) return {};
    if (auto kept = originals_.keep(fmt::format("log/{}", store::kIdentityName)); !kept) {
      return kept;
    }
    auto registry = store::Registry::open(directory_ / store::kRegistryName);
    if (!registry) return registry.error();
    const auto identity = (*registry)->identity();
    if (!identity) return identity.error();
    return store::write_log_identity(files_, directory_ / "log", *identity);
  }

  Result<store::RegistryContents> read_registry() {
    auto registry = store::Registry::open(directory_ / store::kRegistryName);
    if (!registry) return registry.error();
    return (*registry)->contents();
  }

  // The last event that the log must have had.
  static std::uint64_t known_sequence(const store::RegistryContents& contents) {
    std::uint64_t known = std::max(contents.log_sequence, contents.checkpoint_sequence);
    for (const auto& cursor : contents.cursors) known = std::max(known, cursor.scan_sequence);
    for (const auto& row : contents.subscriptions) {
      known = std::max(known, std::max<std::uint64_t>(row.since_sequence, 1) - 1);
    }
    for (const auto& replay : contents.replays) {
      known = std::max(known, std::max<std::uint64_t>(replay.next_sequence, 1) - 1);
    }
    return known;
  }

  Result<void> list_deliveries(const store::RegistryContents& contents) {
    LostDeliveryFinder finder(contents, report_.records);
    if (auto read = finder.read(files_, directory_ / "log"); !read) return read;
    report_.deliveries = finder.deliveries();
    report_.notes = finder.notes();
    return {};
  }

  Result<void> verify() {
    const auto after = examine_directory(directory_, DirectoryUse::kMine);
    if (!after) return after.error();
    for (const store::Finding& finding : after->findings.list()) {
      if (finding.severity != Severity::kDamage) continue;
      return base::Error{base::ErrorId::kStoreCorrupt,
                         fmt::format("{}: {}: this cannot be repaired; restore a backup. The files "
                                     "as they were are in {}",
                                     finding.file, finding.what, originals_.place().native()),
                         std::nullopt};
    }
    return {};
  }

  const path& directory_;
  store::FileSystem& files_ = store::posix_file_system();
  Originals originals_;
  RepairReport report_;
};

}  // namespace

base::Result<RepairReport> repair_directory(const std::filesystem::path& directory) {
  return Repair(directory).run();
}

}  // namespace weir::broker
