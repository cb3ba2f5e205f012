// SPDX-License-Identifier: Apache-2.0
#include "store/segment_format.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error_testing.h"
#include "base/hash.h"
#include "base/source_file_testing.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"
#include "store/log_bounds.h"

namespace weir::store {
namespace {

constexpr RecordPlace kPlace{3, 1000};

std::string record_bytes() {
  std::string bytes;
  append_record(bytes, kPlace,
                {.kind = RecordKind::kNote,
                 .confirmed_bytes = 700,
                 .sequence = 42,
                 .at = {-5},
                 .payload = "payload"});
  return bytes;
}

TEST(SegmentFormatTest, ReadsAHeaderAsItWasWritten) {
  const SegmentHeader header{7, 1'000'000'007, 12345, {-9}};
  const std::string bytes = encode_header(header);
  EXPECT_EQ(bytes.size(), kSegmentHeaderBytes);
  EXPECT_EQ(decode_header(bytes).state, HeaderState::kWhole);
  EXPECT_EQ(decode_header(bytes + "more").header, header);
  SegmentHeader with_notes = header;
  with_notes.previous_note_kib = 77;
  EXPECT_EQ(decode_header(encode_header(with_notes)).header, with_notes);
}

TEST(SegmentFormatTest, NoOtherHeaderIsWhole) {
  const std::string bytes = encode_header({});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(decode_header(bytes.substr(0, i)).state, HeaderState::kDamaged);
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    const bool version = i >= 8 && i < 12;
    EXPECT_EQ(decode_header(damaged).state,
              version ? HeaderState::kUnknownVersion : HeaderState::kDamaged);
  }
}

TEST(SegmentFormatTest, ReadsARecordAsItWasWritten) {
  const std::string bytes = record_bytes() + "more";
  const DecodedRecord decoded = decode_record(bytes, kPlace);
  ASSERT_EQ(decoded.state, RecordState::kWhole);
  EXPECT_EQ(decoded.record.kind, RecordKind::kNote);
  EXPECT_EQ(decoded.record.confirmed_bytes, 700U);
  EXPECT_EQ(decoded.record.sequence, 42U);
  EXPECT_EQ(decoded.record.at.nanoseconds, -5);
  EXPECT_EQ(decoded.record.payload, "payload");
  EXPECT_EQ(decoded.record.size_bytes(), record_bytes().size());
}

TEST(SegmentFormatTest, ARecordIsValidInItsPlaceOnly) {
  const std::string bytes = record_bytes();
  EXPECT_EQ(decode_record(bytes, {3, 1001}).state, RecordState::kDamaged);
  EXPECT_EQ(decode_record(bytes, {4, 1000}).state, RecordState::kDamaged);
}

TEST(SegmentFormatTest, NoOtherRecordIsWhole) {
  const std::string bytes = record_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(decode_record(bytes.substr(0, i), kPlace).state, RecordState::kIncomplete);
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << bit));
      EXPECT_NE(decode_record(damaged, kPlace).state, RecordState::kWhole);
    }
  }
}

TEST(SegmentFormatTest, ALaterRecordProvesWhatWasConfirmedBeforeIt) {
  const std::string bytes = "rubbish" + record_bytes() + "rubbish";
  const RecordPlace begin{3, 1000 - 7};
  EXPECT_TRUE(proves_confirmed(bytes, begin, 699));
  EXPECT_FALSE(proves_confirmed(bytes, begin, 700));
  EXPECT_FALSE(proves_confirmed(bytes.substr(0, 50), begin, 699));
  EXPECT_FALSE(proves_confirmed(bytes.substr(8), {3, 1001}, 699));
}

