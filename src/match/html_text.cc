// SPDX-License-Identifier: Apache-2.0
#include "match/html_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/utf8.h"
#include "match/html_reference.h"

namespace weir::match {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kSpaces = " \t\n\f\r";
constexpr std::string_view kSpacesSlash = " \t\n\f\r/";
constexpr std::string_view kSpacesEnd = " \t\n\f\r>";
constexpr std::string_view kNameEnds = " \t\n\f\r/>";
constexpr std::string_view kAttributeNameEnds = " \t\n\f\r/>=";

enum class Content : std::uint8_t {
  kInline,     // as if the tag were not there
  kParted,     // stands apart from what is around it
  kTemplate,   // not shown; may contain templates
  kHidden,     // raw up to the end tag, not shown
  kHiddenBox,  // the same, and stands apart
  kEscapable,  // text with references up to the end tag, stands apart
  kRaw,        // text up to the end tag, stands apart
  kRest,       // text up to the end of all, stands apart
};

struct Element {
  std::string_view name;  // in small letters; empty for all that are kInline or kParted
  Content content = Content::kInline;
};

constexpr auto kSpecialElements = std::to_array<Element>({{"iframe", Content::kHiddenBox},
                                                          {"noembed", Content::kHidden},
                                                          {"noframes", Content::kHidden},
                                                          {"noscript", Content::kHidden},
                                                          {"plaintext", Content::kRest},
                                                          {"script", Content::kHidden},
                                                          {"style", Content::kHidden},
                                                          {"template", Content::kTemplate},
                                                          {"textarea", Content::kEscapable},
                                                          {"title", Content::kEscapable},
                                                          {"xmp", Content::kRaw}});

constexpr auto kPartedNames = std::to_array<std::string_view>(
    {"address", "article",  "aside",  "audio",    "blockquote", "body",     "br",         "button",
     "canvas",  "caption",  "center", "col",      "colgroup",   "dd",       "details",    "dialog",
     "dir",     "div",      "dl",     "dt",       "embed",      "fieldset", "figcaption", "figure",
     "footer",  "form",     "frame",  "frameset", "h1",         "h2",       "h3",         "h4",
     "h5",      "h6",       "head",   "header",   "hgroup",     "hr",       "html",       "image",
     "img",     "input",    "legend", "li",       "listing",    "main",     "marquee",    "math",
     "menu",    "meter",    "nav",    "object",   "ol",         "optgroup", "option",     "p",
     "pre",     "progress", "rp",     "rt",       "search",     "section",  "select",     "summary",
     "svg",     "table",    "tbody",  "td",       "tfoot",      "th",       "thead",      "tr",
     "ul",      "video"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view text, std::string_view small_name) {
  return text.size() >= small_name.size() &&
         std::ranges::equal(text.substr(0, small_name.size()), small_name, {}, lower);
}

Element find_element(std::string_view name) {
  const auto is_named = [name](std::string_view known) {
    return known.size() == name.size() && begins_with(name, known);
  };
  if (std::ranges::any_of(kPartedNames, is_named)) return {.name = {}, .content = Content::kParted};
  const auto special = std::ranges::find_if(kSpecialElements, is_named, &Element::name);
  return special == kSpecialElements.end() ? Element{} : *special;
}

// Where what follows the comment begins that `html` starts with, kNone if it is not closed.
std::size_t comment_end(std::string_view html) {
  constexpr std::size_t kOpeningBytes = 4;  // <!--
  const std::string_view inside = html.substr(kOpeningBytes);
  if (inside.starts_with('>')) return kOpeningBytes + 1;
  if (inside.starts_with("->")) return kOpeningBytes + 2;
  for (std::size_t at = html.find("--", kOpeningBytes); at != kNone; at = html.find("--", at + 1)) {
    if (html.substr(at).starts_with("-->")) return at + 3;
    if (html.substr(at).starts_with("--!>")) return at + 4;
  }
  return kNone;
}

// `at` is behind an attribute's name; gives the place behind its value, if it has one.
std::size_t skip_value(std::string_view html, std::size_t at) {
  at = html.find_first_not_of(kSpaces, at);
  if (at == kNone || html[at] != '=') return at;
  at = html.find_first_not_of(kSpaces, at + 1);
  if (at == kNone) return kNone;
  if (html[at] != '"' && html[at] != '\'') return html.find_first_of(kSpacesEnd, at);
  const std::size_t quote = html.find(html[at], at + 1);
  return quote == kNone ? kNone : quote + 1;
}

// `at` is behind a tag's name; gives the place behind its '>', kNone if it is not closed.
std::size_t tag_end(std::string_view html, std::size_t at) {
  while (true) {
    at = html.find_first_not_of(kSpacesSlash, at);
    if (at == kNone || html[at] == '>') return at == kNone ? kNone : at + 1;
    at = html.find_first_of(kAttributeNameEnds, at + 1);  // a name may begin with '='
    if (at != kNone) at = skip_value(html, at);
    if (at == kNone) return kNone;
  }
}

// Where the end tag of a raw element begins, at `at` or later; html.size() if there is none.
std::size_t raw_end(std::string_view html, std::size_t at, std::string_view name) {
  for (at = html.find("</", at); at != kNone; at = html.find("</", at + 1)) {
    const std::string_view rest = html.substr(at + 2);
    const bool is_longer = rest.size() > name.size();
    if (is_longer && begins_with(rest, name) && kNameEnds.find(rest[name.size()]) != kNone)
      return at;
  }
  return html.size();
}

bool parts_words(Content content) {
  return content != Content::kInline && content != Content::kTemplate &&
         content != Content::kHidden;
}

class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : html_(html) { text_.reserve(html.size()); }

  std::string read() && {
    while (at_ < html_.size()) {
      const std::size_t next = std::min(html_.find_first_of("<&", at_), html_.size());
      take(next);
      if (next == html_.size()) break;
      if (html_[next] == '&') {
        take_reference();
      } else {
        read_markup();
      }
    }
    return std::move(text_);
  }

 private:
  bool is_hidden() const { return template_depth_ > 0; }

  // Takes the text up to `end` as it is.
  void take(std::size_t end) {
    if (!is_hidden()) text_ += html_.substr(at_, end - at_);
    at_ = end;
  }

  void take_reference() {
    const HtmlReference reference = read_html_reference(html_.substr(at_));
    if (reference.length_bytes == 0) return take(at_ + 1);
    if (!is_hidden()) base::append_utf8(reference.code_point, text_);
    at_ += reference.length_bytes;
  }

  void take_escapable(std::size_t end) {
    while (at_ < end) {
      take(std::min(html_.substr(0, end).find('&', at_), end));
      if (at_ < end) take_reference();
    }
  }

  void part() {
    if (!is_hidden() && !text_.empty() && text_.back() != '\n') text_ += '\n';
  }

  void skip_to(std::size_t place) { at_ = std::min(place, html_.size()); }

  // At a '<'.
  void read_markup() {
    const std::string_view rest = html_.substr(at_);
    const char second = rest.size() > 1 ? rest[1] : ' ';
    if (is_letter(second)) return read_start_tag();
    if (second == '/' && rest.size() > 2) {
      return is_letter(rest[2]) ? read_end_tag() : skip_bogus_comment();
    }
    if (rest.starts_with("<!--")) {
      const std::size_t bytes = comment_end(rest);
      return skip_to(bytes == kNone ? kNone : at_ + bytes);
    }
    if (second == '!' || second == '?') return skip_bogus_comment();
    take(at_ + 1);
  }

  void skip_bogus_comment() {
    const std::size_t end = html_.find('>', at_);
    skip_to(end == kNone ? kNone : end + 1);
  }

  // Skips the tag whose name begins at `begin`; a tag that is not closed is none.
  Element read_tag(std::size_t begin) {
    const std::size_t name_end = html_.find_first_of(kNameEnds, begin);
    const std::size_t end = name_end == kNone ? kNone : tag_end(html_, name_end);
    skip_to(end);
    return end == kNone ? Element{} : find_element(html_.substr(begin, name_end - begin));
  }

  void read_start_tag() {
    const Element element = read_tag(at_ + 1);
    if (parts_words(element.content)) part();
    if (element.content == Content::kTemplate) ++template_depth_;
    if (element.content == Content::kRest) return take(html_.size());
    if (element.name.empty() || element.content == Content::kTemplate) return;
    const std::size_t end = raw_end(html_, at_, element.name);
    if (element.content == Content::kRaw) return take(end);
    if (element.content == Content::kEscapable) return take_escapable(end);
    skip_to(end);
  }

  void read_end_tag() {
    const Element element = read_tag(at_ + 2);
    if (parts_words(element.content)) part();
    if (element.content == Content::kTemplate && template_depth_ > 0) --template_depth_;
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::size_t template_depth_ = 0;
  std::string text_;
};

}  // namespace

std::string html_text(std::string_view html) { return HtmlReader(html).read(); }

}  // namespace weir::match
