// SPDX-License-Identifier: Apache-2.0
#include "bloom/frame_testing.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "base/source_file_testing.h"

namespace weir::bloom {
namespace {

constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kChecksumBytes = 8;

}  // namespace

std::string golden_frame(std::string_view name) {
  const std::string file = "\n" + base::read_source_file("src/bloom/formats_v1.txt");
  const std::string line_begin = fmt::format("\n{} ", name);
  const std::size_t line = file.find(line_begin);
  WEIR_CHECK(line != std::string::npos);
  std::string bytes;
  for (std::size_t i = line + line_begin.size(); file[i] != '\n'; i += 2) {
    bytes += static_cast<char>(std::stoi(file.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return out;
}

std::string framed(FrameKind kind, std::string_view body) {
  base::ByteWriter writer = begin_frame(kind);
  writer.raw(body);
  return finish_frame(std::move(writer));
}

std::string_view body_of(std::string_view frame) {
  return frame.substr(kHeadBytes, frame.size() - kHeadBytes - kChecksumBytes);
}

}  // namespace weir::bloom
