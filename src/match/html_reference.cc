// SPDX-License-Identifier: Apache-2.0
#include "match/html_reference.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace weir::match {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::uint32_t kCodePointMax = 0x10FFFF;

struct Name {
  std::string_view name;
  std::uint32_t code_point;
};

// Names that stand for their character without a semicolon as well, ascending by bytes.
constexpr auto kLooseNames = std::to_array<Name>(
    {{"AElig", 0xC6},  {"AMP", 0x26},    {"Aacute", 0xC1}, {"Acirc", 0xC2},  {"Agrave", 0xC0},
     {"Aring", 0xC5},  {"Atilde", 0xC3}, {"Auml", 0xC4},   {"COPY", 0xA9},   {"Ccedil", 0xC7},
     {"ETH", 0xD0},    {"Eacute", 0xC9}, {"Ecirc", 0xCA},  {"Egrave", 0xC8}, {"Euml", 0xCB},
     {"GT", 0x3E},     {"Iacute", 0xCD}, {"Icirc", 0xCE},  {"Igrave", 0xCC}, {"Iuml", 0xCF},
     {"LT", 0x3C},     {"Ntilde", 0xD1}, {"Oacute", 0xD3}, {"Ocirc", 0xD4},  {"Ograve", 0xD2},
     {"Oslash", 0xD8}, {"Otilde", 0xD5}, {"Ouml", 0xD6},   {"QUOT", 0x22},   {"REG", 0xAE},
     {"THORN", 0xDE},  {"Uacute", 0xDA}, {"Ucirc", 0xDB},  {"Ugrave", 0xD9}, {"Uuml", 0xDC},
     {"Yacute", 0xDD}, {"aacute", 0xE1}, {"acirc", 0xE2},  {"acute", 0xB4},  {"aelig", 0xE6},
     {"agrave", 0xE0}, {"amp", 0x26},    {"aring", 0xE5},  {"atilde", 0xE3}, {"auml", 0xE4},
     {"brvbar", 0xA6}, {"ccedil", 0xE7}, {"cedil", 0xB8},  {"cent", 0xA2},   {"copy", 0xA9},
     {"curren", 0xA4}, {"deg", 0xB0},    {"divide", 0xF7}, {"eacute", 0xE9}, {"ecirc", 0xEA},
     {"egrave", 0xE8}, {"eth", 0xF0},    {"euml", 0xEB},   {"frac12", 0xBD}, {"frac14", 0xBC},
     {"frac34", 0xBE}, {"gt", 0x3E},     {"iacute", 0xED}, {"icirc", 0xEE},  {"iexcl", 0xA1},
     {"igrave", 0xEC}, {"iquest", 0xBF}, {"iuml", 0xEF},   {"laquo", 0xAB},  {"lt", 0x3C},
     {"macr", 0xAF},   {"micro", 0xB5},  {"middot", 0xB7}, {"nbsp", 0xA0},   {"not", 0xAC},
     {"ntilde", 0xF1}, {"oacute", 0xF3}, {"ocirc", 0xF4},  {"ograve", 0xF2}, {"ordf", 0xAA},
     {"ordm", 0xBA},   {"oslash", 0xF8}, {"otilde", 0xF5}, {"ouml", 0xF6},   {"para", 0xB6},
     {"plusmn", 0xB1}, {"pound", 0xA3},  {"quot", 0x22},   {"raquo", 0xBB},  {"reg", 0xAE},
     {"sect", 0xA7},   {"shy", 0xAD},    {"sup1", 0xB9},   {"sup2", 0xB2},   {"sup3", 0xB3},
     {"szlig", 0xDF},  {"thorn", 0xFE},  {"times", 0xD7},  {"uacute", 0xFA}, {"ucirc", 0xFB},
     {"ugrave", 0xF9}, {"uml", 0xA8},    {"uuml", 0xFC},   {"yacute", 0xFD}, {"yen", 0xA5},
     {"yuml", 0xFF}});

