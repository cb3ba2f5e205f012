// SPDX-License-Identifier: Apache-2.0
#include "runtime/nats/frame.h"

#include "base/bytes.h"

namespace weir::runtime::nats {

std::string encode(const Frame& frame) {
  base::ByteWriter writer;
  writer.reserve(kFrameHeaderBytes + frame.message.size());
  writer.u8(kFrameVersion);
  writer.u64(frame.source.value);
  writer.u64(frame.number);
  writer.raw(frame.message);
  return writer.take();
}

std::optional<Frame> decode_frame(std::string_view bytes, protocol::NodeId self) {
  base::ByteReader reader(bytes);
  const std::uint8_t version = reader.u8();
  Frame frame;
  frame.source.value = reader.u64();
  frame.number = reader.u64();
  if (reader.failed() || version != kFrameVersion) return {};
  if (frame.source == protocol::kUser || frame.source == self) return {};
  frame.message = reader.raw(reader.rest_bytes());
  if (frame.message.size() > protocol::kMessageBytesMax) return {};
  return frame;
}

}  // namespace weir::runtime::nats
