// SPDX-License-Identifier: Apache-2.0
#include "match/change_memory.h"

#include <cmath>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "match/text_distance.h"

namespace weir::match {
namespace {

using event::Value;
using event::ValueKind;
using filter::Crosses;
using filter::Differs;
using filter::Literal;
using filter::Moves;
using filter::Rewords;

// As it is written in a state: the index of the alternative.
enum class LiteralTag : std::uint8_t { kBool, kInt, kDouble, kString, kTimestamp };

constexpr std::size_t kTermBytesMin = 2;
constexpr std::int32_t kNanosecondsEnd = 1'000'000'000;

bool is_finite_number(const Value& value) {
  return value.is_number() && std::isfinite(value.as_number());
}

std::optional<Sample> scalar(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return Literal{value.as_bool()};
    case ValueKind::kInt:
      return Literal{value.as_int()};
    case ValueKind::kDouble:
      if (!is_finite_number(value)) return std::nullopt;
      return Literal{value.as_double()};
    case ValueKind::kString:
      return Literal{std::string(value.as_string())};
    case ValueKind::kTimestamp:
      return Literal{value.as_timestamp()};
    default:
      return std::nullopt;
  }
}

Memory memory_of(const Sample& sample) {
  return std::visit([](const auto& held) { return Memory(held); }, sample);
}

double read_finite(base::ByteReader& reader) {
  const double value = reader.f64();
  if (!std::isfinite(value)) reader.fail();
  return value;
}

void write(double number, base::ByteWriter& writer) { writer.f64(number); }

void write(Side side, base::ByteWriter& writer) { writer.u8(static_cast<std::uint8_t>(side)); }

void write(const Literal& literal, base::ByteWriter& writer) {
  writer.u8(static_cast<std::uint8_t>(literal.value.index()));
  if (const auto* boolean = std::get_if<bool>(&literal.value)) {
    writer.u8(*boolean ? 1 : 0);
  } else if (const auto* integer = std::get_if<std::int64_t>(&literal.value)) {
    writer.u64(static_cast<std::uint64_t>(*integer));
  } else if (const auto* number = std::get_if<double>(&literal.value)) {
    writer.f64(*number);
  } else if (const auto* text = std::get_if<std::string>(&literal.value)) {
    writer.text(*text);
  } else {
    const auto& timestamp = std::get<event::Timestamp>(literal.value);
    writer.u64(static_cast<std::uint64_t>(timestamp.seconds));
    writer.u32(static_cast<std::uint32_t>(timestamp.nanoseconds));
  }
}

void write(const TermCounts& document, base::ByteWriter& writer) {
  writer.varint(document.frequency_max);
  writer.varint(document.counts.size());
  for (const TermCount& count : document.counts) {
    writer.text(count.term);
    writer.varint(count.frequency);
  }
}

Side read_side(base::ByteReader& reader) {
  const std::uint8_t side = reader.u8();
  if (side > static_cast<std::uint8_t>(Side::kAbove)) reader.fail();
  return side == 0 ? Side::kBelow : Side::kAbove;
}

Literal read_timestamp(base::ByteReader& reader) {
  event::Timestamp timestamp;
  timestamp.seconds = static_cast<std::int64_t>(reader.u64());
  timestamp.nanoseconds = static_cast<std::int32_t>(reader.u32());
  if (timestamp.nanoseconds < 0 || timestamp.nanoseconds >= kNanosecondsEnd) reader.fail();
  // Only what can be written can have been read.
  if (!reader.failed() && event::parse_timestamp(event::to_string(timestamp)) != timestamp) {
    reader.fail();
  }
  return {timestamp};
}

Literal read_string(base::ByteReader& reader) {
  const std::string_view text = reader.text();
  if (base::utf8_valid_prefix_bytes(text) != text.size()) reader.fail();
  return {std::string(text)};
}

Literal read_literal(base::ByteReader& reader) {
  switch (static_cast<LiteralTag>(reader.u8())) {
    case LiteralTag::kBool:
      return {reader.u8() != 0};
    case LiteralTag::kInt:
      return {static_cast<std::int64_t>(reader.u64())};
    case LiteralTag::kDouble:
      return {read_finite(reader)};
    case LiteralTag::kString:
      return read_string(reader);
    case LiteralTag::kTimestamp:
      return read_timestamp(reader);
  }
  reader.fail();
  return {};
}

TermCounts read_document(base::ByteReader& reader) {
  TermCounts document;
  document.frequency_max = reader.varint();
  const std::uint64_t count = reader.count(kTermBytesMin);
  if (count > kDocumentTermCountMax) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    TermCount term{std::string(reader.text()), reader.varint()};
    const bool ascends = document.counts.empty() || document.counts.back().term < term.term;
    if (!ascends || term.frequency == 0 || term.frequency > document.frequency_max) reader.fail();
    document.counts.push_back(std::move(term));
  }
  return document;
}

}  // namespace

