// SPDX-License-Identifier: Apache-2.0
#include "match/text_preview.h"

#include <gtest/gtest.h>

#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::match {
namespace {

using event::event_of;
using filter::filter_of;

class TextPreviewTest : public testing::Test {
 protected:
  TextPreviewTest() {
    EXPECT_TRUE(scorer_.add(*filter_));
    scorer_.begin(*event_of(R"({"data":{"a":"calm"}})"), {});
  }
  std::uint64_t document_count() const {
    return scorer_.corpus(filter_->abouts()[0]->source)->document_count();
  }

  TextScorer scorer_{{}, {}};
  const filter::FilterPtr filter_ = filter_of(
      "text(data.a) about 'storm flood' score >= 1 or text(data.a) about all '\"storm flood\"'");
};

TEST_F(TextPreviewTest, EqualsTheScoreAndChangesNothing) {
  for (const char* const text : {"storm and flood and storm", "a storm flood", "calm", "the"}) {
    SCOPED_TRACE(text);
    const auto event = event_of(std::string(R"({"data":{"a":")") + text + R"("}})");
    const std::uint64_t before = document_count();
    TextPreview preview(scorer_, *event, {});
    const TextMatchInfo scored = preview.match_info(*filter_->abouts()[0]);
    const TextMatchInfo phrase = preview.match_info(*filter_->abouts()[1]);
    EXPECT_EQ(preview.match_info(*filter_->abouts()[0]), scored) << "asked again";
    EXPECT_EQ(document_count(), before);
    scorer_.begin(*event, {});
    EXPECT_EQ(scored, scorer_.match_info(*filter_->abouts()[0], *event));
    EXPECT_EQ(phrase, scorer_.match_info(*filter_->abouts()[1], *event));
    EXPECT_EQ(scored.verdict.epoch, before + 1) << "as if it were counted in";
  }
}

TEST_F(TextPreviewTest, KnowsThatThereIsNoText) {
  const auto event = event_of(R"({"data":{"a":1}})");
  TextPreview preview(scorer_, *event, {});
  EXPECT_EQ(preview.match_info(*filter_->abouts()[0]).failure, TextFailure::kNoText);
  EXPECT_EQ(preview.document(filter_->abouts()[0]->source, *event), std::nullopt);
}

}  // namespace
}  // namespace weir::match
