// SPDX-License-Identifier: Apache-2.0
#include "store/registry_examiner.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "store/chunks.h"
#include "store/database.h"
#include "store/registry_file.h"
#include "store/registry_numbers.h"
#include "store/registry_schema.h"
#include "store/registry_sum.h"
#include "store/registry_tables.h"

namespace weir::store {
namespace {

using base::Result;

constexpr const char* kRestore =
    "copy registry.sqlite and registry.sqlite-wal again, both while no broker runs, or restore the "
    "last backup";

constexpr const char* kRepair =
    "copy registry.sqlite, registry.sqlite-wal and registry.sqlite-numbers again, all while no "
    "broker runs, or restore the last backup";

class Examiner {
 public:
  Examiner(const RegistrySource& source, RegistryVisitor& visitor, Findings& findings)
      : file_(source.file), running_(source.running), visitor_(visitor), findings_(findings) {}

  RegistryExamination run() {
    if (auto examined = examine(); !examined) {
      result_.version = 0;
      add(Severity::kDamage, examined.error().message,
          "a broker does not start, or not with all subscriptions and tokens", kRestore);
    }
    return result_;
  }

 private:
  Result<void> examine() {
    // Before the registry, so that one that is written meanwhile never knows less.
    numbers_ = read_numbers(file_);
    const auto found = inspect_registry_file(file_);
    if (!found) return found.error();
    if (*found == RegistryFile::kNew) {
      if (!numbers_ || *numbers_) return check_number();
      add(Severity::kWarning, "there is no registry", "no subscription and no token is known",
          "nothing if no broker ran here yet; else copy it from where the log came from");
      return {};
    }
    auto database = Database::open(file_, {.read_only = true, .alone = !running_});
    if (!database) return database.error();
    database_ = *std::move(database);
    const auto snapshot = Transaction::begin(*database_, Transaction::Kind::kRead);
    if (!snapshot) return snapshot.error();
    const auto version = registry_version(*database_);
    if (!version) return version.error();
    if (auto checked = check_pages(); !checked) return checked;
    result_.version = *version;
    if (*version == kRegistryVersion) return examine_rows();
    add(Severity::kNote, fmt::format("the registry has version {}", *version),
        "its rows were not examined",
        fmt::format("nothing: a broker makes it one of version {} when it starts",
                    kRegistryVersion));
    return {};
  }

  Result<void> check_pages() {
    auto query = database_->query("PRAGMA integrity_check(100)");
    if (!query) return query.error();
    while (true) {
      const auto there = query->step();
      if (!there) return there.error();
      if (!*there) break;
      const std::string text = query->column_text(0);
      if (text == "ok") continue;
      add(Severity::kDamage, fmt::format("the database is damaged: {}", text),
          "a broker does not start", kRestore);
    }
    if (auto checked = check_structure(*database_); !checked) {
      add(Severity::kDamage, checked.error().message, "a broker does not start", kRestore);
    }
    return {};
  }

  Result<void> examine_rows() {
    for (const auto part :
         {&Examiner::check_sum, &Examiner::read_meta, &Examiner::check_number,
          &Examiner::check_references, &Examiner::read_subscriptions, &Examiner::read_cursors,
          &Examiner::read_tokens, &Examiner::read_dead_letters, &Examiner::read_replays,
          &Examiner::check_chunks, &Examiner::check_checkpoints}) {
      if (auto done = (this->*part)(); !done) return done;
    }
    return {};
  }

  Result<void> check_sum() {
    std::uint64_t damaged_count = 0;
    const auto equal = check_registry_sum(*database_, [&](const CheckedRows& row) {
      ++damaged_count;
      add(Severity::kDamage, row.damage().message, "a broker does not start", kRestore);
    });
    if (!equal) return equal.error();
    if (*equal || damaged_count > 0) return {};
    add(Severity::kDamage, "rows are missing or old: their checksums do not add up",
        "a broker does not start", kRestore);
    return {};
  }

