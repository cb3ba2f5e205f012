// SPDX-License-Identifier: Apache-2.0
#include "002/workload.h"

#include <fmt/format.h>

#include "shared/parse.h"
#include "shared/text_file.h"

namespace weir::lab {
namespace {

bool parse_stream(std::string_view line, Stream& stream) {
  while (!line.empty()) {
    Value value = 0;
    if (!parse_number(take_until(line, ' '), value)) return false;
    if (value > kValueMax || value < -kValueMax) return false;
    stream.push_back(value);
  }
  return !stream.empty();
}

}  // namespace

base::Result<Workload> parse_workload(std::string_view name, std::string_view text) {
  Workload workload{.name = std::string(name)};
  while (!text.empty()) {
    if (!parse_stream(take_until(text, '\n'), workload.streams.emplace_back())) {
      return file_error(fmt::format("{}: line {} is not integers from -{} to {}", name,
                                    workload.streams.size(), kValueMax, kValueMax));
    }
  }
  if (workload.streams.empty()) return file_error(fmt::format("{}: no streams", name));
  return workload;
}

base::Result<Workload> read_workload(std::string_view name, const std::string& file_name) {
  const auto text = read_text(file_name);
  if (!text) return text.error();
  return parse_workload(name, *text);
}

}  // namespace weir::lab
