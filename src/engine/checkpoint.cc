// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint.h"

#include <fmt/format.h>

#include <utility>

#include "base/hash.h"

namespace weir::engine {
namespace {

constexpr std::size_t kHeadBytes = 10;
constexpr std::size_t kChecksumBytes = 8;

std::uint8_t version_of(CheckpointKind kind) {
  return kind == CheckpointKind::kText ? kTextVersion : kSubscriptionVersion;
}

}  // namespace

base::ByteWriter begin_checkpoint(const CheckpointHead& head) {
  base::ByteWriter writer;
  writer.u8(static_cast<std::uint8_t>(head.kind));
  writer.u8(version_of(head.kind));
  writer.u64(head.owner);
  return writer;
}

std::string finish_checkpoint(base::ByteWriter writer) {
  writer.u64(base::hash_bytes(writer.bytes()));
  return writer.take();
}

base::Result<CheckpointBody> open_checkpoint(const CheckpointHead& head, std::string_view bytes) {
  base::ByteReader reader(bytes);
  if (reader.u8() != static_cast<std::uint8_t>(head.kind)) {
    return corrupt_checkpoint(head.kind, "is something else");
  }
  const std::uint8_t version = reader.u8();
  if (reader.failed() || bytes.size() < kHeadBytes + kChecksumBytes) {
    return corrupt_checkpoint(head.kind, "is cut short");
  }
  if (version < 1 || version > version_of(head.kind)) {
    return corrupt_checkpoint(
        head.kind, fmt::format("has version {}, known is {}", version, version_of(head.kind)));
  }
  const std::uint64_t owner = reader.u64();
  const std::string_view body = reader.raw(reader.rest_bytes() - kChecksumBytes);
  if (reader.u64() != base::hash_bytes(bytes.substr(0, bytes.size() - kChecksumBytes))) {
    return corrupt_checkpoint(head.kind, "does not have its checksum");
  }
  constexpr std::uint8_t kOldVersionMax = 2;
  const bool is_old = head.kind == CheckpointKind::kSubscription && version <= kOldVersionMax;
  if (owner != (is_old ? head.old_owner : head.owner))
    return corrupt_checkpoint(head.kind, "is of another filter");
  return CheckpointBody{version, body};
}

base::Error corrupt_checkpoint(CheckpointKind kind, std::string_view why) {
  const std::string_view what = kind == CheckpointKind::kText ? "text" : "state";
  return {base::ErrorId::kStoreCorrupt, fmt::format("the saved {} {}", what, why), std::nullopt};
}

}  // namespace weir::engine
