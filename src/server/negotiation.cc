// SPDX-License-Identifier: Apache-2.0
#include "server/negotiation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "server/http_text.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

// Calls visit(element) for each element of all fields of that name.
template <typename Visit>
void for_each_element(const Request& request, std::string_view name, Visit&& visit) {
  for (const Field& field : request.fields) {
    if (equals_in_any_case(field.name, name)) for_each_in_list(field.value, visit);
  }
}

constexpr unsigned kNamedInFull = 3;

// How exactly a range of Accept names a type: 0 not at all, 1 by */*, 2 by type/*, 3 in full.
unsigned precision_of(std::string_view range, std::string_view type) {
  if (range == "*/*") return 1;
  if (equals_in_any_case(range, type)) return kNamedInFull;
  const std::string_view kind = type.substr(0, type.find('/') + 1);
  return range.size() == kind.size() + 1 && range.ends_with('*') &&
                 equals_in_any_case(range.substr(0, kind.size()), kind)
             ? 2
             : 0;
}

// Whether the parameters of a range have `q=0`, which rules it out.
bool is_ruled_out(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = trim(parameters.substr(0, parameters.find(';')));
    parameters.remove_prefix(std::min(parameters.find(';'), parameters.size() - 1) + 1);
    if (!starts_with_in_any_case(parameter, "q=")) continue;
    const std::string_view quality = parameter.substr(2);
    return quality.starts_with('0') && quality.find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

struct Acceptance {
  bool is_given = false;  // there is a field Accept
  bool accepted = false;
  unsigned precision = 0;  // of the range that decided
};

Acceptance acceptance_of(const Request& request, std::string_view type) {
  Acceptance result;
  for_each_element(request, "accept", [&](std::string_view element) {
    result.is_given = true;
    const std::size_t end = std::min(element.find(';'), element.size());
    const unsigned found = precision_of(trim(element.substr(0, end)), type);
    if (found <= result.precision) return;
    result.precision = found;
    result.accepted = !is_ruled_out(element.substr(end));
  });
  return result;
}

}  // namespace

base::Result<void> check_encoding(const Request& request) {
  std::string_view encoding;
  for_each_element(request, "content-encoding", [&](std::string_view element) {
    if (!equals_in_any_case(element, "identity")) encoding = element;
  });
  if (encoding.empty()) return {};
  return Error{ErrorId::kHttpEncoding,
               fmt::format("expected a body without Content-Encoding, not '{}'", encoding),
               std::nullopt};
}

base::Result<void> check_accept(const Request& request, std::string_view produced) {
  if (produced.empty()) return {};
  const Acceptance acceptance = acceptance_of(request, produced);
  if (!acceptance.is_given || acceptance.accepted) return {};
  return Error{ErrorId::kHttpAccept,
               fmt::format("the answer is {}, which Accept does not allow", produced),
               std::nullopt};
}

bool accepts_by_name(const Request& request, std::string_view type) {
  const Acceptance acceptance = acceptance_of(request, type);
  return acceptance.accepted && acceptance.precision == kNamedInFull;
}

}  // namespace weir::server