// The bytes of a golden file: two hexadecimal digits each; # begins a comment.
std::string golden_bytes(const char* file) {
  std::string bytes;
  std::string digits;
  bool comment = false;
  for (const char c : base::read_source_file(file)) {
    comment = c == '#' || (comment && c != '\n');
    if (comment || c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return bytes;
}

constexpr const char* kGoldenFile = "src/store/event_log_golden_v3.txt";
constexpr const char* kOldGoldenFile = "src/store/event_log_golden_v1.txt";
constexpr const char* kGoldenPath = "log/00000000000000000002.log";

TEST(SegmentFormatTest, WritesTheGoldenFile) {
  FaultFileSystem files;
  const auto log = open_log(files, {.segment_bytes = 60});
  ASSERT_TRUE(log->append_event({1'700'000'000'000'000'000}, R"({"id":"1"})"));
  ASSERT_TRUE(log->commit());
  ASSERT_TRUE(log->append_event({1'700'000'000'000'000'001}, R"({"id":"2"})"));
  log->append_note(2, {1'700'000'000'000'000'002}, "note");
  ASSERT_TRUE(log->commit());
  const std::string bytes = files.contents().at(kGoldenPath);
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  EXPECT_TRUE(bytes == golden_bytes(kGoldenFile)) << hex;
}

void expect_golden(FaultFileSystem& files) {
  const auto log = open_log(files);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->first_sequence(), 2U);
  EXPECT_EQ(lines_from(*log, 0).lines,
            (std::vector<std::string>{R"(event 2 at 1700000000000000001: {"id":"2"})",
                                      "note 2 at 1700000000000000002: note"}));
}

TEST(SegmentFormatTest, ReadsTheGoldenFile) {
  FaultFileSystem files;
  files.set_contents({{kGoldenPath, golden_bytes(kGoldenFile)},
                      {kBoundsPath, encode_bounds({.first_segment = 2, .first_sequence = 2})}});
  expect_golden(files);
}

// A log of version 1 has no bounds; they are made.
TEST(SegmentFormatTest, ReadsTheGoldenFileOfVersion1) {
  FaultFileSystem files;
  files.set_contents({{kGoldenPath, golden_bytes(kOldGoldenFile)}});
  expect_golden(files);
  const auto bounds = read_bounds(files, kLogDirectory).value();
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->bounds.first_segment, 2U);
  EXPECT_EQ(bounds->bounds.end_bytes, golden_bytes(kOldGoldenFile).size());
}

// The same segment with a header of version 1.
std::string as_version_1(std::string bytes) {
  bytes[8] = 1;
  base::ByteWriter checksum;
  checksum.u64(base::hash_bytes(std::string_view(bytes).substr(0, kSegmentHeaderBytes - 8)));
  bytes.replace(kSegmentHeaderBytes - 8, 8, checksum.bytes());
  return bytes;
}

// Without room for the bounds, a log that has none is read, and retention makes room.
TEST(SegmentFormatTest, ALogOfVersion1OpensOnAFullDisk) {
  constexpr LogOptions kOptions{.segment_bytes = 60, .retention_bytes = 150};
  FaultFileSystem files;
  auto log = open_log(files, kOptions);
  for (const std::string text : {"a", "b", "c"}) ASSERT_TRUE(commit_events(*log, {text}));
  LogFiles old = segment_files(files);
  ASSERT_EQ(old.size(), 3U);
  std::uint64_t used_bytes = 0;
  for (auto& [path, bytes] : old) {
    bytes = as_version_1(bytes);
    used_bytes += bytes.size();
  }
  files.set_contents(old);
  files.set_capacity(used_bytes);
  for (int i = 0; i < 2; ++i) {
    log = open_log(files, kOptions);
    ASSERT_TRUE(log);
    EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b", "c"}));
    EXPECT_THAT(base::describe(commit_events(*log, {"lost"})), testing::StartsWith("store.full"));
  }
  EXPECT_EQ(segment_files(files).size(), 3U) << "no segment without bounds";
  EXPECT_EQ(log->retain({0}).value(), 2U);
  log = open_log(files, kOptions);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->first_sequence(), 3U);
  files.set_capacity(10'000);
  ASSERT_TRUE(commit_events(*log, {"d"}));
  log = open_log(files, kOptions);
  ASSERT_TRUE(log);
  EXPECT_EQ(lines_from(*log, 3).lines.size(), 2U);
  LogFiles without = files.contents();
  ASSERT_EQ(without.erase(kBoundsPath), 1U);
  files.set_contents(without);
  EXPECT_THAT(base::describe(EventLog::open(files, kLogDirectory, kOptions)),
              testing::StartsWith("store.incomplete - log/BOUNDS is missing"));
}

TEST(SegmentFormatTest, TheDocumentShowsTheGoldenFile) {
  EXPECT_NE(
      base::read_source_file("docs/formats/event_log.md").find(base::read_source_file(kGoldenFile)),
      std::string::npos);
}

}  // namespace
}  // namespace weir::store
