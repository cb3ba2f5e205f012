// SPDX-License-Identifier: Apache-2.0
// SseReader: from the lines of a text/event-stream to its messages, by the rules of the HTML
// standard (9.2.6): fields, comments, data over several lines, an id that lasts until the next.
//
//   SseReader reader;
//   if (auto message = reader.take("")) use(message->data);
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::cli {

struct SseMessage {
  std::string type = "message";
  std::string data;
  std::string id;  // the last one seen, of this message or one before

  bool operator==(const SseMessage&) const = default;
};

class SseReader {
 public:
  // A line without its end. Gives the message that it ends, if any.
  std::optional<SseMessage> take(std::string_view line);

 private:
  void take_field(std::string_view name, std::string_view value);

  std::string type_;
  std::string data_;  // with a newline after each line
  std::string id_;
  bool at_start_ = true;
};

}  // namespace weir::cli
