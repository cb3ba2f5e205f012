// SPDX-License-Identifier: Apache-2.0
#include "cli/failure.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cli/exit_code.h"
#include "cli/text_output.h"
#include "event/json_writer.h"

namespace weir::cli {
namespace {

// Messages may quote the input, whatever its length. Those of the store do not.
std::string message_text(base::ErrorId id, std::string_view message) {
  const bool is_of_store = base::error_info(id).name.starts_with("store.");
  return is_of_store ? printable(message, kStoreTextBytesMax) : printable(message);
}

}  // namespace

Failure file_failure(base::Error error, const std::string& name) {
  const bool named = error.id == base::ErrorId::kCliFile;
  return {.error = std::move(error), .what = named ? std::string() : name};
}

std::string to_text(const Failure& failure) {
  std::string out = "weir: ";
  if (!failure.what.empty()) out += printable(failure.what) + ": ";
  out += message_text(failure.error.id, failure.error.to_string()) + '\n';
  const auto& position = failure.error.position;
  if (position && !failure.text.empty()) {
    out += excerpt(failure.text, position->line, position->column);
  }
  return out;
}

std::string to_json(const Failure& failure) {
  const base::ErrorInfo& info = base::error_info(failure.error.id);
  std::string out = "{\"error\":";
  event::JsonObject object(out);
  object.member("number", static_cast<std::uint16_t>(info.id));
  object.member("name", info.name);
  object.member("code", to_string(info.code));
  if (!failure.what.empty()) object.member("what", failure.what);
  object.member("message", message_text(failure.error.id, failure.error.message));
  if (const auto& position = failure.error.position) {
    object.member("line", position->line);
    object.member("column", position->column);
  }
  object.close();
  out += "}\n";
  return out;
}

int report(const Failure& failure, bool json, Output& err) {
  err.append(json ? to_json(failure) : to_text(failure));
  err.flush();
  return exit_code(failure.error.code());
}

int finish(int code, bool json, Streams& streams) {
  if (auto finished = streams.out.finish(); !finished) {
    return report({.error = std::move(finished.error())}, json, streams.err);
  }
  streams.err.flush();
  return code;
}

}  // namespace weir::cli