// Names that need their semicolon, ascending by bytes.
constexpr auto kStrictNames = std::to_array<Name>(
    {{"Abreve", 0x102},   {"Acy", 0x410},      {"Alpha", 0x391},    {"Amacr", 0x100},
     {"Aogon", 0x104},    {"Bcy", 0x411},      {"Beta", 0x392},     {"CHcy", 0x427},
     {"Cacute", 0x106},   {"Ccaron", 0x10C},   {"Ccirc", 0x108},    {"Cdot", 0x10A},
     {"Chi", 0x3A7},      {"DJcy", 0x402},     {"DScy", 0x405},     {"DZcy", 0x40F},
     {"Dagger", 0x2021},  {"Dcaron", 0x10E},   {"Dcy", 0x414},      {"Delta", 0x394},
     {"Dstrok", 0x110},   {"ENG", 0x14A},      {"Ecaron", 0x11A},   {"Ecy", 0x42D},
     {"Edot", 0x116},     {"Emacr", 0x112},    {"Eogon", 0x118},    {"Epsilon", 0x395},
     {"Eta", 0x397},      {"Fcy", 0x424},      {"GJcy", 0x403},     {"Gamma", 0x393},
     {"Gammad", 0x3DC},   {"Gbreve", 0x11E},   {"Gcedil", 0x122},   {"Gcirc", 0x11C},
     {"Gcy", 0x413},      {"Gdot", 0x120},     {"HARDcy", 0x42A},   {"Hat", 0x5E},
     {"Hcirc", 0x124},    {"Hstrok", 0x126},   {"IEcy", 0x415},     {"IJlig", 0x132},
     {"IOcy", 0x401},     {"Icy", 0x418},      {"Idot", 0x130},     {"Imacr", 0x12A},
     {"Iogon", 0x12E},    {"Iota", 0x399},     {"Itilde", 0x128},   {"Iukcy", 0x406},
     {"Jcirc", 0x134},    {"Jcy", 0x419},      {"Jsercy", 0x408},   {"Jukcy", 0x404},
     {"KHcy", 0x425},     {"KJcy", 0x40C},     {"Kappa", 0x39A},    {"Kcedil", 0x136},
     {"Kcy", 0x41A},      {"LJcy", 0x409},     {"Lacute", 0x139},   {"Lambda", 0x39B},
     {"Lcaron", 0x13D},   {"Lcedil", 0x13B},   {"Lcy", 0x41B},      {"Lmidot", 0x13F},
     {"Lstrok", 0x141},   {"Mcy", 0x41C},      {"Mu", 0x39C},       {"NJcy", 0x40A},
     {"Nacute", 0x143},   {"Ncaron", 0x147},   {"Ncedil", 0x145},   {"Ncy", 0x41D},
     {"NewLine", 0xA},    {"NoBreak", 0x2060}, {"Nu", 0x39D},       {"OElig", 0x152},
     {"Ocy", 0x41E},      {"Odblac", 0x150},   {"Omacr", 0x14C},    {"Omega", 0x3A9},
     {"Omicron", 0x39F},  {"OverBar", 0x203E}, {"Pcy", 0x41F},      {"Phi", 0x3A6},
     {"Pi", 0x3A0},       {"Prime", 0x2033},   {"Psi", 0x3A8},      {"Racute", 0x154},
     {"Rcaron", 0x158},   {"Rcedil", 0x156},   {"Rcy", 0x420},      {"Rho", 0x3A1},
     {"SHCHcy", 0x429},   {"SHcy", 0x428},     {"SOFTcy", 0x42C},   {"Sacute", 0x15A},
     {"Scaron", 0x160},   {"Scedil", 0x15E},   {"Scirc", 0x15C},    {"Scy", 0x421},
     {"Sigma", 0x3A3},    {"TSHcy", 0x40B},    {"TScy", 0x426},     {"Tab", 0x9},
     {"Tau", 0x3A4},      {"Tcaron", 0x164},   {"Tcedil", 0x162},   {"Tcy", 0x422},
     {"Theta", 0x398},    {"Tstrok", 0x166},   {"Ubrcy", 0x40E},    {"Ubreve", 0x16C},
     {"Ucy", 0x423},      {"Udblac", 0x170},   {"Umacr", 0x16A},    {"UnderBar", 0x5F},
     {"Uogon", 0x172},    {"Upsi", 0x3D2},     {"Upsilon", 0x3A5},  {"Uring", 0x16E},
     {"Utilde", 0x168},   {"Vcy", 0x412},      {"Verbar", 0x2016},  {"Vert", 0x2016},
     {"Wcirc", 0x174},    {"Xi", 0x39E},       {"YAcy", 0x42F},     {"YIcy", 0x407},
     {"YUcy", 0x42E},     {"Ycirc", 0x176},    {"Ycy", 0x42B},      {"Yuml", 0x178},
     {"ZHcy", 0x416},     {"Zacute", 0x179},   {"Zcaron", 0x17D},   {"Zcy", 0x417},
     {"Zdot", 0x17B},     {"Zeta", 0x396},     {"abreve", 0x103},   {"acy", 0x430},
     {"af", 0x2061},      {"alefsym", 0x2135}, {"alpha", 0x3B1},    {"amacr", 0x101},
     {"and", 0x2227},     {"ang", 0x2220},     {"aogon", 0x105},    {"apos", 0x27},
     {"ast", 0x2A},       {"asymp", 0x2248},   {"bcy", 0x431},      {"bdquo", 0x201E},
     {"beta", 0x3B2},     {"bprime", 0x2035},  {"bsemi", 0x204F},   {"bsol", 0x5C},
     {"bull", 0x2022},    {"bullet", 0x2022},  {"cacute", 0x107},   {"cap", 0x2229},
     {"caret", 0x2041},   {"ccaron", 0x10D},   {"ccirc", 0x109},    {"cdot", 0x10B},
     {"chcy", 0x447},     {"chi", 0x3C7},      {"circ", 0x2C6},     {"clubs", 0x2663},
     {"colon", 0x3A},     {"comma", 0x2C},     {"commat", 0x40},    {"cong", 0x2245},
     {"crarr", 0x21B5},   {"cup", 0x222A},     {"dArr", 0x21D3},    {"dagger", 0x2020},
     {"darr", 0x2193},    {"dash", 0x2010},    {"dcaron", 0x10F},   {"dcy", 0x434},
     {"ddagger", 0x2021}, {"delta", 0x3B4},    {"diams", 0x2666},   {"digamma", 0x3DD},
     {"djcy", 0x452},     {"dollar", 0x24},    {"dscy", 0x455},     {"dstrok", 0x111},
     {"dzcy", 0x45F},     {"ecaron", 0x11B},   {"ecy", 0x44D},      {"edot", 0x117},
     {"emacr", 0x113},    {"empty", 0x2205},   {"emsp", 0x2003},    {"emsp13", 0x2004},
     {"emsp14", 0x2005},  {"eng", 0x14B},      {"ensp", 0x2002},    {"eogon", 0x119},
     {"epsi", 0x3B5},     {"epsilon", 0x3B5},  {"epsiv", 0x3F5},    {"equals", 0x3D},
     {"equiv", 0x2261},   {"eta", 0x3B7},      {"euro", 0x20AC},    {"excl", 0x21},
     {"exist", 0x2203},   {"fcy", 0x444},      {"fnof", 0x192},     {"forall", 0x2200},
     {"frasl", 0x2044},   {"gacute", 0x1F5},   {"gamma", 0x3B3},    {"gammad", 0x3DD},
     {"gbreve", 0x11F},   {"gcirc", 0x11D},    {"gcy", 0x433},      {"gdot", 0x121},
     {"ge", 0x2265},      {"gjcy", 0x453},     {"grave", 0x60},     {"hArr", 0x21D4},
     {"hairsp", 0x200A},  {"hardcy", 0x44A},   {"harr", 0x2194},    {"hcirc", 0x125},
     {"hearts", 0x2665},  {"hellip", 0x2026},  {"horbar", 0x2015},  {"hstrok", 0x127},
     {"hybull", 0x2043},  {"hyphen", 0x2010},  {"ic", 0x2063},      {"icy", 0x438},
     {"iecy", 0x435},     {"ijlig", 0x133},    {"imacr", 0x12B},    {"image", 0x2111},
     {"imath", 0x131},    {"imped", 0x1B5},    {"infin", 0x221E},   {"inodot", 0x131},
     {"int", 0x222B},     {"iocy", 0x451},     {"iogon", 0x12F},    {"iota", 0x3B9},
     {"isin", 0x2208},    {"it", 0x2062},      {"itilde", 0x129},   {"iukcy", 0x456},
     {"jcirc", 0x135},    {"jcy", 0x439},      {"jmath", 0x237},    {"jsercy", 0x458},
     {"jukcy", 0x454},    {"kappa", 0x3BA},    {"kappav", 0x3F0},   {"kcedil", 0x137},
     {"kcy", 0x43A},      {"kgreen", 0x138},   {"khcy", 0x445},     {"kjcy", 0x45C},
     {"lArr", 0x21D0},    {"lacute", 0x13A},   {"lambda", 0x3BB},   {"lang", 0x27E8},
     {"larr", 0x2190},    {"lbrace", 0x7B},    {"lbrack", 0x5B},    {"lcaron", 0x13E},
     {"lcedil", 0x13C},   {"lceil", 0x2308},   {"lcub", 0x7B},      {"lcy", 0x43B},
     {"ldquo", 0x201C},   {"ldquor", 0x201E},  {"le", 0x2264},      {"lfloor", 0x230A},
     {"ljcy", 0x459},     {"lmidot", 0x140},   {"lowast", 0x2217},  {"lowbar", 0x5F},
     {"loz", 0x25CA},     {"lpar", 0x28},      {"lrm", 0x200E},     {"lsaquo", 0x2039},
     {"lsqb", 0x5B},      {"lsquo", 0x2018},   {"lsquor", 0x201A},  {"lstrok", 0x142},
     {"mcy", 0x43C},      {"mdash", 0x2014},   {"midast", 0x2A},    {"minus", 0x2212},
     {"mldr", 0x2026},    {"mu", 0x3BC},       {"nabla", 0x2207},   {"nacute", 0x144},
     {"napos", 0x149},    {"ncaron", 0x148},   {"ncedil", 0x146},   {"ncy", 0x43D},
     {"ndash", 0x2013},   {"ne", 0x2260},      {"ni", 0x220B},      {"njcy", 0x45A},
     {"nldr", 0x2025},    {"notin", 0x2209},   {"nsub", 0x2284},    {"nu", 0x3BD},
     {"num", 0x23},       {"numsp", 0x2007},   {"ocy", 0x43E},      {"odblac", 0x151},
     {"oelig", 0x153},    {"ohm", 0x3A9},      {"oline", 0x203E},   {"omacr", 0x14D},
     {"omega", 0x3C9},    {"omicron", 0x3BF},  {"oplus", 0x2295},   {"or", 0x2228},
     {"otimes", 0x2297},  {"part", 0x2202},    {"pcy", 0x43F},      {"percnt", 0x25},
     {"period", 0x2E},    {"permil", 0x2030},  {"perp", 0x22A5},    {"pertenk", 0x2031},
     {"phi", 0x3C6},      {"phiv", 0x3D5},     {"pi", 0x3C0},       {"piv", 0x3D6},
     {"plus", 0x2B},      {"prime", 0x2032},   {"prod", 0x220F},    {"prop", 0x221D},
     {"psi", 0x3C8},      {"puncsp", 0x2008},  {"qprime", 0x2057},  {"quest", 0x3F},
     {"rArr", 0x21D2},    {"racute", 0x155},   {"radic", 0x221A},   {"rang", 0x27E9},
     {"rarr", 0x2192},    {"rbrace", 0x7D},    {"rbrack", 0x5D},    {"rcaron", 0x159},
     {"rcedil", 0x157},   {"rceil", 0x2309},   {"rcub", 0x7D},      {"rcy", 0x440},
     {"rdquo", 0x201D},   {"rdquor", 0x201D},  {"real", 0x211C},    {"rfloor", 0x230B},
     {"rho", 0x3C1},      {"rhov", 0x3F1},     {"rlm", 0x200F},     {"rpar", 0x29},
     {"rsaquo", 0x203A},  {"rsqb", 0x5D},      {"rsquo", 0x2019},   {"rsquor", 0x2019},
     {"sacute", 0x15B},   {"sbquo", 0x201A},   {"scaron", 0x161},   {"scedil", 0x15F},
     {"scirc", 0x15D},    {"scy", 0x441},      {"sdot", 0x22C5},    {"semi", 0x3B},
     {"shchcy", 0x449},   {"shcy", 0x448},     {"sigma", 0x3C3},    {"sigmaf", 0x3C2},
     {"sigmav", 0x3C2},   {"sim", 0x223C},     {"softcy", 0x44C},   {"sol", 0x2F},
     {"spades", 0x2660},  {"sub", 0x2282},     {"sube", 0x2286},    {"sum", 0x2211},
     {"sup", 0x2283},     {"supe", 0x2287},    {"tau", 0x3C4},      {"tcaron", 0x165},
     {"tcedil", 0x163},   {"tcy", 0x442},      {"there4", 0x2234},  {"theta", 0x3B8},
     {"thetasym", 0x3D1}, {"thetav", 0x3D1},   {"thinsp", 0x2009},  {"tilde", 0x2DC},
     {"tprime", 0x2034},  {"trade", 0x2122},   {"tscy", 0x446},     {"tshcy", 0x45B},
     {"tstrok", 0x167},   {"uArr", 0x21D1},    {"uarr", 0x2191},    {"ubrcy", 0x45E},
     {"ubreve", 0x16D},   {"ucy", 0x443},      {"udblac", 0x171},   {"umacr", 0x16B},
     {"uogon", 0x173},    {"upsi", 0x3C5},     {"upsih", 0x3D2},    {"upsilon", 0x3C5},
     {"uring", 0x16F},    {"utilde", 0x169},   {"varkappa", 0x3F0}, {"varphi", 0x3D5},
     {"varpi", 0x3D6},    {"varrho", 0x3F1},   {"varsigma", 0x3C2}, {"vartheta", 0x3D1},
     {"vcy", 0x432},      {"verbar", 0x7C},    {"vert", 0x7C},      {"wcirc", 0x175},
     {"weierp", 0x2118},  {"xi", 0x3BE},       {"yacy", 0x44F},     {"ycirc", 0x177},
     {"ycy", 0x44B},      {"yicy", 0x457},     {"yucy", 0x44E},     {"zacute", 0x17A},
     {"zcaron", 0x17E},   {"zcy", 0x437},      {"zdot", 0x17C},     {"zeta", 0x3B6},
     {"zhcy", 0x436},     {"zwj", 0x200D},     {"zwnj", 0x200C}});

