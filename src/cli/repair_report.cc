// SPDX-License-Identifier: Apache-2.0
#include "cli/repair_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "cli/text_output.h"
#include "event/json_writer.h"

namespace weir::cli {
namespace {

using broker::LostDeliveries;
using broker::LostNotes;
using store::LostRecords;
using store::LostRow;

std::string numbers_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

std::string to_text(const LostRecords& lost) {
  const std::string place =
      fmt::format("{} at offset {}, {} bytes", lost.file, lost.offset_bytes, grouped(lost.bytes));
  if (lost.first_sequence >= lost.next_sequence) {
    return fmt::format("lost: no event, but notes on deliveries ({})\n", place);
  }
  const bool is_one = lost.first_sequence + 1 == lost.next_sequence;
  return fmt::format("lost: event{} {}, and notes on deliveries ({})\n", is_one ? "" : "s",
                     numbers_text(lost.first_sequence, lost.next_sequence - 1), place);
}

std::string to_text(const LostDeliveries& lost) {
  std::string numbers;
  for (const auto& [first, last] : lost.ranges) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", numbers_text(first, last));
  }
  return fmt::format("lost: deliveries {} of subscription '{}'; they count as expired\n", numbers,
                     printable(lost.id));
}

std::string to_text(const LostNotes& lost) {
  return fmt::format(
      "lost: notes on deliveries of events {}: pending deliveries of these events{} are lost. They "
      "are listed by number, but for the last ones of a subscription\n",
      numbers_text(lost.first_sequence, lost.last_sequence),
      lost.is_of_states_only ? " to filters with state" : "");
}

std::string to_text(const LostRow& lost) {
  return fmt::format("lost: table {}, {}: {}\n", lost.table, printable(lost.key),
                     printable(lost.reason));
}

void append_json(const LostRecords& lost, std::string& out) {
  event::JsonObject object(out);
  object.member("file", lost.file);
  object.member("offset", lost.offset_bytes);
  object.member("bytes", lost.bytes);
  if (lost.first_sequence < lost.next_sequence) {
    object.member("first_sequence", lost.first_sequence);
    object.member("last_sequence", lost.next_sequence - 1);
  }
  object.close();
}

void append_json(const LostDeliveries& lost, std::string& out) {
  event::JsonObject object(out);
  object.member("subscription", lost.subscription);
  object.member("id", lost.id);
  object.name("ranges");
  out += '[';
  for (const auto& [first, last] : lost.ranges) {
    out += fmt::format("{}[{},{}]", out.back() == '[' ? "" : ",", first, last);
  }
  out += ']';
  object.close();
}

void append_json(const LostNotes& lost, std::string& out) {
  event::JsonObject object(out);
  object.member("first_sequence", lost.first_sequence);
  object.member("last_sequence", lost.last_sequence);
  object.member("states_only", lost.is_of_states_only);
  object.close();
}

void append_json(const LostRow& lost, std::string& out) {
  event::JsonObject object(out);
  object.member("table", lost.table);
  object.member("key", lost.key);
  object.member("reason", lost.reason);
  object.close();
}

template <typename List>
void append_list(event::JsonObject& object, std::string_view name, const List& list,
                 std::string& out) {
  object.name(name);
  out += '[';
  for (const auto& one : list) {
    if (out.back() != '[') out += ',';
    append_json(one, out);
  }
  out += ']';
}

}  // namespace

std::string repair_text(const broker::RepairReport& report, const std::string& directory) {
  if (report.originals.empty()) {
    return fmt::format("{}: nothing is damaged; nothing was changed\n", directory);
  }
  std::string text;
  for (const LostRecords& lost : report.records) text += to_text(lost);
  for (const LostNotes& lost : report.notes) text += to_text(lost);
  for (const LostDeliveries& lost : report.deliveries) text += to_text(lost);
  for (const LostRow& lost : report.registry.rows) text += to_text(lost);
  if (report.registry.transaction_count > 0) {
    text += fmt::format(
        "lost: {} changes to the registry, to {}: what was acknowledged by them comes again, and "
        "tokens that they revoked are valid again: look at weir token list\n",
        grouped(report.registry.transaction_count),
        report.registry.transaction_tables.empty() ? "unknown tables"
                                                   : report.registry.transaction_tables);
  }
  if (text.empty()) text = "nothing is lost\n";
  for (const std::string& file : report.changed) text += fmt::format("changed: {}\n", file);
  return text + fmt::format("{}: repaired; the files as they were are in {}\n", directory,
                            report.originals.native());
}

std::string repair_json(const broker::RepairReport& report, const std::string& directory) {
  std::string out;
  event::JsonObject object(out);
  object.member("directory", directory);
  object.member("repaired", !report.originals.empty());
  object.member("originals", report.originals.native());
  object.name("changed");
  event::append_json(report.changed, out);
  append_list(object, "lost_records", report.records, out);
  append_list(object, "lost_notes", report.notes, out);
  append_list(object, "lost_deliveries", report.deliveries, out);
  append_list(object, "lost_rows", report.registry.rows, out);
  object.member("lost_transactions", report.registry.transaction_count);
  object.member("lost_transaction_tables", report.registry.transaction_tables);
  object.close();
  return out + '\n';
}

}  // namespace weir::cli
