// SPDX-License-Identifier: Apache-2.0
// Stop words: the words of a language that bind others together and say nothing of the subject.
//
// There are lists for english (and porter, which stems English), french, german and spanish.
// Another language has none, which costs little: the idf of a word that is in every document is 0.
#pragma once

#include <span>
#include <string_view>

namespace weir::match {

// Ascending by bytes, each word as TextAnalyzer folds it; empty where there is no list.
std::span<const std::string_view> stop_words(std::string_view language);

}  // namespace weir::match
