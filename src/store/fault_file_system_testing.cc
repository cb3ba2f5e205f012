// SPDX-License-Identifier: Apache-2.0
#include "store/fault_file_system_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weir::store {
namespace {

constexpr std::uint64_t kSectorBytes = 512;

base::Error failure(std::string_view what, const std::filesystem::path& path,
                    std::string_view reason) {
  const bool full = reason.starts_with("No space");
  return {full ? base::ErrorId::kStoreFull : base::ErrorId::kStoreIo,
          fmt::format("cannot {} {}: {}", what, path.native(), reason), std::nullopt};
}

void write_into(std::string& content, std::uint64_t offset_bytes, std::string_view bytes) {
  if (bytes.empty()) return;
  content.resize(std::max<std::size_t>(content.size(), offset_bytes + bytes.size()));
  content.replace(offset_bytes, bytes.size(), bytes);
}

}  // namespace

class FaultFile final : public File {
 public:
  FaultFile(FaultFileSystem& files, FaultFileSystem::NodePtr node, std::filesystem::path path)
      : files_(files), node_(std::move(node)), path_(std::move(path)) {}

  base::Result<void> write_at(std::uint64_t offset_bytes, std::string_view bytes) override {
    const std::lock_guard lock(files_.mutex_);
    const bool fails = files_.strikes(FileOperation::kWrite);
    const std::uint64_t end_bytes_max = node_->seen.size() + files_.room_bytes();
    const std::uint64_t byte_count_max = end_bytes_max - std::min(offset_bytes, end_bytes_max);
    const bool full = bytes.size() > byte_count_max;
    std::string_view written = bytes.substr(0, byte_count_max);
    if (fails) written = written.substr(0, files_.failing_write_bytes_);
    write_into(node_->seen, offset_bytes, written);
    node_->unsynced.push_back({offset_bytes, std::string(written)});
    const std::string what = fmt::format("write {} bytes at {} of", bytes.size(), offset_bytes);
    if (fails) return failure(what, path_, "Input/output error");
    if (full) return failure(what, path_, "No space left on device");
    return {};
  }

  base::Result<std::string> read_at(std::uint64_t offset_bytes,
                                    std::uint64_t byte_count) const override {
    const std::lock_guard lock(files_.mutex_);
    if (files_.strikes(FileOperation::kRead)) {
      return failure(fmt::format("read {} bytes at {} of", byte_count, offset_bytes), path_,
                     "Input/output error");
    }
    if (offset_bytes >= node_->seen.size()) return std::string();
    return node_->seen.substr(offset_bytes, byte_count);
  }

  base::Result<void> sync_data() override {
    const std::lock_guard lock(files_.mutex_);
    const auto unsynced = std::exchange(node_->unsynced, {});
    if (files_.strikes(FileOperation::kSync)) return failure("sync", path_, "Input/output error");
    node_->durable.resize(node_->seen.size());  // with zeros where a failed sync has forgotten
    for (const auto& write : unsynced) {
      write_into(node_->durable, write.offset_bytes, write.bytes);
    }
    return {};
  }

  base::Result<void> truncate(std::uint64_t size_bytes) override {
    const std::lock_guard lock(files_.mutex_);
    node_->seen.resize(size_bytes);
    for (auto& write : node_->unsynced) {
      const std::uint64_t rest_bytes =
          size_bytes > write.offset_bytes ? size_bytes - write.offset_bytes : 0;
      write.bytes.resize(std::min<std::size_t>(write.bytes.size(), rest_bytes));
    }
    if (files_.strikes(FileOperation::kTruncate)) {
      return failure(fmt::format("truncate to {} bytes", size_bytes), path_, "Input/output error");
    }
    node_->durable.resize(std::min<std::size_t>(node_->durable.size(), size_bytes));
    return {};
  }

  base::Result<std::uint64_t> size() const override {
    const std::lock_guard lock(files_.mutex_);
    return node_->seen.size();
  }

 private:
  FaultFileSystem& files_;
  FaultFileSystem::NodePtr node_;
  std::filesystem::path path_;
};

base::Result<void> FaultFileSystem::create_directory(const std::filesystem::path& /*path*/) {
  return {};
}

base::Result<std::vector<std::string>> FaultFileSystem::list(
    const std::filesystem::path& directory) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, node] : names_) {
    const std::filesystem::path path(name);
    if (path.parent_path() == directory) names.push_back(path.filename());
  }
  return names;
}

