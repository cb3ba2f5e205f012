// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "engine/text_annotator.h"
#include "event/event_testing.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;
using testing::HasSubstr;

// Whether a filter is found by its terms.
bool is_shared(const std::string& filter) {
  Engine engine;
  EXPECT_TRUE(engine.subscribe(filter)) << filter;
  return engine.memory().text_group_count > 0;
}

TEST(SharedTextTest, TakesOneTextPredicateBesideAnythingElse) {
  for (const char* const filter :
       {"text(data.t) about 'storm' score >= 1", "text(data.t) about 'storm'",
        "type = 'a' and text(data.t) about 'storm flood' score >= 1",
        "text(data.t) about all 'storm flood'", "text(data.t) about any 'storm flood'",
        "text(data.t) about 'storm -sport' score >= 1",
        "text(data.t) about '\"flash flood\"' score >= 1",
        "text(data.t) about 'storm' score >= 1 and change(data.v) > 1",
        "text(data.t) about 'storm' score >= 1 and not data.v = 1 and distinct(id) within 1s"}) {
    EXPECT_TRUE(is_shared(filter)) << filter;
  }
  for (const char* const filter :
       {"text(data.t) about 'storm' score >= 0", "not text(data.t) about 'storm' score >= 1",
        "text(data.t) about any '\"flash flood\" storm'",
        "text(data.t) about 'storm' score >= 1 or type = 'a'",
        "text(data.t) about 'storm' score >= 1 and text(data.u) about 'flood' score >= 1",
        "type = 'a' and change(data.v, text(data.t) about 'storm' score >= 1) > 1"}) {
    EXPECT_FALSE(is_shared(filter)) << filter;
  }
}

TEST(SharedTextTest, FiltersWithTheSameRestAreOneEntryInTheMatcher) {
  Engine engine;
  std::vector<SubscriptionId> ids;
  for (const char* const word : {"storm", "flood", "rain"}) {
    for (const char* const rest : {"", "type = 'a' and ", "not (type = 'b') and "}) {
      ids.push_back(
          *engine.subscribe(fmt::format("{}text(data.t) about '{}' score >= 0.1", rest, word)));
    }
  }
  EXPECT_EQ(engine.memory().text_group_count, 3U);
  EXPECT_EQ(engine.memory().text_filter_count, 9U);
  EXPECT_GT(engine.memory().text_bytes, 0U);
  for (const SubscriptionId id : ids) ASSERT_TRUE(engine.unsubscribe(id));
  EXPECT_EQ(engine.memory().text_group_count, 0U);
}

event::EventPtr document(int id, std::string_view text) {
  return event::event_of(fmt::format(R"({{"id":"{}","data":{{"t":"{}","v":{}}}}})", id, text, id));
}

// What a delivery by this filter says; nothing if there is nothing to say.
std::string annotation(std::string_view filter, const Delivery& delivery,
                       std::shared_ptr<const match::HighlightOptions> highlight = {}) {
  if (!delivery.text) return "";
  match::TextAnalyzers analyzers({});
  TextAnnotator annotator(*filter::Filter::parse(filter), analyzers,
                          {.highlight = std::move(highlight), .score_min = 1});
  return annotator.annotation(delivery.text, delivery.events.back().get());
}

TEST(SharedTextTest, ADeliverySaysWhy) {
  Engine engine;
  constexpr std::string_view kFilter = "text(data.t) about 'storm flood rescue' score >= 0.1";
  ASSERT_TRUE(engine.subscribe(kFilter));
  ASSERT_TRUE(engine.subscribe("data.v >= 0"));
  EXPECT_EQ(engine.publish(document(1, "storm coast"), {}).size(), 1U);
  EXPECT_EQ(engine.publish(document(2, "market"), {}).size(), 1U);
  EXPECT_EQ(engine.publish(document(3, "market rain"), {}).size(), 1U);
  const auto deliveries = engine.publish(document(4, "storm flood flood"), {});
  ASSERT_EQ(deliveries.size(), 2U);
  EXPECT_EQ(annotation(kFilter, deliveries[0]),
            R"("weirscore":"1.7329","weirepoch":4,"weirterms":"storm=0.3466 flood=1.3863")");
  EXPECT_EQ(annotation("data.v >= 0", deliveries[1]), "");
  EXPECT_EQ(annotation("text(data.t) about any 'flood calm'", deliveries[0]),
            R"("weirscore":"1.7329","weirepoch":4,"weirterms":"flood=1.3863")")
      << "a filter that has replaced it has other terms";
  EXPECT_EQ(annotation("data.v >= 0", deliveries[0]), R"("weirscore":"1.7329","weirepoch":4)");
}

