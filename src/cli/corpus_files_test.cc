// SPDX-License-Identifier: Apache-2.0
#include "cli/corpus_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weir::cli {
namespace {

using testing::HasSubstr;

class CorpusFilesTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "corpus_files_test_" + name;
    std::ofstream(path) << text;
    paths_.push_back(path);
    return path;
  }
  void TearDown() override {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }

 private:
  std::vector<std::string> paths_;
};

TEST_F(CorpusFilesTest, ReadsOneFileForALanguage) {
  const auto corpora = read_corpora(
      {file("en", "weir-corpus 1 english 4\nstorm 2\n"), file("de", "weir-corpus 1 german 3\n")});
  ASSERT_TRUE(corpora.has_value());
  ASSERT_EQ(corpora->size(), 2U);
  EXPECT_EQ(*(*corpora)[0], (match::CorpusCounts{"english", 4, {{"storm", 2}}}));
  EXPECT_EQ((*corpora)[1]->language, "german");
  EXPECT_TRUE(read_corpora({})->empty());
}

TEST_F(CorpusFilesTest, SaysWhichFileIsWrongAndWhere) {
  const auto bad = read_corpora({file("bad", "weir-corpus 1 english 4\nstorm 5\n")});
  ASSERT_FALSE(bad.has_value());
  EXPECT_THAT(to_text(bad.error()), HasSubstr("text.corpus: "));
  EXPECT_THAT(to_text(bad.error()), HasSubstr("corpus_files_test_bad: line 2"));
  const auto missing = read_corpora({"/nonexistent/x"});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(to_text(missing.error()), HasSubstr("text.corpus: cannot open /nonexistent/x"));
  EXPECT_EQ(missing.error().error.id, base::ErrorId::kCliFile);
  const std::string once = file("once", "weir-corpus 1 english 4\n");
  const auto twice = read_corpora({once, once});
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().error.message, "text.corpus has two files of english, expected one");
}

}  // namespace
}  // namespace weir::cli
