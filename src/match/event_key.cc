// SPDX-License-Identifier: Apache-2.0
#include "match/event_key.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "filter/evaluate.h"

namespace weir::match {
namespace {

using event::Value;
using event::ValueKind;

template <typename T>
void append_raw(const T& value, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void append_tagged(char tag, std::string_view bytes, std::string& out) {
  out.push_back(tag);
  append_raw(static_cast<std::uint64_t>(bytes.size()), out);
  out += bytes;
}

void append_int(std::int64_t integer, std::string& out) {
  out.push_back('i');
  append_raw(integer, out);
}

void append_double(double number, std::string& out) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const bool whole = std::trunc(number) == number && number >= -kTwoTo63 && number < kTwoTo63;
  if (whole) return append_int(static_cast<std::int64_t>(number), out);
  out.push_back('d');
  append_raw(number, out);
}

void append_value(const filter::Operand& operand, const event::Event& event, std::string& out) {
  const Value value = filter::resolve(operand, event);
  switch (value.kind()) {
    case ValueKind::kMissing:
      out.push_back('-');
      break;
    case ValueKind::kNull:
      out.push_back('n');
      break;
    case ValueKind::kBool:
      out.push_back(value.as_bool() ? 't' : 'f');
      break;
    case ValueKind::kInt:
      append_int(value.as_int(), out);
      break;
    case ValueKind::kDouble:
      append_double(value.as_double(), out);
      break;
    case ValueKind::kString:
      append_tagged('s', value.as_string(), out);
      break;
    case ValueKind::kTimestamp:
      out.push_back('z');
      append_raw(value.as_timestamp().seconds, out);
      append_raw(value.as_timestamp().nanoseconds, out);
      break;
    case ValueKind::kBytes:
      append_tagged('b', event.data_bytes(), out);
      break;
    case ValueKind::kObject:
    case ValueKind::kArray: {
      std::string compact;
      event::append_compact(event.json_at(operand.path), compact);
      append_tagged('j', compact, out);
      break;
    }
  }
}

}  // namespace

std::string event_key(const std::vector<filter::Operand>& operands, const event::Event& event) {
  std::string key;
  for (const filter::Operand& operand : operands) append_value(operand, event, key);
  return key;
}

}  // namespace weir::match