TEST(SharedTextTest, ADeliveryShowsWhereIfItIsAskedFor) {
  Engine engine;
  constexpr std::string_view kFilter = "text(data.t) about all 'flood'";
  ASSERT_TRUE(engine.subscribe(kFilter));
  const auto deliveries = engine.publish(document(1, "a storm & its floods"), {});
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_THAT(annotation(kFilter, deliveries[0], std::make_shared<const match::HighlightOptions>()),
              HasSubstr(R"(,"weirhighlight":"a storm &amp; its <em>floods</em>")"));
  EXPECT_THAT(annotation(kFilter, deliveries[0]), testing::Not(HasSubstr("weirhighlight")));
}

TEST(SharedTextTest, WhatIsHeldBackSaysWhyWhenItIsDelivered) {
  Engine engine;
  constexpr std::string_view kFilter =
      "text(data.t) about 'storm' score >= 0.1 and change(data.v) > 0 at most every 10s";
  ASSERT_TRUE(engine.subscribe(kFilter));
  engine.publish(document(1, "market"), {});
  ASSERT_EQ(engine.publish(document(2, "storm"), {}).size(), 1U);
  EXPECT_TRUE(engine.publish(document(3, "storm"), {}).empty());
  const auto late = engine.advance(Instant() + Duration::seconds(20));
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(annotation(kFilter, late[0]),
            R"("weirscore":"0.4055","weirepoch":3,"weirterms":"storm=0.4055")");
}

