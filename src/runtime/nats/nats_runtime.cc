// SPDX-License-Identifier: Apache-2.0
#include "runtime/nats/nats_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "protocol/slot.h"

namespace weir::runtime::nats {

namespace {

constexpr const char* kSlotGroup = "home";

// The longest wait of an idle node.
constexpr std::chrono::hours kLongWait(1);

base::Instant wall_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

}  // namespace

base::Result<std::unique_ptr<NatsRuntime>> NatsRuntime::start(const NatsOptions& options,
                                                              std::unique_ptr<protocol::Node> node,
                                                              DeliverCallback on_deliver) {
  if (auto checked = check(options); !checked) return checked.error();
  std::unique_ptr<NatsRuntime> runtime(
      new NatsRuntime(options, std::move(node), std::move(on_deliver)));
  if (auto connected = runtime->connect(); !connected) return connected.error();
  runtime->thread_ = std::thread([raw = runtime.get()] { raw->run(); });
  return runtime;
}

NatsRuntime::NatsRuntime(const NatsOptions& options, std::unique_ptr<protocol::Node> node,
                         DeliverCallback on_deliver)
    : options_(options),
      self_(node_id_of(options.member)),
      prefix_(fmt::format("weir.{}", options.cluster)),
      steady_start_(Steady::now()),
      wall_start_(wall_now()),
      on_deliver_(std::move(on_deliver)),
      inbox_(options.queue_messages_max, options.queue_bytes_max),
      node_(std::move(node)),
      number_(static_cast<std::uint64_t>(wall_start_.nanoseconds)) {}

base::Result<void> NatsRuntime::connect() {
  auto client = Client::connect(options_, [this](std::string_view bytes) {
    inbox_.push({.from = Inbox::From::kNetwork, .bytes = std::string(bytes)});
  });
  if (!client) return client.error();
  client_ = *std::move(client);
  client_->subscribe(fmt::format("{}.node.{:016x}", prefix_, self_.value));
  client_->subscribe(fmt::format("{}.all", prefix_));
  client_->flush();
  return {};
}

bool NatsRuntime::tell(std::string message) {
  return !inbox_.is_closed() &&
         inbox_.push({.from = Inbox::From::kUser, .bytes = std::move(message)});
}

void NatsRuntime::stop() {
  inbox_.close();
  if (thread_.joinable()) thread_.join();
  std::unique_ptr<Client> client;
  {
    const std::lock_guard lock(mutex_);
    client = std::move(client_);
    if (client) stats_.connection = client->stats();
    stats_.connection.is_connected = false;
  }
}

NatsStats NatsRuntime::stats() const {
  const std::lock_guard lock(mutex_);
  NatsStats stats = stats_;
  stats.queue = inbox_.stats();
  if (client_) stats.connection = client_->stats();
  return stats;
}

base::Instant NatsRuntime::now() const {
  const auto since = Steady::now() - steady_start_;
  return wall_start_ +
         base::Duration{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

void NatsRuntime::run() {
  wake_ = now();
  while (!inbox_.is_closed()) {
    if (wake_ && *wake_ <= now()) {
      wake_.reset();
      node_->on_wake(now(), effects_);
      carry_out();
      continue;
    }
    const auto until =
        wake_ ? steady_start_ + std::chrono::nanoseconds((*wake_ - wall_start_).nanoseconds)
              : Steady::now() + kLongWait;
    if (auto letter = inbox_.pop(until)) take(*letter);
  }
}

void NatsRuntime::take(const Inbox::Letter& letter) {
  if (letter.from == Inbox::From::kNetwork) {
    take_frame(letter.bytes);
  } else {
    const bool is_user = letter.from == Inbox::From::kUser;
    node_->on_message(now(), is_user ? protocol::kUser : self_, letter.bytes, effects_);
  }
  carry_out();
}

void NatsRuntime::take_frame(std::string_view bytes) {
  const auto frame = decode_frame(bytes, self_);
  const auto opened = protocol::open_message(frame ? frame->message : std::string_view());
  {
    const std::lock_guard lock(mutex_);
    if (!frame) ++stats_.refused_count;
    if (!opened.refused) stats_.received.add(opened.kind, 1, frame->message.size());
  }
  if (!frame || is_repeated(*frame)) return;
  node_->on_message(now(), frame->source, frame->message, effects_);
}

// The copies of a multicast arrive one after another.
bool NatsRuntime::is_repeated(const Frame& frame) {
  if (last_numbers_.size() >= kSourcesMax) last_numbers_.clear();
  const auto [found, is_new] = last_numbers_.try_emplace(frame.source, frame.number);
  return !is_new && std::exchange(found->second, frame.number) == frame.number;
}

void NatsRuntime::carry_out() {
  for (protocol::Effect& effect : effects_.list()) {
    std::visit([this](auto& what) { carry_out(what); }, effect);
  }
  effects_.clear();
  if (has_left_slots_ && client_->flush()) has_left_slots_ = false;
}

void NatsRuntime::carry_out(protocol::Send& send) {
  {
    const std::lock_guard lock(mutex_);
    stats_.sent.add(send);
  }
  if (send.target == self_) return send_to_self(std::move(send.bytes));
  publish(fmt::format("{}.node.{:016x}", prefix_, send.target.value), framed(send.bytes));
}

void NatsRuntime::carry_out(protocol::Route& route) {
  const std::uint32_t slot = protocol::slot_of(route.key);
  {
    const std::lock_guard lock(mutex_);
    stats_.sent.add(route.kind, 1, route.bytes.size());
  }
  if (is_listening_[slot]) return send_to_self(std::move(route.bytes));
  publish(slot_subject(slot), framed(route.bytes));
}

void NatsRuntime::carry_out(protocol::Multicast& multicast) {
  const bool is_to_all = protocol::is_whole_ring(multicast.destinations);
  std::vector<std::string> subjects;
  bool is_to_self = is_to_all;
  if (is_to_all) {
    subjects.push_back(fmt::format("{}.all", prefix_));
  } else {
    for (const std::uint32_t slot : protocol::slots_of(multicast.destinations)) {
      if (is_listening_[slot]) {
        is_to_self = true;
      } else {
        subjects.push_back(slot_subject(slot));
      }
    }
  }
  {
    const std::lock_guard lock(mutex_);
    stats_.sent.add(multicast.kind, subjects.size() + (is_to_self && !is_to_all ? 1 : 0),
                    multicast.bytes.size());
  }
  const std::string frame = framed(multicast.bytes);
  for (const std::string& subject : subjects) publish(subject, frame);
  if (is_to_self) send_to_self(std::move(multicast.bytes));
}

void NatsRuntime::carry_out(const protocol::Listen& listen) {
  if (is_listening_[listen.slot] == listen.is_on) return;
  is_listening_[listen.slot] = listen.is_on;
  if (listen.is_on) {
    client_->subscribe(slot_subject(listen.slot), kSlotGroup);
  } else {
    client_->unsubscribe(slot_subject(listen.slot));
    has_left_slots_ = true;
  }
  const std::lock_guard lock(mutex_);
  stats_.slot_count = static_cast<std::size_t>(std::ranges::count(is_listening_, true));
}

void NatsRuntime::carry_out(const protocol::Deliver& deliver) { on_deliver_(deliver); }

void NatsRuntime::carry_out(const protocol::WakeAt& wake) { wake_ = wake.instant; }

void NatsRuntime::carry_out(const protocol::Drop& drop) {
  const std::lock_guard lock(mutex_);
  stats_.sent.add(drop.reason);
}

void NatsRuntime::send_to_self(std::string message) {
  inbox_.push({.from = Inbox::From::kSelf, .bytes = std::move(message)});
}

void NatsRuntime::publish(const std::string& subject, const std::string& frame) {
  const Client::Sent sent = client_->publish(subject, frame);
  if (sent == Client::Sent::kYes) return;
  const std::lock_guard lock(mutex_);
  ++(sent == Client::Sent::kTooLarge ? stats_.too_large_count : stats_.unsent_count);
}

std::string NatsRuntime::framed(std::string_view message) {
  return encode(Frame{.source = self_, .number = ++number_, .message = message});
}

std::string NatsRuntime::slot_subject(std::uint32_t slot) const {
  return fmt::format("{}.slot.{}", prefix_, slot);
}

}  // namespace weir::runtime::nats