base::Result<std::unique_ptr<File>> FaultFileSystem::create(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  if (strikes(FileOperation::kCreate)) return failure("create", path, "Input/output error");
  const auto [found, is_new] = names_.try_emplace(path.native(), std::make_shared<Node>());
  if (!is_new) return failure("create", path, "File exists");
  unsynced_names_.push_back({path.native(), found->second});
  return std::make_unique<FaultFile>(*this, found->second, path);
}

base::Result<std::unique_ptr<File>> FaultFileSystem::open(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  if (strikes(FileOperation::kOpen)) return failure("open", path, "Input/output error");
  const auto found = names_.find(path.native());
  if (found == names_.end()) return failure("open", path, "No such file or directory");
  return std::make_unique<FaultFile>(*this, found->second, path);
}

base::Result<void> FaultFileSystem::remove(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  if (strikes(FileOperation::kRemove)) return failure("remove", path, "Input/output error");
  if (names_.erase(path.native()) == 0) {
    return failure("remove", path, "No such file or directory");
  }
  unsynced_names_.push_back({path.native(), nullptr});
  return {};
}

base::Result<void> FaultFileSystem::sync_directory(const std::filesystem::path& directory) {
  const std::lock_guard lock(mutex_);
  if (strikes(FileOperation::kSyncDirectory)) {
    return failure("sync directory", directory, "Input/output error");
  }
  durable_names_ = names_;
  unsynced_names_.clear();
  return {};
}

void FaultFileSystem::fail(FileOperation operation, std::uint64_t after_count,
                           std::uint64_t written_bytes) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(operation);
  failing_counts_[index] = counts_[index] + after_count + 1;
  if (operation == FileOperation::kWrite) failing_write_bytes_ = written_bytes;
}

void FaultFileSystem::fail_nothing() {
  const std::lock_guard lock(mutex_);
  failing_counts_ = {};
}

void FaultFileSystem::set_capacity(std::uint64_t capacity_bytes) {
  const std::lock_guard lock(mutex_);
  capacity_bytes_ = capacity_bytes;
}

void FaultFileSystem::crash(base::Prng& prng) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t kept_count = prng.below(unsynced_names_.size() + 1);
  for (std::uint64_t i = 0; i < kept_count; ++i) {
    const NameChange& change = unsynced_names_[i];
    if (change.node == nullptr) {
      durable_names_.erase(change.path);
    } else {
      durable_names_[change.path] = change.node;
    }
  }
  unsynced_names_.clear();
  for (auto& [path, node] : durable_names_) node = after_crash(*node, prng);
  names_ = durable_names_;
}

FaultFileSystem::NodePtr FaultFileSystem::after_crash(const Node& node, base::Prng& prng) {
  std::string content = node.durable;
  for (const Write& write : node.unsynced) {
    const std::string_view bytes = write.bytes;
    if (prng.chance(0.5)) {
      write_into(content, write.offset_bytes, bytes.substr(0, prng.below(bytes.size() + 1)));
      continue;
    }
    for (std::uint64_t begin = 0; begin < bytes.size();) {
      const std::uint64_t sector_end =
          ((write.offset_bytes + begin) / kSectorBytes + 1) * kSectorBytes - write.offset_bytes;
      const std::uint64_t end = std::min<std::uint64_t>(bytes.size(), sector_end);
      if (prng.chance(0.5)) {
        write_into(content, write.offset_bytes + begin, bytes.substr(begin, end - begin));
      }
      begin = end;
    }
  }
  return std::make_shared<Node>(Node{content, content, {}});
}

std::uint64_t FaultFileSystem::count(FileOperation operation) const {
  const std::lock_guard lock(mutex_);
  return counts_[static_cast<std::size_t>(operation)];
}

std::map<std::string, std::string> FaultFileSystem::contents() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> contents;
  for (const auto& [path, node] : names_) contents[path] = node->seen;
  return contents;
}

void FaultFileSystem::set_contents(const std::map<std::string, std::string>& contents) {
  const std::lock_guard lock(mutex_);
  names_.clear();
  unsynced_names_.clear();
  for (const auto& [path, bytes] : contents) {
    names_[path] = std::make_shared<Node>(Node{bytes, bytes, {}});
  }
  durable_names_ = names_;
}

bool FaultFileSystem::strikes(FileOperation operation) {
  const auto index = static_cast<std::size_t>(operation);
  return ++counts_[index] == failing_counts_[index];
}

std::uint64_t FaultFileSystem::room_bytes() const {
  std::uint64_t used_bytes = 0;
  for (const auto& [path, node] : names_) used_bytes += node->seen.size();
  return capacity_bytes_ - std::min(used_bytes, capacity_bytes_);
}

}  // namespace weir::store