std::optional<Sample> sample_of(const filter::Change& change, const event::Event& event,
                                TextReader& reader) {
  if (const auto* const rewords = std::get_if<Rewords>(&change.movement)) {
    auto document = reader.document(rewords->source, event);
    if (!document) return std::nullopt;
    return bounded(std::move(*document));
  }
  const Value value = filter::resolve(change.value, event);
  if (std::holds_alternative<Differs>(change.movement)) return scalar(value);
  if (!is_finite_number(value)) return std::nullopt;
  return value.as_number();
}

Memory remember(const filter::Movement& movement, const Sample& first) {
  const auto* const crosses = std::get_if<Crosses>(&movement);
  if (crosses == nullptr) return memory_of(first);
  return first_side(*crosses, std::get<double>(first));
}

Memory remember(const filter::Movement& movement, const Memory& last, const Sample& current) {
  const auto* const crosses = std::get_if<Crosses>(&movement);
  if (crosses == nullptr) return memory_of(current);
  return side_after(*crosses, std::get<Side>(last), std::get<double>(current));
}

bool is_satisfied(const filter::Movement& movement, const Memory& last, const Sample& current,
                  TextReader& reader) {
  if (const auto* const moves = std::get_if<Moves>(&movement)) {
    return has_moved(*moves, std::get<double>(last), std::get<double>(current));
  }
  if (const auto* const crosses = std::get_if<Crosses>(&movement)) {
    return has_crossed(*crosses, std::get<Side>(last), std::get<double>(current));
  }
  if (const auto* const rewords = std::get_if<Rewords>(&movement)) {
    return exceeds(rewords->distance, reader.distance(rewords->source, std::get<TermCounts>(last),
                                                      std::get<TermCounts>(current)));
  }
  return has_changed(std::get<Literal>(last), std::get<Literal>(current));
}

bool turns_silently(const filter::Movement& movement, const Memory& last, const Sample& current) {
  const auto* const crosses = std::get_if<Crosses>(&movement);
  if (crosses == nullptr) return false;
  const Side side = std::get<Side>(last);
  const double value = std::get<double>(current);
  return side_after(*crosses, side, value) != side && !has_crossed(*crosses, side, value);
}

void write_sample(const Sample& sample, base::ByteWriter& writer) {
  std::visit([&](const auto& held) { write(held, writer); }, sample);
}

void write_memory(const Memory& memory, base::ByteWriter& writer) {
  std::visit([&](const auto& held) { write(held, writer); }, memory);
}

Sample read_sample(const filter::Movement& movement, base::ByteReader& reader) {
  if (std::holds_alternative<Rewords>(movement)) return read_document(reader);
  if (std::holds_alternative<Differs>(movement)) return read_literal(reader);
  return read_finite(reader);
}

Memory read_memory(const filter::Movement& movement, base::ByteReader& reader) {
  if (std::holds_alternative<Crosses>(movement)) return read_side(reader);
  return memory_of(read_sample(movement, reader));
}

}  // namespace weir::match
