// SPDX-License-Identifier: Apache-2.0
#include "server/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "server/address_guard.h"

namespace weir::server {
namespace {

constexpr std::size_t kHostBytesMax = 253;
constexpr std::size_t kLabelBytesMax = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_name_char(char c) {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '-' || c == '_';
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), to_lower);
  return result;
}

// A host whose last label is a number in any notation is an address, never a name: resolvers read
// "127.1" and "0x7f000001" as addresses.
bool ends_in_number(std::string_view host) {
  const std::size_t dot = host.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  return std::ranges::all_of(last, is_digit) || last.starts_with("0x");
}

class UrlParser {
 public:
  UrlParser(std::string_view text, base::ErrorId error_id) : text_(text), error_id_(error_id) {}

  base::Result<Url> parse() {
    if (text_.size() > kUrlBytesMax) {
      return error_at(kUrlBytesMax, fmt::format("a URL has at most {} bytes", kUrlBytesMax));
    }
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] < 0x21 || text_[at] > 0x7E) {
        return error_at(at, "expected visible ASCII characters; escape others as %XX");
      }
    }
    using Step = std::optional<base::Error> (UrlParser::*)();
    for (const Step step : {&UrlParser::read_scheme, &UrlParser::read_host, &UrlParser::read_port,
                            &UrlParser::read_target}) {
      if (auto error = (this->*step)()) return *std::move(error);
    }
    return std::move(url_);
  }

 private:
  base::Error error_at(std::size_t at, std::string message) const {
    return base::Error{error_id_, std::move(message), base::position_at(text_, at)};
  }

  std::optional<base::Error> read_scheme() {
    const std::size_t colon = text_.find("://");
    const std::string scheme = lower(text_.substr(0, std::min(colon, text_.size())));
    if (colon == std::string_view::npos || (scheme != "http" && scheme != "https")) {
      return error_at(0, "expected http:// or https://");
    }
    url_.tls = scheme == "https";
    at_ = colon + 3;
    authority_end_ = std::min(text_.find_first_of("/?#", at_), text_.size());
    const std::size_t user_end = text_.substr(0, authority_end_).find('@', at_);
    if (user_end != std::string_view::npos) {
      return error_at(at_, "a URL with a user name or password is not taken");
    }
    return std::nullopt;
  }

  std::optional<base::Error> read_host() {
    if (at_ < authority_end_ && text_[at_] == '[') return read_bracketed_host();
    const std::size_t end = std::min(text_.find(':', at_), authority_end_);
    const std::string_view host = text_.substr(at_, end - at_);
    if (host.empty()) return error_at(at_, "expected a host");
    if (host.size() > kHostBytesMax) {
      return error_at(at_, fmt::format("a host has at most {} bytes", kHostBytesMax));
    }
    if (auto error = check_labels(host)) return error;
    url_.host = lower(host);
    if (ends_in_number(url_.host) && !parse_ip(url_.host)) {
      return error_at(at_, "expected a name or four decimal numbers such as 192.0.2.1");
    }
    at_ = end;
    return std::nullopt;
  }

  std::optional<base::Error> check_labels(std::string_view host) const {
    std::size_t label_bytes = 0;
    for (std::size_t i = 0; i <= host.size(); ++i) {
      if (i < host.size() && host[i] != '.') {
        if (!is_name_char(host[i])) {
          return error_at(at_ + i, "expected a letter, a digit, '-', '_' or '.' in the host");
        }
        ++label_bytes;
        continue;
      }
      if (label_bytes == 0) return error_at(at_ + i, "a part of the host is empty");
      if (label_bytes > kLabelBytesMax) {
        return error_at(at_ + i, fmt::format("a part has at most {} bytes", kLabelBytesMax));
      }
      label_bytes = 0;
    }
    return std::nullopt;
  }

  std::optional<base::Error> read_bracketed_host() {
    const std::size_t end = text_.substr(0, authority_end_).find(']', at_);
    if (end == std::string_view::npos) return error_at(authority_end_, "expected ']'");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    const auto address = parse_ip(inside);
    if (!address || address->is_v4) return error_at(at_ + 1, "expected an IPv6 address");
    url_.host = lower(inside);
    at_ = end + 1;
    return std::nullopt;
  }

  std::optional<base::Error> read_port() {
    url_.port = url_.tls ? 443 : 80;
    if (at_ == authority_end_) return std::nullopt;
    if (text_[at_] != ':') return error_at(at_, "expected ':' and a port, or '/'");
    ++at_;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + authority_end_;
    const auto [stop, code] = std::from_chars(begin, end, url_.port);
    if (code != std::errc() || stop != end || url_.port == 0) {
      return error_at(at_, "expected a port from 1 to 65535");
    }
    return std::nullopt;
  }

  std::optional<base::Error> read_target() {
    const std::string_view target = text_.substr(authority_end_);
    if (const std::size_t hash = target.find('#'); hash != std::string_view::npos) {
      return error_at(authority_end_ + hash, "a fragment is not sent to a server: leave it out");
    }
    url_.target = target.starts_with('/') ? std::string(target) : "/" + std::string(target);
    return std::nullopt;
  }

  std::string_view text_;
  base::ErrorId error_id_;
  std::size_t at_ = 0;
  std::size_t authority_end_ = 0;
  Url url_;
};

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

std::string Url::authority() const {
  return port == (tls ? 443 : 80) ? bracketed(host) : endpoint();
}

std::string Url::endpoint() const { return fmt::format("{}:{}", bracketed(host), port); }

std::string Url::to_string() const {
  return fmt::format("{}://{}{}", tls ? "https" : "http", authority(), target);
}

base::Result<Url> parse_url(std::string_view text, base::ErrorId error_id) {
  return UrlParser(text, error_id).parse();
}

}  // namespace weir::server
