// SPDX-License-Identifier: Apache-2.0
// Any bytes as an event and as a batch: what is accepted decodes to itself again, every value in it
// can be reached, and simdjson takes it for JSON too unless a number is too large for it. Between
// two events of a batch, they harm neither, or the batch fails.
#include <simdjson.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "event/event.h"

namespace {

using namespace weir::event;
using weir::base::ErrorId;

struct Walk {
  std::size_t values = 0;
  bool has_large_number = false;
};

void walk(const JsonRef& ref, std::string_view text, Walk& seen) {
  ++seen.values;
  const Value value = ref.value();
  WEIR_CHECK(!value.missing());
  WEIR_CHECK(text.substr(ref.offset_bytes(), ref.raw().size()).data() == ref.raw().data());
  switch (ref.kind()) {
    case JsonKind::kString:
      WEIR_CHECK(weir::base::utf8_valid_prefix_bytes(ref.string()) == ref.string().size());
      break;
    case JsonKind::kInteger:
      seen.has_large_number |= value.kind() != ValueKind::kInt;
      break;
    case JsonKind::kFraction:
      seen.has_large_number |= std::isinf(value.as_double());
      break;
    case JsonKind::kObject:
      ref.for_each_member([&](const JsonRef& name, const JsonRef& member) {
        const JsonRef found = ref.member(name.string());
        WEIR_CHECK(found && found.offset_bytes() == member.offset_bytes());
        walk(member, text, seen);
      });
      break;
    case JsonKind::kArray:
      ref.for_each_element([&](const JsonRef& element) { walk(element, text, seen); });
      break;
    default:
      break;
  }
}

// A value, compacted and parsed again, is the same compact text.
void check_compact(const JsonRef& ref) {
  std::string once;
  append_compact(ref, once);
  const auto document = JsonDocument::parse(once);
  WEIR_CHECK(document.has_value());
  std::string twice;
  append_compact(document->root(), twice);
  WEIR_CHECK(once == twice);
}

void check_json(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  WEIR_CHECK(document.has_value());
  Walk seen;
  walk(document->root(), document->text(), seen);
  check_compact(document->root());
  static simdjson::dom::parser parser;
  const bool judged = parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
  WEIR_CHECK(judged || seen.has_large_number);
}

bool is_same(const Attribute& left, const Attribute& right) {
  if (left.name != right.name || left.text != right.text) return false;
  return left.value.kind() == right.value.kind() && compare(left.value, right.value) == 0;
}

void check_event(const Event& event) {
  check_json(event.json());
  const auto again = decode_event(event.json());
  WEIR_CHECK(again.has_value());
  const Event& other = **again;
  WEIR_CHECK(other.json() == event.json());
  WEIR_CHECK(other.data_kind() == event.data_kind());
  WEIR_CHECK(other.data_bytes() == event.data_bytes());
  WEIR_CHECK(other.attributes().size() == event.attributes().size());
  for (std::size_t i = 0; i < event.attributes().size(); ++i) {
    const Attribute& attribute = event.attributes()[i];
    WEIR_CHECK(is_same(attribute, other.attributes()[i]));
    WEIR_CHECK(event.find(attribute.name) == &attribute);
    WEIR_CHECK(compare(event.at(Path::attribute(attribute.name)), attribute.value) == 0);
  }
  WEIR_CHECK(!event.id().empty() && !event.source().empty() && !event.type().empty());
}

// A position lies in the text, and a text that is cut short says so at its end.
void check_error(const weir::base::Error& error, std::string_view text) {
  WEIR_CHECK(error.message.size() < 1000);
  if (!error.position) return;
  WEIR_CHECK(error.position->offset_bytes <= text.size());
  WEIR_CHECK(*error.position == weir::base::position_at(text, error.position->offset_bytes));
  if (error.id == ErrorId::kJsonTruncated) {
    WEIR_CHECK(error.position->offset_bytes == text.size());
  }
}

void check_neighbours(std::string_view text) {
  constexpr std::string_view kGood = R"({"specversion":"1.0","id":"a","source":"/s","type":"t"})";
  std::string all = "[";
  all.append(kGood).append(",").append(text).append(",").append(kGood).append("]");
  const auto batch = decode_batch(all);
  if (!batch) return check_error(batch.error(), all);
  WEIR_CHECK(batch->size() >= 3);
  WEIR_CHECK(batch->front().has_value() && (*batch->front())->json() == kGood);
  WEIR_CHECK(batch->back().has_value() && (*batch->back())->json() == kGood);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  if (const auto event = decode_event(text)) {
    check_event(**event);
  } else {
    check_error(event.error(), text);
  }
  check_neighbours(text);
  const auto batch = decode_batch(text);
  if (!batch) {
    check_error(batch.error(), text);
    return 0;
  }
  for (const auto& event : *batch) {
    if (event) {
      check_event(**event);
    } else {
      check_error(event.error(), text);
    }
  }
  return 0;
}