  // Every transaction that was confirmed must be in the registry.
  Result<void> check_number() {
    if (!numbers_) {
      add_numbers(numbers_.error().message);
    } else if (!*numbers_) {
      add_numbers("the file is missing: nothing tells whether all transactions are there");
    } else if (auto checked = store::check_number(file_, result_.transaction_number, **numbers_);
               !checked) {
      add_numbers(checked.error().message);
    } else if ((*numbers_)->damaged_count > 0) {
      findings_.add({.severity = Severity::kWarning,
                     .file = numbers_file(file_).filename(),
                     .what = fmt::format("{} of {} slots are damaged", (*numbers_)->damaged_count,
                                         kNumberSlotCount),
                     .consequence = "nothing is lost",
                     .advice = "nothing: later transactions write them anew"});
    }
    return {};
  }

  void add_numbers(std::string what) {
    findings_.add({.file = numbers_file(file_).filename(),
                   .what = std::move(what),
                   .consequence = "a broker does not start",
                   .advice = kRepair});
  }

  template <typename Take>
  Result<void> for_each(std::string_view sql, Take take) {
    auto query = database_->query(sql);
    if (!query) return query.error();
    while (true) {
      const auto there = query->step();
      if (!there) return there.error();
      if (!*there) return {};
      take(*query);
    }
  }

  Result<void> read_meta() {
    return for_each("SELECT name, value FROM meta", [this](const Statement& row) {
      const std::string name = row.column_text(0);
      const std::uint64_t value = row.column_number(1);
      if (name == "identity") result_.identity = value;
      if (name == "log_sequence") result_.log_sequence = value;
      if (name == "checkpoint_sequence") result_.checkpoint_sequence = value;
      if (name == "last_subscription_number") result_.last_subscription_number = value;
      if (name == "transaction_number") result_.transaction_number = value;
    });
  }

  Result<void> check_references() {
    return for_each("PRAGMA foreign_key_check", [this](const Statement& row) {
      add(Severity::kDamage,
          fmt::format("a row of table {} belongs to nothing", row.column_text(0)),
          "something that belonged together was lost in part", kRestore);
    });
  }

  Result<void> read_subscriptions() {
    return for_each(
        "SELECT number, id, owner, definition, created_ns, since_sequence FROM subscriptions"
        " ORDER BY number",
        [this](const Statement& row) {
          ++result_.subscription_count;
          const SubscriptionRow subscription{.number = row.column_number(0),
                                             .id = row.column_text(1),
                                             .owner = row.column_text(2),
                                             .definition = row.column_text(3),
                                             .created = {row.column_integer(4)},
                                             .since_sequence = row.column_number(5)};
          if (subscription.number > result_.last_subscription_number) {
            add(Severity::kDamage,
                fmt::format("subscription '{}' has number {}, but the highest given is {}",
                            subscription.id, subscription.number, result_.last_subscription_number),
                "a number may be given twice", kRestore);
          }
          visitor_.on_subscription(subscription);
        });
  }

  Result<void> read_cursors() {
    return for_each(
        "SELECT subscription, settled_through, settled_beyond, scan_sequence, acknowledged,"
        " dropped, expired, conflated, dead_letters, withheld FROM cursors ORDER BY subscription",
        [this](const Statement& row) {
          const CursorRow cursor = read_cursor(row);
          check_counts(cursor);
          visitor_.on_cursor(cursor);
        });
  }

  void check_counts(const CursorRow& cursor) {
    const auto beyond = settled_beyond_count(cursor.settled_beyond);
    if (beyond && cursor.counts.total() == cursor.settled_through + *beyond) return;
    const std::string what =
        beyond ? fmt::format(
                     "the counts of subscription number {} add up to {}, but {} deliveries "
                     "are settled",
                     cursor.subscription, cursor.counts.total(), cursor.settled_through + *beyond)
               : fmt::format("subscription number {}: {}", cursor.subscription,
                             beyond.error().message);
    add(Severity::kDamage, what, "what its status tells of losses is wrong", kRestore);
  }

  Result<void> read_tokens() {
    return for_each("SELECT name, grants FROM tokens ORDER BY name", [this](const Statement& row) {
      ++result_.token_count;
      visitor_.on_token(row.column_text(0), row.column_text(1));
    });
  }

