// SPDX-License-Identifier: Apache-2.0
// The first byte chooses: the rest is a segment as it stands; or records are made of it, valid
// ones, which the end of the input then damages. Either the log refuses the file, or what it gives
// is the same by all ways, and stays the same when the log is written further and opened again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "store/event_log.h"
#include "store/fault_file_system_testing.h"
#include "store/log_bounds.h"
#include "store/segment_format.h"

namespace {

using namespace weir::store;

constexpr const char* kPath = "log/00000000000000000001.log";

// Each pair of bytes makes a record; commits begin where the first has its high bit.
std::string make_segment(std::string_view input) {
  std::string bytes = encode_header({});
  std::uint64_t confirmed_bytes = bytes.size();
  std::uint64_t sequence = 1;
  for (; input.size() > 4; input.remove_prefix(2)) {
    const auto choice = static_cast<unsigned char>(input[0]);
    const bool is_event = (choice & 1U) != 0;
    if ((choice & 0x80U) != 0) confirmed_bytes = bytes.size();
    if ((choice & 0x40U) != 0) ++sequence;  // a gap
    append_record(bytes, {1, bytes.size()},
                  {.kind = is_event ? RecordKind::kEvent : RecordKind::kNote,
                   .confirmed_bytes = confirmed_bytes,
                   .sequence = sequence,
                   .at = {choice},
                   .payload = input.substr(1, choice & 3U)});
    if (is_event) ++sequence;
  }
  if (input.size() == 4) {
    const std::size_t place =
        static_cast<unsigned char>(input[0]) * 256U + static_cast<unsigned char>(input[1]);
    bytes[place % bytes.size()] = input[2];
    if ((input[3] & 1) != 0) bytes.resize(bytes.size() - place % bytes.size());
  }
  return bytes;
}

bool same(const LogRecord& a, const LogRecord& b) {
  return a.kind == b.kind && a.sequence == b.sequence && a.at == b.at && a.payload == b.payload;
}

std::vector<LogRecord> all_records(const EventLog& log) {
  std::vector<LogRecord> records;
  LogReader reader = log.reader(0);
  for (;;) {
    auto record = reader.next();
    WEIR_CHECK(record.has_value());  // there is one segment, and it was checked
    if (!*record) return records;
    records.push_back(**record);
  }
}

void check_lookup(const EventLog& log, const std::vector<LogRecord>& records) {
  std::uint64_t sequence = log.first_sequence();
  for (const LogRecord& record : records) {
    if (record.kind != RecordKind::kEvent) continue;
    WEIR_CHECK(record.sequence >= sequence);  // those between are lost
    const auto found = log.read(std::vector{record.sequence});
    WEIR_CHECK(found.has_value() && found->front().has_value());
    WEIR_CHECK(same(*found->front(), record));
    sequence = record.sequence + 1;
  }
  WEIR_CHECK(log.next_sequence() >= sequence);
}

void check_again(FaultFileSystem& files, const std::vector<LogRecord>& records) {
  const auto log = EventLog::open(files, "log", {});
  WEIR_CHECK(log.has_value() && (*log)->recovery().torn_bytes == 0);
  const std::vector<LogRecord> again = all_records(**log);
  WEIR_CHECK(again.size() == records.size() + 1 && again.back().payload == "more");
  for (std::size_t i = 0; i < records.size(); ++i) WEIR_CHECK(same(again[i], records[i]));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string input(data + 1, data + size);
  FaultFileSystem files;
  files.set_contents({{kPath, data[0] % 2 == 0 ? input : make_segment(input)},
                      {"log/BOUNDS", encode_bounds({.first_segment = UINT64_MAX})}});
  auto log = EventLog::open(files, "log", {});
  if (!log) {
    WEIR_CHECK(log.error().message.find(kPath) != std::string::npos);
    return 0;
  }
  const std::vector<LogRecord> records = all_records(**log);
  check_lookup(**log, records);
  if ((*log)->next_sequence() == UINT64_MAX) return 0;
  WEIR_CHECK((*log)->append_event({1}, "more").has_value());
  WEIR_CHECK((*log)->commit().has_value());
  log->reset();
  check_again(files, records);
  return 0;
}
