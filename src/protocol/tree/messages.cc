// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/messages.h"

namespace weir::protocol::tree {

namespace {

base::ByteWriter begin(Kind kind, Key tree, std::uint64_t session) {
  base::ByteWriter writer = begin_message(kind_of(kind));
  writer.u64(tree.value);
  writer.u64(session);
  return writer;
}

template <typename Message>
void read_begin(base::ByteReader& body, Message& message) {
  message.tree.value = body.u64();
  message.session = body.u64();
}

void write_version(base::ByteWriter& writer, ResultVersion version) {
  writer.u64(version.root.value);
  writer.u64(version.number);
}

ResultVersion read_version(base::ByteReader& body) {
  const NodeId root{body.u64()};
  return {.root = root, .number = body.u64()};
}

}  // namespace

std::string encode(const Report& message) {
  base::ByteWriter writer = begin(Kind::kReport, message.tree, message.session);
  writer.u64(message.number);
  writer.u64(message.distance);
  writer.u64(message.member_count);
  write_version(writer, message.held);
  writer.text(message.summary);
  return writer.take();
}

bool decode(base::ByteReader body, Report& message) {
  read_begin(body, message);
  message.number = body.u64();
  message.distance = body.u64();
  message.member_count = body.u64();
  message.held = read_version(body);
  message.summary = body.text();
  return body.done();
}

std::string encode(const Renew& message) {
  base::ByteWriter writer = begin(Kind::kRenew, message.tree, message.session);
  writer.u64(message.number);
  writer.u64(message.distance);
  write_version(writer, message.held);
  return writer.take();
}

bool decode(base::ByteReader body, Renew& message) {
  read_begin(body, message);
  message.number = body.u64();
  message.distance = body.u64();
  message.held = read_version(body);
  return body.done();
}

std::string encode(const Leave& message) {
  return begin(Kind::kLeave, message.tree, message.session).take();
}

bool decode(base::ByteReader body, Leave& message) {
  read_begin(body, message);
  return body.done();
}

std::string encode(const Again& message) {
  return begin(Kind::kAgain, message.tree, message.session).take();
}

bool decode(base::ByteReader body, Again& message) {
  read_begin(body, message);
  return body.done();
}

std::string encode(const Result& message) {
  base::ByteWriter writer = begin(Kind::kResult, message.tree, message.session);
  writer.u64(message.sequence);
  write_version(writer, message.version);
  writer.u64(message.member_count);
  writer.text(message.summary);
  return writer.take();
}

bool decode(base::ByteReader body, Result& message) {
  read_begin(body, message);
  message.sequence = body.u64();
  message.version = read_version(body);
  message.member_count = body.u64();
  message.summary = body.text();
  return body.done();
}

}  // namespace weir::protocol::tree
