// SPDX-License-Identifier: Apache-2.0
// Annotations: attributes that an event gets on its way to one subscriber, which say why.
//
//   weirscore      a string, the score of a text predicate
//   weirepoch      an integer, the epoch of the statistics that it was scored by
//   weirterms      a string, each term's share of the score: "storm=0.3466 flood=1.3863"
//   weirhighlight  a string, where the text has them
//   weirrepeated   true: an event of a group that the subscriber was given before
//   weirmissing    an integer, older events of the group that the log no longer has; on the newest
//
// They are extension attributes in the sense of CloudEvents, which has no fractions: hence strings.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace weir::event {

inline constexpr std::array<std::string_view, 6> kAnnotationNames = {
    "weirscore", "weirepoch", "weirterms", "weirhighlight", "weirrepeated", "weirmissing"};
inline constexpr std::string_view kRepeated = R"("weirrepeated":true)";

// The event's JSON text with these members (JSON, without braces around them) behind its own. Its
// own ones of the names above are left out, whatever it was annotated with before; everything else
// stays as it is, byte for byte. Requires the text of an event.
std::string annotate(std::string_view event_json, std::string_view members);

}  // namespace weir::event
