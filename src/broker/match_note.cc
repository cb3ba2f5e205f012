// SPDX-License-Identifier: Apache-2.0
#include "broker/match_note.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "broker/old_annotation.h"

namespace weir::broker {
namespace {

constexpr std::uint8_t kVersion = 4;
constexpr std::uint8_t kVersionWithAnnotations = 3;
constexpr std::uint8_t kVersionWithoutMarks = 2;
constexpr std::uint8_t kVersionWithoutAnnotations = 1;
constexpr std::uint8_t kComplete = 1;
constexpr std::uint8_t kPartial = 2;
constexpr std::size_t kMatchBytesMin = 4;
constexpr std::size_t kShareBytesMin = 2;
constexpr std::uint64_t kGroupBit = 1;
constexpr std::uint64_t kTextBit = 2;
constexpr std::uint64_t kHeadBits = 4;
constexpr std::uint64_t kSequenceMax = std::numeric_limits<std::uint64_t>::max() / 2;
constexpr std::uint64_t kGroupSequenceMax = kSequenceMax / 4;  // a distance that is doubled fits

base::Error corrupt(std::string message) {
  return {base::ErrorId::kStoreCorrupt, std::move(message), std::nullopt};
}

std::uint64_t to_distance(std::uint64_t base, std::uint64_t sequence) {
  return sequence <= base ? 2 * (base - sequence) : 2 * (sequence - base) - 1;
}

std::uint64_t from_distance(std::uint64_t base, std::uint64_t distance) {
  return distance % 2 == 0 ? base - distance / 2 : base + distance / 2 + 1;
}

// Reads versions 1 to 3.
class OldReader {
 public:
  OldReader(std::uint8_t version, base::ByteReader& reader) : version_(version), reader_(reader) {}

  void read(MatchNote& note) {
    const std::uint64_t count = reader_.count(kMatchBytesMin);
    for (std::uint64_t i = 0; i < count && !reader_.failed(); ++i) {
      NotedMatch match{
          .subscription = reader_.varint(), .delivery = reader_.varint(), .sequences = {}};
      read_events(match);
      if (match.sequences.empty()) reader_.fail();
      if (version_ > kVersionWithoutAnnotations) match.text = read_old_annotation(reader_.text());
      note.matches.push_back(std::move(match));
    }
  }

 private:
  void read_events(NotedMatch& match) {
    const bool has_marks = version_ > kVersionWithoutMarks;
    const std::uint64_t marked_count = reader_.varint();
    const std::uint64_t count = has_marks ? marked_count / 2 : marked_count;
    match.is_group = has_marks ? marked_count % 2 == 1 : count > 1;
    for (std::uint64_t i = 0; i < count && !reader_.failed(); ++i) {
      const std::uint64_t marked = reader_.varint();
      match.sequences.push_back(has_marks ? marked / 2 : marked);
      if (has_marks && marked % 2 == 1) match.repeated.push_back(static_cast<std::uint32_t>(i));
      if (match.sequences.back() > (match.is_group ? kGroupSequenceMax : kSequenceMax)) {
        reader_.fail();
      }
    }
    if (!match.is_group && (count > 1 || !match.repeated.empty())) reader_.fail();
  }

  std::uint8_t version_;
  base::ByteReader& reader_;
};

class Reader {
 public:
  explicit Reader(base::ByteReader& reader) : reader_(reader) {}

  void read(MatchNote& note) {
    base_ = reader_.varint();
    if (base_ > kGroupSequenceMax) reader_.fail();
    while (!reader_.failed() && reader_.rest_bytes() > 0) {
      const std::uint64_t head = reader_.varint();
      if (head == 0) {
        read_shares();
      } else {
        note.matches.push_back(read_match(head));
      }
    }
  }

 private:
  void read_shares() {
    match::TextShares shares{.epoch = reader_.varint()};
    for (auto count = reader_.count(kShareBytesMin); count > 0 && !reader_.failed(); --count) {
      std::string term(reader_.text());
      shares.terms.insert_or_assign(std::move(term), reader_.varint());
    }
    shares_.push_back(std::make_shared<const match::TextShares>(std::move(shares)));
  }

  NotedMatch read_match(std::uint64_t head) {
    NotedMatch match{
        .subscription = reader_.varint(), .delivery = reader_.varint(), .sequences = {}};
    match.is_group = (head & kGroupBit) != 0;
    const std::uint64_t count = head / kHeadBits;
    if (count == 0 || (count > 1 && !match.is_group)) reader_.fail();
    for (std::uint64_t i = 0; i < count && !reader_.failed(); ++i) read_event(i, match);
    if ((head & kTextBit) != 0) match.text = read_text();
    return match;
  }

  void read_event(std::uint64_t index, NotedMatch& match) {
    std::uint64_t distance = reader_.varint();
    if (match.is_group) {
      if (distance % 2 == 1) match.repeated.push_back(static_cast<std::uint32_t>(index));
      distance /= 2;
    }
    const std::uint64_t sequence = from_distance(base_, distance);
    if (sequence > (match.is_group ? kGroupSequenceMax : kSequenceMax)) reader_.fail();
    match.sequences.push_back(sequence);
  }