constexpr std::size_t kLooseNameBytesMin = 2;
constexpr std::size_t kLooseNameBytesMax = 6;

// What pages mean that take windows-1252 for Unicode; 0: the control character itself.
constexpr auto kWindows1252 = std::to_array<std::uint16_t>(
    {0x20AC, 0,      0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
     0x2039, 0x152,  0,      0x17D,  0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
     0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0,      0x17E,  0x178});

constexpr bool is_sorted_and_short(std::span<const Name> names, std::size_t bytes_max) {
  return std::ranges::is_sorted(names, {}, &Name::name) &&
         std::ranges::all_of(names, [=](const Name& n) { return n.name.size() <= bytes_max; });
}
static_assert(is_sorted_and_short(kLooseNames, kLooseNameBytesMax));
static_assert(is_sorted_and_short(kStrictNames, kHtmlNameBytesMax));

std::optional<std::uint32_t> find_name(std::span<const Name> names, std::string_view wanted) {
  const auto found = std::ranges::lower_bound(names, wanted, {}, &Name::name);
  if (found == names.end() || found->name != wanted) return std::nullopt;
  return found->code_point;
}

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The value of a digit, at least 16 for what is none.
std::uint32_t digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A') + 10;
  return 16;
}

std::uint32_t corrected(std::uint32_t number) {
  const bool is_surrogate = number >= 0xD800 && number <= 0xDFFF;
  if (number == 0 || is_surrogate || number > kCodePointMax) return kReplacement;
  if (number < 0x80 || number > 0x9F || kWindows1252[number - 0x80] == 0) return number;
  return kWindows1252[number - 0x80];
}