TEST(SharedTextTest, OfManyTermsThoseAreToldThatCountMost) {
  auto shares = std::make_shared<match::TextShares>();
  std::string words;
  for (unsigned i = 0; i < 100; ++i) {
    const std::string term = fmt::format("t{}", i);
    shares->terms.emplace(term, i % 50 * 10'000);
    words += term + ' ';
  }
  Delivery delivery;
  delivery.text.shares = std::move(shares);
  delivery.events.push_back(document(1, ""));
  const std::string told = annotation(fmt::format("text(data.t) about any '{}'", words), delivery);
  EXPECT_THAT(told, HasSubstr("t49=49.0000"));
  EXPECT_THAT(told, HasSubstr("t84=34.0000"));
  EXPECT_THAT(told, testing::Not(HasSubstr("t83=")));
  EXPECT_EQ(std::ranges::count(told, '='), kAnnotatedTermCountMax);
}

// Two engines with the same subscriptions. In the second one no text predicate is found by its
// terms: each filter has an alternative that never holds.
class Pair {
 public:
  explicit Pair(EngineOptions options) : shared_(options), alone_(options) {}

  void subscribe(const std::string& text, const std::shared_ptr<const Gate>& gate) {
    const auto shared = shared_.subscribe(text, {.gate = gate});
    const auto distinct = text.find(" and distinct");
    const std::string first = text.substr(0, distinct);
    const std::string rest = distinct == std::string::npos ? "" : text.substr(distinct);
    const auto alone =
        alone_.subscribe(fmt::format("(({}) or id = 'never'){}", first, rest), {.gate = gate});
    ASSERT_TRUE(shared && alone) << text;
    known_.emplace(*shared, *alone);
    ASSERT_EQ(*shared, *alone);
    texts_.emplace(*shared, text);
  }
  void unsubscribe(std::size_t index) {
    const auto at = std::next(known_.begin(), static_cast<std::ptrdiff_t>(index));
    ASSERT_TRUE(shared_.unsubscribe(at->first));
    ASSERT_TRUE(alone_.unsubscribe(at->second));
    known_.erase(at);
  }
  void publish(const event::EventPtr& event, Instant now) {
    ASSERT_EQ(shown(shared_.publish(event, now)), shown(alone_.publish(event, now)));
  }
  void compare() {
    for (const auto& [shared, alone] : known_) {
      ASSERT_EQ(*shared_.counters(shared), *alone_.counters(alone)) << texts_.at(shared);
    }
    ASSERT_EQ(shared_.counters().outcomes, alone_.counters().outcomes);
    ASSERT_EQ(shared_.save_text(), alone_.save_text());
  }
  std::size_t size() const { return known_.size(); }
  std::size_t delivered() const { return delivered_; }

 private:
  std::map<SubscriptionId, std::string> shown(std::span<const Delivery> deliveries) {
    std::map<SubscriptionId, std::string> all;
    for (const Delivery& delivery : deliveries) {
      std::string& text = all[delivery.subscription];
      for (const event::EventPtr& event : delivery.events) text += std::string(event->id()) + ' ';
      if (delivery.text) {
        text += fmt::format("{} {} {}", delivery.text.about, delivery.text.score,
                            delivery.text.shares->epoch);
        for (const auto& [term, share] : delivery.text.shares->terms) {
          text += fmt::format(" {}={}", term, share);
        }
      }
      text += ';';
      ++delivered_;
    }
    return all;
  }

  Engine shared_;
  Engine alone_;
  std::map<SubscriptionId, SubscriptionId> known_;
  std::map<SubscriptionId, std::string> texts_;
  std::size_t delivered_ = 0;
};

constexpr std::array kWords = {"storm", "flood", "rescue", "market", "rain", "coast",
                               "the",   "sport", "wind",   "sea",    "of",   "harbour"};

std::string random_words(base::Prng& prng, std::uint64_t count_max) {
  std::string words;
  for (std::uint64_t i = 1 + prng.below(count_max); i > 0; --i) {
    // Rare words stand behind.
    const std::uint64_t word = std::min(prng.below(kWords.size()), prng.below(kWords.size()));
    words += fmt::format("{}{}", words.empty() ? "" : " ", kWords[word]);
  }
  return words;
}

std::string random_query(base::Prng& prng) {
  std::string query = "storm " + random_words(prng, 3);
  if (prng.chance(0.2)) query += fmt::format(R"( "{}")", random_words(prng, 2));
  if (prng.chance(0.2)) query += " -" + std::string(kWords[prng.below(6)]);
  return query;
}

std::string random_filter(base::Prng& prng) {
  static constexpr std::array kRests = {"", "", "type = 't0' and ", "data.v > 3 and ",
                                        "not (type = 't1') and "};
  static constexpr std::array kModes = {"", "all ", "any "};
  static constexpr std::array kStates = {"", "", " and change(data.v) > 1",
                                         " and change(data.v) > 1 at most every 3s",
                                         " and distinct(data.v) within 5s exact"};
  const auto pick = [&](const auto& texts) { return texts[prng.below(texts.size())]; };
  const std::string score =
      prng.chance(0.8) ? fmt::format(" score >= {}", static_cast<double>(prng.below(20)) / 10) : "";
  return fmt::format("{}text({}) about {}'{}'{}{}", pick(kRests),
                     prng.chance(0.7) ? "data.t" : "data.t, html(data.u)", pick(kModes),
                     random_query(prng), score, pick(kStates));
}

event::EventPtr random_event(base::Prng& prng, int id) {
  const std::string lang = prng.chance(0.1) ? R"("lang":"german",)" : "";
  const std::string text = prng.chance(0.1) ? "7" : fmt::format(R"("{}")", random_words(prng, 9));
  return event::event_of(
      fmt::format(R"({{"id":"{}","type":"t{}",{}"data":{{"t":{},"u":"<b>{}</b>","v":{}}}}})", id,
                  prng.below(3), lang, text, random_words(prng, 2), prng.below(7)));
}

TEST(SharedTextTest, FindsWhatTryingEachOfThemWould) {
  const auto gate = std::make_shared<const Gate>(
      [](const event::Event& event) { return event.id().back() != '7'; });
  std::size_t delivered = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    EngineOptions options;
    options.corpus.epoch_document_count_max = 1 + prng.below(20);
    Pair pair(options);
    Instant now;
    for (int step = 0; step < 300; ++step) {
      SCOPED_TRACE(step);
      now = now + Duration::milliseconds(static_cast<std::int64_t>(prng.below(1500)));
      if (prng.chance(0.15) || pair.size() == 0) {
        ASSERT_NO_FATAL_FAILURE(
            pair.subscribe(random_filter(prng), prng.chance(0.3) ? gate : nullptr));
      } else if (prng.chance(0.08)) {
        ASSERT_NO_FATAL_FAILURE(pair.unsubscribe(prng.below(pair.size())));
      } else {
        ASSERT_NO_FATAL_FAILURE(pair.publish(random_event(prng, step), now));
      }
      if (prng.chance(0.1)) {
        ASSERT_NO_FATAL_FAILURE(pair.compare());
      }
    }
    delivered += pair.delivered();
  }
  EXPECT_GT(delivered, 20'000U);
}

}  // namespace
}  // namespace weir::engine
