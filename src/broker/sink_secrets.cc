// SPDX-License-Identifier: Apache-2.0
#include "broker/sink_secrets.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/wiped.h"
#include "broker/webhook_secret.h"
#include "event/json_document.h"
#include "event/json_writer.h"

namespace weir::broker {
namespace {

using Kind = SecretWish::Kind;

// Scheme, host and port: "https://example.com:8443".
std::string_view origin_of(std::string_view sink) {
  const std::size_t scheme = sink.find("://");
  if (scheme == std::string_view::npos) return sink;
  return sink.substr(0, sink.find_first_of("/?#", scheme + 3));
}

base::Error definition_error(std::string message) {
  return {base::ErrorId::kBrokerDefinition, std::move(message), std::nullopt};
}

// The stored text that {"set": true} stands for.
base::Result<std::string> kept(std::string_view name, const SinkChange& change,
                               std::string SinkSecrets::* member) {
  const SinkSecrets* const before = change.secrets_before;
  if (before == nullptr || (before->*member).empty()) {
    return definition_error(
        fmt::format("config.sink.{} is {{\"set\": true}}, but none is stored", name));
  }
  if (origin_of(change.sink) != origin_of(change.sink_before)) {
    return definition_error(fmt::format(
        "the sink is on another host than before: give config.sink.{} again, or leave it out",
        name));
  }
  return before->*member;
}

std::string text_of(const event::JsonRef& object, std::string_view name) {
  const event::JsonRef value = object.member(name);
  const bool is_text = value && value.kind() == event::JsonKind::kString;
  return is_text ? std::string(value.string()) : std::string();
}

}  // namespace

std::vector<std::string_view> SinkSecrets::signing(base::Instant now) const {
  std::vector<std::string_view> all;
  if (!secret.empty()) all.emplace_back(secret);
  if (!previous.empty() && now < previous_until) all.emplace_back(previous);
  return all;
}

std::string to_json(const SinkSecrets& secrets) {
  std::string out;
  event::JsonObject object(out);
  if (!secrets.authorization.empty()) object.member("authorization", secrets.authorization);
  if (!secrets.secret.empty()) object.member("secret", secrets.secret);
  if (!secrets.previous.empty()) {
    object.member("previous", secrets.previous);
    object.member("previous_until_ns", secrets.previous_until.nanoseconds);
  }
  object.close();
  return out;
}

base::Result<SinkSecrets> parse_sink_secrets(std::string_view json) {
  const auto document = event::JsonDocument::parse(json);
  if (!document || document->root().kind() != event::JsonKind::kObject) {
    return base::Error{base::ErrorId::kStoreCorrupt, "the secrets of a sink are no JSON object",
                       std::nullopt};
  }
  const event::JsonRef root = document->root();
  SinkSecrets secrets{.authorization = text_of(root, "authorization"),
                      .secret = text_of(root, "secret"),
                      .previous = text_of(root, "previous")};
  const event::JsonRef until = root.member("previous_until_ns");
  if (until && until.kind() == event::JsonKind::kInteger) {
    secrets.previous_until = base::Instant{until.value().as_int()};
  }
  return secrets;
}

base::Result<GrantedSecrets> grant_secrets(const SinkConfig& config, const SinkChange& change,
                                           base::Instant now) {
  SinkSecrets secrets;
  GrantedSecrets granted;
  secrets.authorization = config.authorization.text;
  if (config.authorization.kind == Kind::kKeep) {
    auto stored = kept("authorization", change, &SinkSecrets::authorization);
    if (!stored) return stored.error();
    secrets.authorization = *std::move(stored);
  }
  const SinkSecrets* const before = change.secrets_before;
  switch (config.secret.kind) {
    case Kind::kNone:
      break;
    case Kind::kKeep: {
      auto stored = kept("secret", change, &SinkSecrets::secret);
      if (!stored) return stored.error();
      secrets.secret = *std::move(stored);
      break;
    }
    case Kind::kGenerate:
      granted.made_secret = make_webhook_secret();
      secrets.secret = granted.made_secret;
      break;
    case Kind::kText:
      secrets.secret = config.secret.text;
      break;
  }
  const bool is_same_host = origin_of(change.sink) == origin_of(change.sink_before);
  if (!secrets.secret.empty() && before != nullptr && is_same_host) {
    const bool is_new = !before->secret.empty() && before->secret != secrets.secret;
    secrets.previous = is_new ? before->secret : before->previous;
    secrets.previous_until = is_new ? now + kSecretOverlap : before->previous_until;
  }
  if (!secrets.empty()) {
    granted.secrets = keep_secrets(std::move(secrets));
  }
  return granted;
}

SinkSecretsPtr keep_secrets(SinkSecrets secrets) {
  const auto wipe = [](SinkSecrets* kept) {
    base::wipe(kept->authorization);
    base::wipe(kept->secret);
    base::wipe(kept->previous);
    delete kept;
  };
  return {new SinkSecrets(std::move(secrets)), wipe};
}

}  // namespace weir::broker
