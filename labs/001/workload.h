// SPDX-License-Identifier: Apache-2.0
// Workload: publications and subscriptions as the experiments of paper 001 read them, and their
// hashes as the prefilter does.
//
// All values are integers: prices in cents, texts as numbers that no other value has. Read from
// lines, or made by generator.h:
//
//   p 7 1250 90000         a publication: the value of attribute 0, 1, ...
//   s 0=7 1:1000:1500      a subscription: attribute 0 is 7, attribute 1 from 1000 to 1500
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::lab {

// low <= value <= high; an equality has low = high.
struct Predicate {
  std::uint32_t attribute = 0;
  bool is_equality = false;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct Workload {
  std::string name;
  std::size_t attribute_count = 0;
  std::vector<std::int64_t> values = {};   // attribute_count for each publication
  std::vector<Predicate> predicates = {};  // those of one subscription after another's
  std::vector<std::size_t> ends = {};      // where those of each subscription end

  std::size_t publication_count() const { return values.size() / attribute_count; }
  std::size_t subscription_count() const { return ends.size(); }
  std::span<const std::int64_t> publication(std::size_t index) const;
  std::span<const Predicate> subscription(std::size_t index) const;
};

// The full test.
bool matches(std::span<const Predicate> subscription, std::span<const std::int64_t> publication);

// Fails with kCliFile where a line is neither, or a publication has other attributes than the
// first, or there are not at least two publications and one subscription.
base::Result<Workload> parse_workload(std::string_view name, std::string_view text);
base::Result<Workload> read_workload(std::string_view name, const std::string& file_name);

// What goes into the filters.
enum class Hashing : std::uint8_t {
  kValue,  // values alone, as in the paper's example
  kPair,   // attribute and value
  kUsed,   // the same, and of a publication only attributes that some subscription compares by =
};
inline constexpr Hashing kHashings[] = {Hashing::kValue, Hashing::kPair, Hashing::kUsed};
std::string_view name_of(Hashing hashing);

// Lists of hashes, back to back.
class HashLists {
 public:
  void push(std::uint64_t hash) { hashes_.push_back(hash); }
  void end_list() { ends_.push_back(hashes_.size()); }
  std::size_t size() const { return ends_.size(); }
  std::span<const std::uint64_t> operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {hashes_.data() + begin, ends_[index] - begin};
  }

 private:
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> ends_;
};

struct HashedWorkload {
  HashLists publications = {};
  HashLists subscriptions = {};
};
struct HashingOptions {
  Hashing hashing = Hashing::kPair;
  std::size_t subscription_count_max = 0;
  std::uint64_t draw = 0;  // of the hash functions
};
// Of all publications, and of the equalities of the first subscriptions.
HashedWorkload hashed(const Workload& workload, const HashingOptions& options);

}  // namespace weir::lab