  Result<void> read_dead_letters() {
    return for_each(
        "SELECT subscription, delivery, at_ns, reason, events FROM dead_letters"
        " ORDER BY subscription, delivery",
        [this](const Statement& row) {
          ++result_.dead_letter_count;
          visitor_.on_dead_letter({.subscription = row.column_number(0),
                                   .delivery = row.column_number(1),
                                   .at = {row.column_integer(2)},
                                   .reason = row.column_text(3),
                                   .events = row.column_text(4)});
        });
  }

  Result<void> read_replays() {
    return for_each("SELECT subscription, next_sequence FROM replays",
                    [this](const Statement& row) {
                      visitor_.on_replay(row.column_number(0), row.column_number(1));
                    });
  }

  // A chunk's name is the hash of its bytes.
  Result<void> check_chunks() {
    return for_each("SELECT subscription, name, bytes FROM checkpoint_chunks",
                    [this](const Statement& row) {
                      if (chunk_name(row.column_text(2)) == row.column_text(1)) return;
                      report_state(row.column_number(0), "a chunk fails its checksum");
                    });
  }

  Result<void> check_checkpoints() {
    return for_each("SELECT subscription, chunks FROM checkpoints", [&](const Statement& row) {
      const std::string names = row.column_text(1);
      if (names.size() % kChunkNameBytes != 0) {
        report_state(row.column_number(0), "its list of chunks is malformed");
      }
      for (std::size_t i = 0; i + kChunkNameBytes <= names.size(); i += kChunkNameBytes) {
        const std::string_view name = std::string_view(names).substr(i, kChunkNameBytes);
        const auto there = has_chunk(row.column_number(0), name);
        if (there && !*there) report_state(row.column_number(0), "a chunk is missing");
      }
    });
  }

  Result<bool> has_chunk(std::uint64_t subscription, std::string_view name) {
    auto find = database_->query(
        "SELECT count(*) FROM checkpoint_chunks WHERE subscription = ?1 AND name = ?2");
    if (!find) return find.error();
    const auto there = find->number(subscription).blob(name).step();
    if (!there) return there.error();
    return find->column_integer(0) > 0;
  }

  void report_state(std::uint64_t subscription, std::string_view how) {
    add(Severity::kDamage,
        fmt::format("the state of subscription number {} cannot be used: {}", subscription, how),
        "a broker does not start", kRestore);
  }

  static CursorRow read_cursor(const Statement& row) {
    return {.subscription = row.column_number(0),
            .settled_through = row.column_number(1),
            .scan_sequence = row.column_number(3),
            .settled_beyond = row.column_text(2),
            .counts = {.acknowledged = row.column_number(4),
                       .dropped = row.column_number(5),
                       .expired = row.column_number(6),
                       .conflated = row.column_number(7),
                       .dead_letters = row.column_number(8),
                       .withheld = row.column_number(9)}};
  }

  void add(Severity severity, std::string what, std::string consequence, std::string advice) {
    findings_.add({.severity = severity,
                   .file = file_.filename(),
                   .what = std::move(what),
                   .consequence = std::move(consequence),
                   .advice = std::move(advice)});
  }

  const std::filesystem::path& file_;
  bool running_;
  RegistryVisitor& visitor_;
  Findings& findings_;
  std::unique_ptr<Database> database_;
  RegistryExamination result_;
  Result<std::optional<RecordedNumbers>> numbers_;
};

}  // namespace

base::Result<std::uint64_t> settled_beyond_count(std::string_view ranges) {
  base::ByteReader reader(ranges);
  std::uint64_t count = 0;
  while (reader.rest_bytes() > 0 && !reader.failed()) {
    reader.varint();
    count += reader.varint() + 1;
  }
  if (!reader.failed()) return count;
  return base::Error{base::ErrorId::kStoreCorrupt, "the ranges of settled deliveries are malformed",
                     std::nullopt};
}

RegistryExamination examine_registry(const RegistrySource& source, RegistryVisitor& visitor,
                                     Findings& findings) {
  return Examiner(source, visitor, findings).run();
}

}  // namespace weir::store
