// SPDX-License-Identifier: Apache-2.0
// html_text: the text of an HTML fragment, for full-text matching.
//
// What a browser that runs scripts would show, as far as the markup alone tells:
// - Tags go, with all their attributes (alt and title too: they are not shown). What a browser
//   puts on a line or in a box of its own (<p>, <br>, <td>, <img>) parts words: it leaves one line
//   feed. Other tags (<b>, <wbr>, unknown ones) leave nothing.
// - Comments, doctypes and processing instructions go, and CDATA is a comment up to the next '>',
//   as HTML has it. Contents of script, style, template, noscript, iframe, noembed and noframes go.
// - <title>, <textarea> and <xmp> are text up to their end tags; after <plaintext> all is.
// - Character references become characters (html_reference.h); unknown ones stay as they are.
// - Sloppy text is read as HTML says: '<' before anything but a letter, '/', '!' or '?' is text
//   ("a < b"); a tag, comment or hidden element that is not closed swallows the rest; a quote
//   protects '>' only in the value of an attribute.
// White space stays as it is.
//
// Limits: styles, `hidden` and missing end tags are not looked at, SVG and MathML are read as if
// they were HTML, and a script ends at its first end tag.
//
// Guarantees: the result is at most as long as the input; of valid UTF-8 it is valid, other bytes
// pass as they are. Costs: linear in the input, no recursion.
//
//   html_text("<p>Stor<b>m</b></p><p>caf&eacute; &lt; 5 &euro;");  // "Storm\ncafé < 5 €"
#pragma once

#include <string>
#include <string_view>

namespace weir::match {

std::string html_text(std::string_view html);

}  // namespace weir::match
