// SPDX-License-Identifier: Apache-2.0
#include "cli/corpus_files.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "cli/byte_source.h"

namespace weir::cli {
namespace {

Attempt<match::CorpusCounts> read_corpus(const std::string& path) {
  const auto fail = [](const base::Error& error, const std::string& name) {
    Failure failure = file_failure(error, name);
    failure.what = failure.what.empty() ? "text.corpus" : "text.corpus: " + failure.what;
    return tl::unexpected(std::move(failure));
  };
  auto source = FileSource::open(path);
  if (!source) return fail(source.error(), path);
  const auto text = read_all(*source, kCorpusFileBytesMax);
  if (!text) return fail(text.error(), source->name());
  auto counts = match::parse_corpus_counts(*text);
  if (!counts) return fail(counts.error(), source->name());
  return std::move(*counts);
}

}  // namespace

Attempt<std::vector<std::shared_ptr<const match::CorpusCounts>>> read_corpora(
    const std::vector<std::string>& paths) {
  std::vector<std::shared_ptr<const match::CorpusCounts>> corpora;
  std::set<std::string> languages;
  for (const std::string& path : paths) {
    auto counts = read_corpus(path);
    if (!counts) return tl::unexpected(std::move(counts.error()));
    if (!languages.insert(counts->language).second) {
      return tl::unexpected(Failure{
          .error = {base::ErrorId::kConfigKey,
                    fmt::format("text.corpus has two files of {}, expected one", counts->language),
                    std::nullopt}});
    }
    corpora.push_back(std::make_shared<const match::CorpusCounts>(std::move(*counts)));
  }
  return corpora;
}

}  // namespace weir::cli
