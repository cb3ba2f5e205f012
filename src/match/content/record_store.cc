// SPDX-License-Identifier: Apache-2.0
#include "match/content/record_store.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::match::content {

unsigned RecordStore::kind_of(const CodeTest& test) {
  if (test.is_detail()) return kDetail;
  if (test.span == 0) return kEqual;
  return test.is_not_equal() ? kNotEqual : kRange;
}

std::size_t RecordStore::test_words(const std::uint32_t* record) {
  const std::size_t test_count = record[1] & 0xFFU;
  std::size_t count = (test_count + 1) / 2;
  for (std::size_t i = 0; i < test_count; ++i) {
    const unsigned kind = column_word(record, i) >> kKindShift;
    count += kind == kRange || kind == kDetail ? 2U : 1U;
  }
  return count;
}

std::size_t RecordStore::optional_words(std::uint32_t flags) {
  return static_cast<std::size_t>(
      std::popcount(flags & (kHasUpperHalf | kHasConjunction | kHasExtra | kHasNext)));
}

void RecordStore::add_chunk() {
  // The first may stay nearly empty.
  using Pages = bloom::LineBuffer::Pages;
  buffers_.emplace_back(kChunkWords * sizeof(std::uint32_t) / bloom::kLineBytes,
                        buffers_.empty() ? Pages::kSmall : Pages::kHuge);
  chunks_.push_back(reinterpret_cast<std::uint32_t*>(buffers_.back().data()));
  chunk_used_words_ = 0;
}

// Written in one go behind all others: its length is known only then. If there was one as long that
// was removed, it moves there.
RecordRef RecordStore::add(const Contents& contents) {
  WEIR_CHECK(contents.tests.size() <= kTestCountMax);
  std::uint32_t flags = static_cast<std::uint32_t>(contents.tests.size());
  const auto upper_half = static_cast<std::uint32_t>(contents.match.subscription.value >> 32U);
  if (upper_half != 0) flags |= kHasUpperHalf;
  if (contents.match.conjunction != 0) flags |= kHasConjunction;
  if (contents.extra != kNoId) flags |= kHasExtra;
  if (contents.next != kNoId) flags |= kHasNext;
  if (chunk_used_words_ + kWordsMax > kChunkWords) add_chunk();
  std::uint32_t* const record = chunks_.back() + chunk_used_words_;
  record[0] = static_cast<std::uint32_t>(contents.match.subscription.value);
  record[1] = flags;
  record[2] = 0;
  std::uint32_t* at = write_tests(contents.tests, record + kHeaderWords);
  if ((flags & kHasUpperHalf) != 0) *at++ = upper_half;
  if ((flags & kHasConjunction) != 0) *at++ = contents.match.conjunction;
  if ((flags & kHasExtra) != 0) *at++ = contents.extra;
  if ((flags & kHasNext) != 0) *at++ = contents.next;
  const auto word_count = static_cast<std::size_t>(at - record);
  ++record_count_;
  if (word_count < free_.size() && !free_[word_count].empty()) {
    const RecordRef ref = free_[word_count].back();
    free_[word_count].pop_back();
    std::copy_n(record, word_count, words(ref));
    return ref;
  }
  const std::size_t ref = (chunks_.size() - 1) * kChunkWords + chunk_used_words_;
  WEIR_CHECK(ref + word_count < kNoId);
  chunk_used_words_ += word_count;
  return static_cast<RecordRef>(ref);
}

// Two words for every test, of which the second is overwritten if it is not needed: without a
// branch, which is hard to foresee. Gives where they end.
std::uint32_t* RecordStore::write_tests(std::span<const CodeTest> tests, std::uint32_t* columns) {
  std::uint32_t* at = columns + (tests.size() + 1) / 2;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const CodeTest& test = tests[i];
    const unsigned kind = kind_of(test);
    const std::uint32_t column = test.column % kColumnBound | kind << kKindShift;
    columns[i / 2] = i % 2 == 0 ? column : columns[i / 2] | column << 16U;
    at[0] = kind == kNotEqual ? test.low - 1 : test.low;
    at[1] = test.span;
    at += kind == kRange || kind == kDetail ? 2 : 1;
  }
  return at;
}

void RecordStore::remove(RecordRef ref) {
  const std::uint32_t* const record = words(ref);
  const std::size_t count = kHeaderWords + test_words(record) + optional_words(record[1]);
  if (count >= free_.size()) free_.resize(count + 1);
  free_[count].push_back(ref);
  --record_count_;
}

std::uint32_t RecordStore::extra(RecordRef ref) const { return optional(ref, kHasExtra); }
RecordRef RecordStore::next(RecordRef ref) const { return optional(ref, kHasNext); }

std::uint32_t RecordStore::optional(RecordRef ref, std::uint32_t flag) const {
  const std::uint32_t* const record = words(ref);
  if ((record[1] & flag) == 0) return kNoId;
  return record[kHeaderWords + test_words(record) + optional_words(record[1] & (flag - 1))];
}

void RecordStore::read_tests(RecordRef ref, std::vector<CodeTest>& tests) const {
  const std::uint32_t* const record = words(ref);
  const std::size_t count = record[1] & 0xFFU;
  const std::uint32_t* at = record + kHeaderWords + (count + 1) / 2;
  tests.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = column_word(record, i);
    const ColumnId column = word & (kColumnBound - 1);
    switch (word >> kKindShift) {
      case kEqual:
        tests.push_back(CodeTest::equal(column, *at++));
        break;
      case kNotEqual:
        tests.push_back(CodeTest::not_equal(column, *at++));
        break;
      case kDetail:
        tests.push_back({kColumnBound + column, at[0], at[1]});
        at += 2;
        break;
      default:
        tests.push_back({column, at[0], at[1]});
        at += 2;
    }
  }
}

bool RecordStore::holds_in_detail(const std::uint32_t* record, std::size_t index,
                                  const std::uint32_t* at, Code code, const event::Value& value) {
  const std::uint32_t word = column_word(record, index - 1);
  const ColumnId column = word & (kColumnBound - 1);
  const unsigned kind = word >> kKindShift;
  const CodeTest range = kind == kEqual      ? CodeTest::equal(column, at[-1])
                         : kind == kNotEqual ? CodeTest::not_equal(column, at[-1])
                                             : CodeTest{column, at[-2], at[-1]};
  if (!range.is_tie(code)) return true;
  const CodeTest detail{kColumnBound + (column_word(record, index) & (kColumnBound - 1)), at[0],
                        at[1]};
  return range.holds_at_tie(code, value, detail.to_detail());
}

DoorChoice RecordStore::door(RecordRef ref) const {
  const std::uint32_t flags = words(ref)[1];
  return {static_cast<DoorChoice::Kind>(flags >> kDoorKindShift & 7U),
          static_cast<std::uint8_t>(flags >> kDoorShift),
          static_cast<std::uint8_t>(flags >> kDoorGridShift & 3U)};
}

std::size_t RecordStore::memory_bytes() const {
  const std::size_t unused_words = kChunkWords - chunk_used_words_;
  std::size_t bytes = (chunks_.size() * kChunkWords - unused_words) * sizeof(std::uint32_t);
  for (const auto& list : free_) bytes += list.memory_bytes();
  return bytes + base::heap_bytes(free_) + base::heap_bytes(buffers_) + base::heap_bytes(chunks_);
}

}  // namespace weir::match::content
