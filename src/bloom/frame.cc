// SPDX-License-Identifier: Apache-2.0
#include "bloom/frame.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace weir::bloom {
namespace {

constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kChecksumBytes = 8;

std::string_view name_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::kClassic:
      return "classic filter";
    case FrameKind::kBlock:
      return "block filter";
    case FrameKind::kTimer:
      return "timer filter";
    case FrameKind::kGenerational:
      return "generational filter";
    case FrameKind::kGrowing:
      return "growing filter";
    case FrameKind::kElastic:
      return "elastic filter";
    case FrameKind::kCompressed:
      break;
  }
  return "compressed filter";
}

}  // namespace

base::ByteWriter begin_frame(FrameKind kind) {
  base::ByteWriter writer;
  begin_frame(kind, writer);
  return writer;
}

std::string finish_frame(base::ByteWriter writer) {
  finish_frame(0, writer);
  return writer.take();
}

std::size_t begin_frame(FrameKind kind, base::ByteWriter& writer) {
  const std::size_t begun = writer.size();
  writer.u8(static_cast<std::uint8_t>(kind));
  writer.u8(kFrameVersion);
  return begun;
}

void finish_frame(std::size_t begun, base::ByteWriter& writer) {
  writer.u64(base::hash_bytes(writer.bytes().substr(begun)));
}

base::Result<std::string_view> open_frame(FrameKind kind, std::string_view bytes) {
  base::ByteReader reader(bytes);
  if (reader.u8() != static_cast<std::uint8_t>(kind)) {
    return corrupt_frame(kind, "is something else");
  }
  const std::uint8_t version = reader.u8();
  if (bytes.size() < kHeadBytes + kChecksumBytes) return corrupt_frame(kind, "is cut short");
  if (version != kFrameVersion) {
    return corrupt_frame(kind, fmt::format("has version {}, known is {}", version, kFrameVersion));
  }
  const std::string_view body = reader.raw(reader.rest_bytes() - kChecksumBytes);
  if (reader.u64() != base::hash_bytes(bytes.substr(0, bytes.size() - kChecksumBytes))) {
    return corrupt_frame(kind, "does not have its checksum");
  }
  return body;
}

base::Error corrupt_frame(FrameKind kind, std::string_view why) {
  return {base::ErrorId::kStoreCorrupt, fmt::format("the saved {} {}", name_of(kind), why),
          std::nullopt};
}

}  // namespace weir::bloom
