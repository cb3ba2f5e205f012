// SPDX-License-Identifier: Apache-2.0
#include "match/stop_words.h"

#include <algorithm>
#include <array>

namespace weir::match {
namespace {

constexpr auto kEnglish = std::to_array<std::string_view>(
    {"a",         "about",   "above",    "across",  "after",    "again",      "against",
     "all",       "also",    "although", "always",  "am",       "among",      "an",
     "and",       "any",     "are",      "aren't",  "as",       "at",         "be",
     "because",   "been",    "before",   "being",   "below",    "between",    "both",
     "but",       "by",      "can",      "can't",   "cannot",   "could",      "couldn't",
     "did",       "didn't",  "do",       "does",    "doesn't",  "doing",      "don't",
     "down",      "during",  "each",     "even",    "ever",     "few",        "for",
     "from",      "further", "had",      "hadn't",  "has",      "hasn't",     "have",
     "haven't",   "having",  "he",       "he'd",    "he'll",    "he's",       "her",
     "here",      "here's",  "hers",     "herself", "him",      "himself",    "his",
     "how",       "i",       "i'd",      "i'll",    "i'm",      "i've",       "if",
     "in",        "into",    "is",       "isn't",   "it",       "it'll",      "it's",
     "its",       "itself",  "just",     "let's",   "me",       "more",       "most",
     "must",      "mustn't", "my",       "myself",  "needn't",  "never",      "no",
     "nor",       "not",     "of",       "off",     "on",       "once",       "one's",
     "only",      "onto",    "or",       "other",   "ought",    "our",        "ours",
     "ourselves", "out",     "over",     "own",     "per",      "same",       "shall",
     "shan't",    "she",     "she'd",    "she'll",  "she's",    "should",     "shouldn't",
     "since",     "so",      "some",     "still",   "such",     "than",       "that",
     "that's",    "the",     "their",    "theirs",  "them",     "themselves", "then",
     "there",     "there's", "these",    "they",    "they'd",   "they'll",    "they're",
     "they've",   "this",    "those",    "though",  "through",  "to",         "too",
     "toward",    "towards", "under",    "unless",  "until",    "up",         "upon",
     "very",      "via",     "was",      "wasn't",  "we",       "we'd",       "we'll",
     "we're",     "we've",   "were",     "weren't", "what",     "what's",     "when",
     "where",     "where's", "whether",  "which",   "while",    "who",        "who's",
     "whom",      "whose",   "why",      "will",    "with",     "within",     "without",
     "won't",     "would",   "wouldn't", "yet",     "you",      "you'd",      "you'll",
     "you're",    "you've",  "your",     "yours",   "yourself", "yourselves"});

constexpr auto kFrench = std::to_array<std::string_view>(
    {"a",          "ai",       "après",   "as",      "au",       "aura",   "aurait",  "auront",
     "aussi",      "aux",      "avaient", "avais",   "avait",    "avant",  "avec",    "avez",
     "aviez",      "avions",   "avoir",   "avons",   "c",        "c'est",  "car",     "ce",
     "ceci",       "cela",     "celle",   "celles",  "celui",    "ces",    "cet",     "cette",
     "ceux",       "chez",     "comme",   "contre",  "d",        "d'un",   "d'une",   "dans",
     "de",         "depuis",   "des",     "donc",    "dont",     "du",     "dès",     "elle",
     "elles",      "en",       "encore",  "entre",   "es",       "est",    "et",      "eu",
     "fut",        "il",       "ils",     "j",       "j'ai",     "je",     "jusqu'à", "jusque",
     "l",          "l'un",     "l'une",   "la",      "laquelle", "le",     "lequel",  "les",
     "lesquelles", "lesquels", "leur",    "leurs",   "lorsque",  "lui",    "m",       "ma",
     "mais",       "me",       "mes",     "moi",     "mon",      "même",   "n",       "n'a",
     "n'est",      "n'ont",    "ne",      "ni",      "nos",      "notre",  "nous",    "on",
     "ont",        "ou",       "où",      "par",     "parce",    "pas",    "pendant", "plus",
     "pour",       "puisque",  "qu",      "qu'elle", "qu'elles", "qu'il",  "qu'ils",  "qu'on",
     "qu'un",      "qu'une",   "quand",   "que",     "quel",     "quelle", "quelles", "quels",
     "qui",        "quoi",     "s",       "s'est",   "sa",       "sans",   "se",      "sera",
     "serait",     "seront",   "ses",     "si",      "soi",      "sommes", "son",     "sont",
     "sous",       "suis",     "sur",     "t",       "ta",       "te",     "tes",     "toi",
     "ton",        "tous",     "tout",    "toute",   "toutes",   "très",   "tu",      "un",
     "une",        "vers",     "vos",     "votre",   "vous",     "y",      "à",       "ça",
     "étaient",    "étais",    "était",   "étiez",   "étions",   "êtes",   "être"});

constexpr auto kGerman = std::to_array<std::string_view>(
    {"aber",    "als",     "also",    "am",       "an",     "auch",    "auf",      "aus",
     "bei",     "beim",    "bin",     "bis",      "bist",   "da",      "damit",    "dann",
     "darf",    "das",     "dass",    "dein",     "deine",  "deinem",  "deinen",   "deiner",
     "deines",  "dem",     "den",     "denn",     "der",    "des",     "dich",     "die",
     "diese",   "diesem",  "diesen",  "dieser",   "dieses", "dir",     "doch",     "dort",
     "du",      "durch",   "dürfen",  "ein",      "eine",   "einem",   "einen",    "einer",
     "eines",   "er",      "es",      "euch",     "euer",   "eure",    "eurem",    "euren",
     "eurer",   "eures",   "für",     "gegen",    "gehabt", "gewesen", "geworden", "habe",
     "haben",   "habt",    "hast",    "hat",      "hatte",  "hatten",  "hattest",  "hattet",
     "hier",    "hinter",  "ich",     "ihm",      "ihn",    "ihnen",   "ihr",      "ihre",
     "ihrem",   "ihren",   "ihrer",   "ihres",    "im",     "in",      "ins",      "ist",
     "jede",    "jedem",   "jeden",   "jeder",    "jedes",  "jene",    "jenem",    "jenen",
     "jener",   "jenes",   "kann",    "kein",     "keine",  "keinem",  "keinen",   "keiner",
     "keines",  "konnte",  "konnten", "können",   "man",    "mein",    "meine",    "meinem",
     "meinen",  "meiner",  "meines",  "mich",     "mir",    "mit",     "muss",     "musste",
     "mussten", "müssen",  "nach",    "neben",    "nicht",  "noch",    "nun",      "nur",
     "ob",      "obwohl",  "oder",    "ohne",     "schon",  "sehr",    "sei",      "seid",
     "sein",    "seine",   "seinem",  "seinen",   "seiner", "seines",  "seit",     "sich",
     "sie",     "sind",    "so",      "soll",     "sollen", "sollte",  "sollten",  "sondern",
     "sowie",   "um",      "und",     "uns",      "unser",  "unsere",  "unserem",  "unseren",
     "unserer", "unseres", "unter",   "vom",      "von",    "vor",     "war",      "waren",
     "warst",   "wart",    "was",     "weder",    "weil",   "welche",  "welchem",  "welchen",
     "welcher", "welches", "wem",     "wen",      "wenn",   "wer",     "werde",    "werden",
     "werdet",  "wessen",  "wie",     "will",     "wir",    "wird",    "wirst",    "wollen",
     "wollte",  "wollten", "worden",  "wurde",    "wurden", "während", "würde",    "würden",
     "zu",      "zum",     "zur",     "zwischen", "über"});

constexpr auto kSpanish = std::to_array<std::string_view>(
    {"a",       "al",       "ante",   "aquel",   "aquella",  "aquellas", "aquello", "aquellos",
     "aunque",  "bajo",     "como",   "con",     "contra",   "cual",     "cuales",  "cuando",
     "cuya",    "cuyas",    "cuyo",   "cuyos",   "cuál",     "cuándo",   "cómo",    "de",
     "del",     "desde",    "donde",  "durante", "dónde",    "e",        "el",      "ella",
     "ellas",   "ello",     "ellos",  "en",      "entre",    "era",      "eran",    "eras",
     "eres",    "es",       "esa",    "esas",    "ese",      "eso",      "esos",    "esta",
     "estaba",  "estaban",  "estado", "estamos", "estar",    "estas",    "este",    "esto",
     "estos",   "estoy",    "está",   "están",   "estás",    "fue",      "fueron",  "ha",
     "haber",   "habéis",   "había",  "habían",  "hacia",    "han",      "has",     "hasta",
     "hay",     "he",       "hemos",  "hubo",    "la",       "las",      "le",      "les",
     "lo",      "los",      "me",     "menos",   "mi",       "mis",      "muy",     "más",
     "mí",      "ni",       "no",     "nos",     "nosotras", "nosotros", "nuestra", "nuestras",
     "nuestro", "nuestros", "o",      "os",      "para",     "pero",     "por",     "porque",
     "pues",    "que",      "quien",  "quienes", "quién",    "qué",      "se",      "sea",
     "sean",    "según",    "ser",    "será",    "serán",    "sería",    "si",      "sido",
     "siendo",  "sin",      "sino",   "sobre",   "sois",     "somos",    "son",     "soy",
     "su",      "sus",      "suya",   "suyas",   "suyo",     "suyos",    "sí",      "también",
     "tampoco", "tan",      "tanto",  "te",      "ti",       "toda",     "todas",   "todo",
     "todos",   "tras",     "tu",     "tus",     "tú",       "u",        "un",      "una",
     "unas",    "unos",     "usted",  "ustedes", "vosotras", "vosotros", "vuestra", "vuestras",
     "vuestro", "vuestros", "y",      "ya",      "yo",       "él",       "éramos"});

static_assert(std::ranges::is_sorted(kEnglish) && std::ranges::is_sorted(kFrench));
static_assert(std::ranges::is_sorted(kGerman) && std::ranges::is_sorted(kSpanish));

}  // namespace

std::span<const std::string_view> stop_words(std::string_view language) {
  if (language == "english" || language == "porter") return kEnglish;
  if (language == "french") return kFrench;
  if (language == "german") return kGerman;
  if (language == "spanish") return kSpanish;
  return {};
}

}  // namespace weir::match
