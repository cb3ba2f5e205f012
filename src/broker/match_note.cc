// SPDX-License-Identifier: Apache-2.0
#include "broker/match_note.h"

namespace weir::broker {
namespace {

constexpr std::uint8_t kVersion = 2;
constexpr std::uint8_t kVersionWithoutAnnotations = 1;
constexpr std::uint8_t kComplete = 1;
constexpr std::size_t kMatchBytesMin = 4;

base::Error corrupt(std::string message) {
  return {base::ErrorId::kStoreCorrupt, std::move(message), std::nullopt};
}

}  // namespace

base::Result<MatchNote> decode_match_note(std::string_view bytes) {
  base::ByteReader reader(bytes);
  const std::uint8_t version = reader.u8();
  const std::uint8_t flags = reader.u8();
  if (reader.failed()) return corrupt("a note on matches ends before its count");
  if (version != kVersion && version != kVersionWithoutAnnotations) {
    return base::Error{
        base::ErrorId::kStoreVersion,
        "a note on matches has version " + std::to_string(version) + ", expected 1 or 2",
        std::nullopt};
  }
  if (flags > kComplete) return corrupt("a note on matches has unknown flags");
  MatchNote note{.complete = flags == kComplete, .matches = {}};
  const std::uint64_t count = reader.count(kMatchBytesMin);
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    NotedMatch match{.subscription = reader.varint(), .delivery = reader.varint(), .sequences = {}};
    const std::uint64_t sequence_count = reader.count(1);
    for (std::uint64_t k = 0; k < sequence_count; ++k) match.sequences.push_back(reader.varint());
    if (match.sequences.empty()) reader.fail();
    if (version == kVersion) match.annotation = reader.text();
    note.matches.push_back(std::move(match));
  }
  if (!reader.done()) return corrupt("a note on matches is malformed");
  return note;
}

void MatchNoteWriter::add(std::uint64_t subscription, std::uint64_t delivery,
                          std::span<const std::uint64_t> sequences, std::string_view annotation) {
  matches_.varint(subscription);
  matches_.varint(delivery);
  matches_.varint(sequences.size());
  for (const std::uint64_t sequence : sequences) matches_.varint(sequence);
  matches_.text(annotation);
  ++count_;
}

void MatchNoteWriter::add(const MatchNoteWriter& other) {
  matches_.raw(other.matches_.bytes());
  count_ += other.count_;
}

std::string MatchNoteWriter::finish(bool complete) const {
  base::ByteWriter note;
  note.u8(kVersion);
  note.u8(complete ? kComplete : 0);
  note.varint(count_);
  note.raw(matches_.bytes());
  return note.take();
}

}  // namespace weir::broker
