// SPDX-License-Identifier: Apache-2.0
#include "cli/api_client.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>

#include "cli/byte_source.h"

namespace weir::cli {
namespace {

constexpr std::size_t kTokenFileBytesMax = 4096;
constexpr int kFirstFault = 300;

// Without the white space around it.
std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

Attempt<std::string> token_of(const ConnectionOptions& options) {
  if (!options.token.empty()) return options.token;
  if (options.token_path.empty()) {
    const char* const variable = std::getenv("WEIR_TOKEN");
    return trimmed(variable == nullptr ? "" : variable);
  }
  auto source = FileSource::open(options.token_path);
  if (!source) return tl::unexpected(Failure{.error = source.error()});
  auto text = read_all(*source, kTokenFileBytesMax);
  if (!text) return tl::unexpected(file_failure(std::move(text.error()), source->name()));
  return trimmed(*std::move(text));
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

Attempt<ApiClient> ApiClient::create(const ConnectionOptions& options) {
  auto token = token_of(options);
  if (!token) return tl::unexpected(std::move(token.error()));
  auto client = server::HttpClient::create({.url = options.url,
                                            .token = *std::move(token),
                                            .ca_file = options.ca_path,
                                            .insecure = options.insecure});
  if (!client) {
    return tl::unexpected(
        Failure{.error = std::move(client.error()), .what = "--url", .text = options.url});
  }
  return ApiClient(*std::move(client));
}

base::Result<server::HttpAnswer> ApiClient::call(std::string_view method, const std::string& target,
                                                 std::string json_body,
                                                 std::string_view media_type) {
  std::vector<server::HttpField> fields;
  if (!json_body.empty()) fields.push_back({"Content-Type", std::string(media_type)});
  auto answer = request(method, target, std::move(fields), std::move(json_body));
  if (answer && answer->status >= kFirstFault) return problem_of(method, target, *answer).error;
  return answer;
}

bool is_connection_error(const base::Error& error) {
  return error.id == base::ErrorId::kHttpConnect || error.id == base::ErrorId::kHttpAnswer ||
         error.id == base::ErrorId::kHttpTimeout;
}

base::Error strange_answer() {
  return {base::ErrorId::kHttpAnswer, "the answer is not what a broker says", std::nullopt};
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string subscription_target(std::string_view id) {
  return "/subscriptions/" + percent_encoded(id);
}

}  // namespace weir::cli
