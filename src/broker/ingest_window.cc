// SPDX-License-Identifier: Apache-2.0
#include "broker/ingest_window.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"

namespace weir::broker {
namespace {

static_assert(sizeof(IngestWindow::Secret) == crypto_shorthash_siphashx24_KEYBYTES);
static_assert(sizeof(IngestWindow::Key) == crypto_shorthash_siphashx24_BYTES);

std::string_view bytes_of(const IngestWindow::Key& key) {
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

}  // namespace

IngestWindow::IngestWindow(Options options) : options_(options) {
  if (options.false_positives_max <= 0) return;
  approximate_ = match::make_distinct_window({.within = options.within,
                                              .key_count_max = options.key_count_max,
                                              .mode = match::DistinctMode::kApproximate,
                                              .false_positives_max = options.false_positives_max,
                                              .seed = options.seed});
}

IngestWindow::Secret IngestWindow::random_secret() {
  WEIR_CHECK(sodium_init() >= 0);
  Secret secret;
  randombytes_buf(secret.data(), secret.size());
  return secret;
}

// The source's length stands before both, so that no two pairs look alike when joined.
IngestWindow::Key IngestWindow::key_of(std::string_view source, std::string_view id) const {
  constexpr std::size_t kUsualBytes = 256;
  std::array<char, kUsualBytes> usual;
  std::string unusual;
  const std::uint64_t source_bytes = source.size();
  const std::size_t bytes = sizeof source_bytes + source.size() + id.size();
  if (bytes > usual.size()) unusual.resize(bytes);
  char* const text = unusual.empty() ? usual.data() : unusual.data();
  std::memcpy(text, &source_bytes, sizeof source_bytes);
  char* const end = std::ranges::copy(source, text + sizeof source_bytes).out;
  std::ranges::copy(id, end);
  std::array<unsigned char, sizeof(Key)> hash;
  crypto_shorthash_siphashx24(hash.data(), reinterpret_cast<const unsigned char*>(text), bytes,
                              options_.secret.data());
  Key key;
  std::memcpy(&key, hash.data(), sizeof key);
  return key;
}

bool IngestWindow::contains(const Key& key, base::Instant now) const {
  if (approximate_ != nullptr) return !approximate_->test(bytes_of(key), now);
  const auto found = seen_.find(key);
  return found != seen_.end() && now < found->second + options_.within;
}

void IngestWindow::insert(const Key& key, base::Instant now) {
  if (approximate_ != nullptr) {
    approximate_->test_and_set(bytes_of(key), now, 0);
    return;
  }
  while (!ages_.empty() && ages_.front().at + options_.within <= now) forget_oldest();
  if (ages_.size() >= options_.key_count_max && !ages_.empty()) {
    forget_oldest();
    ++forgotten_count_;
  }
  seen_.insert_or_assign(key, now);
  ages_.push_back({now, key});
}

std::size_t IngestWindow::size() const {
  return approximate_ != nullptr ? approximate_->stats().key_count : seen_.size();
}

std::uint64_t IngestWindow::forgotten_count() const {
  return approximate_ != nullptr ? approximate_->stats().overflow : forgotten_count_;
}

std::size_t IngestWindow::memory_bytes() const {
  if (approximate_ != nullptr) return approximate_->stats().memory_bytes;
  return seen_.bucket_count() * (sizeof(Key) + sizeof(base::Instant) + 1) +
         ages_.size() * sizeof(Age);
}

void IngestWindow::forget_oldest() {
  const Age& oldest = ages_.front();
  const auto found = seen_.find(oldest.key);
  if (found != seen_.end() && found->second == oldest.at) seen_.erase(found);
  ages_.pop_front();
}

}  // namespace weir::broker