// "&#" has been seen.
HtmlReference read_number(std::string_view text) {
  const bool is_hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  const std::uint32_t base = is_hex ? 16 : 10;
  const std::size_t begin = is_hex ? 3 : 2;
  std::size_t at = begin;
  std::uint32_t number = 0;
  for (; at < text.size() && digit_value(text[at]) < base; ++at) {
    number = std::min(number * base + digit_value(text[at]), kCodePointMax + 1);
  }
  if (at == begin) return {};
  if (at < text.size() && text[at] == ';') ++at;
  return {.code_point = corrected(number), .length_bytes = at};
}

HtmlReference read_name(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && end <= kHtmlNameBytesMax && is_alphanumeric(text[end])) ++end;
  const std::string_view name = text.substr(1, end - 1);
  if (end < text.size() && text[end] == ';') {
    if (const auto found = find_name(kStrictNames, name)) return {*found, end + 1};
    if (const auto found = find_name(kLooseNames, name)) return {*found, end + 1};
  }
  for (std::size_t bytes = std::min(name.size(), kLooseNameBytesMax); bytes >= kLooseNameBytesMin;
       --bytes) {
    if (const auto found = find_name(kLooseNames, name.substr(0, bytes)))
      return {*found, bytes + 1};
  }
  return {};
}

}  // namespace

HtmlReference read_html_reference(std::string_view text) {
  if (text.size() < 2 || text[0] != '&') return {};
  return text[1] == '#' ? read_number(text) : read_name(text);
}

}  // namespace weir::match
