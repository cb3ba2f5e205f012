// SPDX-License-Identifier: Apache-2.0
#include "store/manifest.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "store/registry_file.h"
#include "store/segment.h"
#include "store/store_identity.h"

namespace weir::store {
namespace {

constexpr std::string_view kFirstLine = "weir backup ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kLogPrefix = "log/";

base::Error damaged(std::string_view how) {
  return {base::ErrorId::kStoreCorrupt,
          fmt::format("the backup's {} is damaged: {}", kManifestName, how), std::nullopt};
}

// Cuts the text up to the separator off; all of it if there is none.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// No name leads out of the directory.
bool is_known(std::string_view name) {
  if (name == kRegistryName) return true;
  if (!name.starts_with(kLogPrefix)) return false;
  name.remove_prefix(kLogPrefix.size());
  return name == kIdentityName || segment_number(name);
}

bool take_file(std::string_view line, Manifest& manifest) {
  const auto bytes = number(take(line, ' '), 10);
  const auto checksum = number(take(line, ' '), 16);
  if (!bytes || !checksum || !is_known(line)) return false;
  manifest.files.push_back({std::string(line), *bytes, *checksum});
  return true;
}

bool take_events(std::string_view line, Manifest& manifest) {
  const auto first = number(take(line, ' '), 10);
  const auto next = number(line, 10);
  if (!first || !next) return false;
  manifest.first_sequence = *first;
  manifest.next_sequence = *next;
  return true;
}

bool take_line(std::string_view line, Manifest& manifest) {
  const std::string_view word = take(line, ' ');
  if (word == "created") return !(manifest.created = line).empty();
  if (word == "program") return !(manifest.program = line).empty();
  if (word == "events") return take_events(line, manifest);
  return word == "file" && take_file(line, manifest);
}

}  // namespace

std::uint64_t Manifest::size_bytes() const {
  std::uint64_t sum_bytes = 0;
  for (const ManifestFile& file : files) sum_bytes += file.bytes;
  return sum_bytes;
}

std::string to_text(const Manifest& manifest) {
  std::string text = fmt::format("{}{}\ncreated {}\nprogram {}\nevents {} {}\n", kFirstLine,
                                 kVersion, manifest.created, manifest.program,
                                 manifest.first_sequence, manifest.next_sequence);
  for (const ManifestFile& file : manifest.files) {
    text += fmt::format("file {} {:016x} {}\n", file.bytes, file.checksum, file.name);
  }
  return text + fmt::format("end {:016x}\n", base::hash_bytes(text));
}

base::Result<Manifest> parse_manifest(std::string_view text) {
  std::string_view rest = text;
  const std::string_view first = take(rest, '\n');
  if (!first.starts_with(kFirstLine)) return damaged("it does not begin as one");
  if (first.substr(kFirstLine.size()) != kVersion) {
    return base::Error{base::ErrorId::kStoreVersion,
                       fmt::format("the backup has version {}, this program knows {}",
                                   first.substr(kFirstLine.size()), kVersion),
                       std::nullopt};
  }
  Manifest manifest;
  while (!rest.empty() && !rest.starts_with("end ")) {
    const std::string_view line = take(rest, '\n');
    if (!take_line(line, manifest)) return damaged(fmt::format("unknown line '{}'", line));
  }
  const std::size_t end = text.size() - rest.size();
  take(rest, ' ');
  const auto checksum = number(take(rest, '\n'), 16);
  if (!checksum || !rest.empty() || !text.ends_with('\n') ||
      *checksum != base::hash_bytes(text.substr(0, end))) {
    return damaged("its checksum is another");
  }
  return manifest;
}

}  // namespace weir::store