  match::TextFinding read_text() {
    const std::uint64_t about = reader_.varint();
    const std::uint64_t shares_ago = reader_.varint();
    const std::uint64_t score = reader_.varint();
    const bool is_there = shares_ago >= 1 && shares_ago <= shares_.size();
    if (!is_there || about > std::numeric_limits<std::uint32_t>::max()) {
      reader_.fail();
      return {};
    }
    return {shares_[shares_.size() - shares_ago], static_cast<std::uint32_t>(about), score};
  }

  base::ByteReader& reader_;
  std::uint64_t base_ = 0;
  std::vector<std::shared_ptr<const match::TextShares>> shares_;
};

}  // namespace

base::Result<MatchNote> decode_match_note(std::string_view bytes) {
  base::ByteReader reader(bytes);
  const std::uint8_t version = reader.u8();
  const std::uint8_t flags = reader.u8();
  if (reader.failed()) return corrupt("a note on matches ends before its deliveries");
  if (version < kVersionWithoutAnnotations || version > kVersion) {
    return base::Error{
        base::ErrorId::kStoreVersion,
        "a note on matches has version " + std::to_string(version) + ", expected 1 to 4",
        std::nullopt};
  }
  const std::uint8_t flag_max = version > kVersionWithAnnotations ? kPartial : kComplete;
  if (flags > flag_max) return corrupt("a note on matches has unknown flags");
  MatchNote note{.complete = flags == kComplete, .partial = flags == kPartial, .matches = {}};
  if (version > kVersionWithAnnotations) {
    Reader(reader).read(note);
  } else {
    OldReader(version, reader).read(note);
  }
  if (!reader.done()) return corrupt("a note on matches is malformed");
  return note;
}

void MatchNoteWriter::begin_part() {
  parts_.emplace_back();
  shares_.clear();
}

void MatchNoteWriter::add(std::uint64_t subscription, std::uint64_t delivery,
                          const Content& content) {
  if (parts_.empty() || parts_.back().size() >= note_bytes_max_) begin_part();
  if (content.text) add_text(content.text);
  base::ByteWriter& part = parts_.back();
  const std::size_t count = content.sequences.size();
  const bool is_group = content.is_group || count > 1;
  part.varint(kHeadBits * count + (is_group ? kGroupBit : 0) + (content.text ? kTextBit : 0));
  part.varint(subscription);
  part.varint(delivery);
  add_sequences(content);
  if (!content.text) return;
  const auto found = std::ranges::find(shares_, content.text.shares);
  part.varint(content.text.about);
  part.varint(static_cast<std::uint64_t>(shares_.end() - found));
  part.varint(content.text.score);
}

void MatchNoteWriter::add_sequences(const Content& content) {
  base::ByteWriter& part = parts_.back();
  const std::size_t count = content.sequences.size();
  if (!content.is_group && count == 1) {
    return part.varint(to_distance(base_, content.sequences.front()));
  }
  auto repeated = content.repeated.begin();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_repeated = repeated != content.repeated.end() && *repeated == i;
    if (is_repeated) ++repeated;
    part.varint(2 * to_distance(base_, content.sequences[i]) + (is_repeated ? 1 : 0));
  }
}

// Shares stand before the first delivery of their note that refers to them.
void MatchNoteWriter::add_text(const match::TextFinding& text) {
  constexpr std::size_t kSharesKeptMax = 64;  // in mind; rarely has an event more corpora
  if (std::ranges::find(shares_, text.shares) != shares_.end()) return;
  if (shares_.size() == kSharesKeptMax) shares_.erase(shares_.begin());
  shares_.push_back(text.shares);
  base::ByteWriter& part = parts_.back();
  part.varint(0);
  part.varint(text.shares->epoch);
  part.varint(text.shares->terms.size());
  for (const auto& [term, share] : text.shares->terms) {
    part.text(term);
    part.varint(share);
  }
}

void MatchNoteWriter::add(const MatchNoteWriter& other) {
  WEIR_CHECK(other.base_ == base_);
  for (const base::ByteWriter& part : other.parts_) {
    const bool fits = !parts_.empty() && parts_.back().size() + part.size() <= note_bytes_max_;
    if (!fits) parts_.emplace_back();
    parts_.back().raw(part.bytes());
  }
  shares_.clear();
}

std::vector<std::string> MatchNoteWriter::finish(End end) const {
  std::vector<std::string> notes;
  const std::size_t count = std::max<std::size_t>(parts_.size(), 1);
  for (std::size_t i = 0; i < count; ++i) {
    const End ends = i + 1 == count ? end : End::kPartial;
    base::ByteWriter note;
    note.u8(kVersion);
    note.u8(static_cast<std::uint8_t>(ends));
    note.varint(base_);
    if (i < parts_.size()) note.raw(parts_[i].bytes());
    notes.push_back(note.take());
  }
  return notes;
}

}  // namespace weir::broker
