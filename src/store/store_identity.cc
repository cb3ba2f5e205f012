// SPDX-License-Identifier: Apache-2.0
#include "store/store_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "store/registry_file.h"

namespace weir::store {
namespace {

constexpr std::string_view kPrefix = "weir log identity ";
constexpr std::string_view kSuffix = " 1\n";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kFileBytes = kPrefix.size() + kDigits + kSuffix.size();

std::string to_text(std::uint64_t identity) {
  return fmt::format("{}{:016x}{}", kPrefix, identity, kSuffix);
}

std::optional<std::uint64_t> parse(std::string_view text) {
  if (text.size() != kFileBytes) return std::nullopt;
  std::uint64_t identity = 0;
  const char* const begin = text.data() + kPrefix.size();
  std::from_chars(begin, begin + kDigits, identity, 16);
  if (text != to_text(identity)) return std::nullopt;
  return identity;
}

base::Result<bool> is_there(FileSystem& files, const std::filesystem::path& log) {
  const auto names = files.list(log);
  if (!names) return names.error();
  return std::ranges::find(*names, kIdentityName) != names->end();
}

base::Error mismatch(std::string message) {
  return {base::ErrorId::kStoreMismatch, std::move(message), std::nullopt};
}

}  // namespace

base::Result<std::optional<std::uint64_t>> read_log_identity(FileSystem& files,
                                                             const std::filesystem::path& log) {
  const auto there = is_there(files, log);
  if (!there) return there.error();
  if (!*there) return std::optional<std::uint64_t>();
  const auto file = files.open_to_read(log / kIdentityName);
  if (!file) return file.error();
  const auto text = (*file)->read_at(0, kFileBytes + 1);
  if (!text) return text.error();
  if (text->size() < kFileBytes) return std::optional<std::uint64_t>();
  const auto identity = parse(*text);
  if (identity) return identity;
  return base::Error{
      base::ErrorId::kStoreCorrupt,
      fmt::format(
          "{} is damaged at offset 0: copy it from where the log came from, or remove it if "
          "the log and the registry are known to belong together; weir doctor tells more, "
          "weir doctor --repair writes it anew",
          (log / kIdentityName).native()),
      std::nullopt};
}

base::Result<void> write_log_identity(FileSystem& files, const std::filesystem::path& log,
                                      std::uint64_t identity) {
  const auto there = is_there(files, log);
  if (!there) return there.error();
  const std::filesystem::path path = log / kIdentityName;
  if (*there) {
    if (auto removed = files.remove(path); !removed) return removed;
  }
  auto file = files.create(path);
  if (!file) return file.error();
  if (auto written = (*file)->write_at(0, to_text(identity)); !written) return written;
  if (auto synced = (*file)->sync_data(); !synced) return synced;
  return files.sync_directory(log);
}

base::Result<void> compare_identities(const std::filesystem::path& directory,
                                      std::uint64_t of_registry,
                                      const std::optional<std::uint64_t>& of_log) {
  if (!of_log || of_registry == *of_log) return {};
  if (of_registry == 0) {
    return mismatch(fmt::format(
        "{0}/registry.sqlite is missing, new, or older than the log: subscriptions and tokens "
        "would "
        "be missing. Copy registry.sqlite and registry.sqlite-wal from where the log came from, or "
        "restore a backup; weir doctor tells more; to begin with the events alone, remove "
        "{0}/log/{1}",
        directory.native(), kIdentityName));
  }
  return mismatch(fmt::format(
      "{} tells at offset {} that the log is of store {:016x}, but the registry is of store "
      "{:016x}: copy both from one directory, or restore a backup; weir doctor tells more",
      (directory / "log" / kIdentityName).native(), kPrefix.size(), *of_log, of_registry));
}

base::Result<void> check_new_registry(FileSystem& files, const std::filesystem::path& directory) {
  const auto registry = inspect_registry_file(directory / kRegistryName);
  if (!registry) return registry.error();
  if (*registry != RegistryFile::kNew) return {};
  const std::filesystem::path log = directory / "log";
  if (auto created = files.create_directory(log); !created) return created;
  const auto of_log = read_log_identity(files, log);
  if (!of_log) return of_log.error();
  return compare_identities(directory, 0, *of_log);
}

base::Result<void> reconcile_identity(FileSystem& files, const std::filesystem::path& directory,
                                      Registry& registry, std::uint64_t fresh) {
  const auto of_registry = registry.identity();
  if (!of_registry) return of_registry.error();
  std::uint64_t identity = *of_registry;
  const std::filesystem::path log = directory / "log";
  if (auto created = files.create_directory(log); !created) return created;
  const auto of_log = read_log_identity(files, log);
  if (!of_log) return of_log.error();
  if (auto compared = compare_identities(directory, identity, *of_log); !compared) return compared;
  if (identity == 0) {
    identity = fresh;
    const std::vector<RegistryChange> changes = {StoreIdentity{identity}};
    if (auto written = registry.apply(changes); !written) return written;
  }
  if (*of_log) return {};
  return write_log_identity(files, log, identity);
}

}  // namespace weir::store
