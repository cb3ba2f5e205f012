// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error_testing.h"
#include "base/source_file_testing.h"
#include "engine/checkpoint_testing.h"
#include "event/event_testing.h"

namespace weir::engine {
namespace {

using event::event_of;
using testing::HasSubstr;

// Two terms that wait for each other, one that waits for its time, and a window.
constexpr const char* kRich =
    "((change(data.v, type = 'a') > 1 and change(data.v, type = 'b') > 1) or "
    "change(data.v, type = 'a') > 3 at most every 10s) and distinct(id) within 1m";
constexpr const char* kText = "text(data.t) about 'storm' score >= 0.5";

event::EventPtr reading(std::string_view id, std::string_view type, int value,
                        std::uint64_t sequence) {
  auto event = event_of(
      fmt::format(R"({{"id":"{}","type":"{}","data":{{"v":{},"t":"a storm"}}}})", id, type, value));
  event::assign_sequence(event, sequence);
  return event;
}

// Event e is the current value of three terms, and held for the third.
void fill(Engine& engine) {
  engine.publish(reading("d", "a", 1, 7), at_second(1));
  engine.publish(reading("e", "a", 9, 8), at_second(3));
}

std::string rich_state() {
  Engine engine;
  const auto id = engine.subscribe(kRich);
  fill(engine);
  return *engine.save(*id);
}

// Every kind of movement, remembered and current.
constexpr const char* kMovements =
    "(change(data.v) crosses 4 with previous and any change(type) and "
    "change(text(data.t)) > 0.5 at most every 10s) or "
    "(any change(subject) and any change(data.v) and any change(time) and "
    "any change(data.b) and any change(data.f))";

// The first conjunction has fired for d, and the two events that follow may go with its next
// delivery; the second has never fired.
std::string movements_state() {
  Engine engine;
  const auto id = engine.subscribe(kMovements);
  fill(engine);
  auto last = event_of(
      R"({"id":"f","type":"c","time":"2026-01-02T03:04:05.25Z","data":{"v":1,"b":true,"f":0.5}})");
  event::assign_sequence(last, 9);
  engine.publish(last, at_second(4));
  return *engine.save(*id);
}

std::string text_state() {
  Engine engine;
  const auto id = engine.subscribe(kText);
  EXPECT_TRUE(id);
  fill(engine);
  return engine.save_text();
}

constexpr const char* kTexts =
    "text(html(data.t), type) in 'german' about 'storm' or change(text(data.t)) > 0.5";

// Within an epoch: what came since it began is counted apart.
std::string texts_state() {
  constexpr int kDocumentCount = 49;  // the last epoch began at 48
  Engine engine;
  EXPECT_TRUE(engine.subscribe(kTexts));
  for (int i = 0; i < kDocumentCount; ++i) {
    engine.publish(reading(fmt::format("e{}", i), i % 2 == 0 ? "a" : "b", i, 0), at_second(i));
  }
  return engine.save_text();
}

std::string refusal(std::string_view filter, std::string_view state, EngineOptions options = {}) {
  Engine engine(std::move(options));
  const auto id = engine.subscribe(filter, {.state = state});
  EXPECT_EQ(engine.subscription_count(), id ? 1U : 0U);
  return describe(id);
}

std::string shown(std::span<const Delivery> deliveries) {
  std::string out;
  for (const Delivery& delivery : deliveries) out += shown_events(delivery) + ";";
  return out;
}

TEST(CheckpointTest, AFilterThatRemembersNothingHasNoState) {
  Engine engine;
  const auto id = engine.subscribe("data.v > 1");
  fill(engine);
  EXPECT_EQ(*engine.save(*id), "");
  EXPECT_EQ(engine.state_revision(*id), 0U);
  EXPECT_EQ(refusal("data.v > 1", rich_state()),
            "store.corrupt - the saved state is of a filter that remembers something");
  EXPECT_EQ(engine.save({99}).error().id, base::ErrorId::kEngineNoSuchSubscription);
  EXPECT_EQ(engine.state_revision({99}), 0U);
}

TEST(CheckpointTest, AnEventOfSeveralTermsStaysOneWithItsSequence) {
  Engine engine;
  ASSERT_TRUE(engine.subscribe(kRich, {.state = rich_state()}));
  EXPECT_EQ(engine.next_wake(), at_second(11));
  EXPECT_EQ(shown(engine.publish(reading("f", "b", 5, 9), at_second(5))), "e#8,f#9;");
  EXPECT_EQ(shown(engine.advance(at_second(11))), "") << "e was delivered with f";
}

TEST(CheckpointTest, DeliversWhatWasHeldBackAfterTheRestore) {
  Engine engine;
  ASSERT_TRUE(engine.subscribe(kRich, {.state = rich_state()}));
  EXPECT_EQ(shown(engine.advance(at_second(11))), "e#8;");
  EXPECT_EQ(shown(engine.publish(reading("d", "a", 20, 9), at_second(21))), "") << "in the window";
}

TEST(CheckpointTest, CountsGoOnButForEventsThatDidNotMatch) {
  Engine first;
  const auto before = first.subscribe("type = 'a' and distinct(id) within 1m");
  for (const char* const type : {"a", "a", "b"}) {
    first.publish(reading("x", type, 1, 1), at_second(1));
  }
  Engine second;
  const auto after =
      second.subscribe("type = 'a' and distinct(id) within 1m", {.state = *first.save(*before)});
  second.publish(reading("x", "a", 1, 1), at_second(2));
  second.publish(reading("x", "b", 1, 1), at_second(2));
  const SubscriptionCounters counters = *second.counters(*after);
  EXPECT_EQ(counters.passed, 1U);
  EXPECT_EQ(counters.delivered, 1U);
  EXPECT_EQ(counters.duplicate, 2U);
  EXPECT_EQ(counters.no_match, 1U);
  EXPECT_EQ(counters.published, 4U);
}

TEST(CheckpointTest, ASubscriptionAheadOfTheClockDoesNotGoBack) {
  Engine engine;
  const auto id = engine.subscribe(kRich, {.state = rich_state()});
  EXPECT_EQ(shown(engine.publish(reading("f", "b", 5, 9), at_second(-100))), "e#8,f#9;");
  EXPECT_EQ(refusal(kRich, *engine.save(*id)), "ok");
  EXPECT_EQ(engine.now(), at_second(-100));
}

TEST(CheckpointTest, TheClockMovesForwardOnly) {
  Engine engine;
  ASSERT_TRUE(engine.subscribe(kRich, {.state = rich_state()}));
  engine.set_now(at_second(50));
  engine.set_now(at_second(20));
  EXPECT_EQ(engine.now(), at_second(50));
  EXPECT_EQ(shown(engine.advance(at_second(0))), "e#8;") << "due long ago";
  EXPECT_EQ(engine.counters().clock_backward, 1U);
}

TEST(CheckpointTest, SaysWhyAStateIsRefused) {
  const std::string state = rich_state();
  EXPECT_EQ(refusal("change(data.v) > 1", state),
            "store.corrupt - the saved state is of another filter");
  EXPECT_EQ(refusal(kRich, text_state()), "store.corrupt - the saved state is something else");
  EXPECT_EQ(refusal(kRich, state.substr(0, 12)), "store.corrupt - the saved state is cut short");
  EXPECT_EQ(refusal(kRich, state + "x"),
            "store.corrupt - the saved state does not have its checksum");
  std::string version_5 = state;
  version_5[1] = 5;
  EXPECT_EQ(refusal(kRich, version_5), "store.corrupt - the saved state has version 5, known is 4");
  EXPECT_EQ(refusal(kRich, with_body(state, "")), "store.corrupt - the saved state is malformed");
  EXPECT_EQ(refusal(kRich, state, {.change_key_count_max = 1}),
            "store.corrupt - the change terms have more keys than 1, the limit");
  const auto exact = [](const std::string& state_of_exact, std::size_t key_count_max) {
    return refusal("distinct(id) within 1m exact", state_of_exact,
                   {.distinct_key_count_max = key_count_max});
  };
  Engine engine;
  const auto id = engine.subscribe("distinct(id) within 1m exact");
  engine.publish(reading("a", "a", 1, 1), at_second(1));
  EXPECT_EQ(exact(*engine.save(*id), 1), "ok");
  EXPECT_EQ(exact(*engine.save(*id), 0),
            "store.corrupt - the distinct window has 1 keys, the limit is 0");
}

TEST(CheckpointTest, NoPrefixAndNoFlippedByteIsTaken) {
  const std::string state = rich_state();
  for (std::size_t length = 1; length < state.size(); ++length) {
    EXPECT_THAT(refusal(kRich, state.substr(0, length)), HasSubstr("store.corrupt")) << length;
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    std::string flipped = state;
    flipped[i] = static_cast<char>(~flipped[i]);
    EXPECT_THAT(refusal(kRich, flipped), HasSubstr("store.corrupt")) << i;
  }
}

// The checksum put right, so that the readers themselves are asked.
void expect_refused_or_same(const char* filter, const std::string& state) {
  Engine engine;
  const auto id = engine.subscribe(filter, {.state = state});
  if (!id) {
    EXPECT_EQ(id.error().id, base::ErrorId::kStoreCorrupt);
    return;
  }
  EXPECT_EQ(*engine.save(*id), state);
  fill(engine);
  engine.advance({std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(refusal(filter, *engine.save(*id)), "ok");
}

void expect_every_body_refused_or_same(const char* filter, const std::string& state) {
  const std::string body(body_of(state));
  for (std::size_t i = 0; i < body.size(); ++i) {
    SCOPED_TRACE(i);
    expect_refused_or_same(filter, with_body(state, body.substr(0, i)));
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string changed = body;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      expect_refused_or_same(filter, with_body(state, changed));
    }
  }
}

TEST(CheckpointTest, AnyBodyIsRefusedOrSavedBackAsItIs) {
  expect_every_body_refused_or_same(kRich, rich_state());
  expect_every_body_refused_or_same(kMovements, movements_state());
}

TEST(CheckpointTest, TextWaitsForTheFirstWhoNamesItsFields) {
  const std::string text = text_state();
  Engine engine;
  ASSERT_TRUE(engine.restore_text(text));
  EXPECT_NE(engine.save_text(), text) << "what waits is not saved";
  const auto other = engine.subscribe("text(data.u) about 'storm' score >= 0.5");
  const auto id = engine.subscribe(kText);
  ASSERT_TRUE(engine.unsubscribe(*other));
  EXPECT_EQ(engine.save_text(), text);
  fill(engine);
  const std::string larger = engine.save_text();
  ASSERT_TRUE(engine.restore_text(text));
  EXPECT_EQ(engine.save_text(), larger) << "the corpus of more documents stays";
  ASSERT_TRUE(engine.unsubscribe(*id));
  ASSERT_TRUE(engine.subscribe(kText));
  EXPECT_NE(engine.save_text(), text) << "it waited for one only";
}

TEST(CheckpointTest, RefusesTextThatIsDamagedOrAnalysedOtherwise) {
  const std::string text = text_state();
  Engine engine;
  ASSERT_TRUE(engine.subscribe(kText));
  const std::string before = engine.save_text();
  const std::string body(body_of(text));
  for (std::size_t i = 0; i < body.size(); ++i) {
    EXPECT_FALSE(engine.restore_text(text.substr(0, i))) << i;
    EXPECT_FALSE(engine.restore_text(with_body(text, body.substr(0, i)))) << i;
  }
  EXPECT_EQ(engine.save_text(), before);
  EXPECT_EQ(describe(engine.restore_text(rich_state())),
            "store.corrupt - the saved text is something else");
  Engine unstemmed({.text = {.stemming = false}});
  EXPECT_EQ(describe(unstemmed.restore_text(text)),
            "store.corrupt - the text was analysed with other options");
  Engine small({.corpus = {.term_count_max = 0}});
  EXPECT_EQ(describe(small.restore_text(text)),
            "store.corrupt - a corpus has 1 terms, the limit is 0");
  Engine none({.corpus = {.waiting_count_max = 0}});
  EXPECT_EQ(describe(none.restore_text(text)),
            "store.corrupt - more than 0 corpora are of fields that nobody names, the limit");
  ASSERT_TRUE(none.subscribe(kText));
  EXPECT_EQ(describe(none.restore_text(text)), "ok");
}

TEST(CheckpointTest, AnEventThatIsNotAdmittedMovesNothing) {
  Engine engine;
  const auto gate =
      std::make_shared<const Gate>([](const event::Event& event) { return event.sequence() > 8; });
  const auto id = engine.subscribe(kRich, {.gate = gate});
  const std::string fresh = *engine.save(*id);
  fill(engine);
  EXPECT_EQ(*engine.save(*id), fresh);
  EXPECT_EQ(engine.state_revision(*id), 0U);
  EXPECT_EQ(engine.counters(*id)->no_match, 2U);
  const auto refused = engine.explain(*id, reading("d", "a", 1, 8), at_second(4));
  EXPECT_EQ(refused->outcome, Outcome::kNoMatch);
  EXPECT_EQ(refused->note, "the subscription does not admit this event");
  const auto admitted = engine.explain(*id, reading("d", "a", 1, 9), at_second(4));
  EXPECT_EQ(admitted->outcome, Outcome::kPassed);
  EXPECT_EQ(admitted->note, "");
  EXPECT_EQ(shown(engine.publish(reading("d", "a", 1, 9), at_second(4))), "d#9;");
  EXPECT_GT(engine.state_revision(*id), 0U);
}

constexpr const char* kExact = "distinct(id) within 1m exact";

std::string exact_state() {
  Engine engine;
  const auto id = engine.subscribe(kExact);
  engine.publish(reading("a", "a", 1, 1), at_second(1));
  engine.publish(reading("b", "a", 1, 2), at_second(3));
  return *engine.save(*id);
}

// It has fired with b and c, which it may deliver again.
constexpr const char* kComposite =
    "change(data.v, type = 'a') > 1 and change(data.v, type = 'b') > 1";

std::string composite_state() {
  Engine engine;
  const auto id = engine.subscribe(kComposite);
  engine.publish(reading("b", "a", 1, 1), at_second(1));
  engine.publish(reading("c", "b", 1, 2), at_second(2));
  engine.publish(reading("d", "b", 9, 3), at_second(3));
  return *engine.save(*id);
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return out;
}

// The bytes of one line "name hex".
std::string golden(std::string_view name, std::string_view file_name = "checkpoint_v4") {
  const std::string file = base::read_source_file(fmt::format("src/engine/{}.txt", file_name));
  const std::size_t begin = file.find(fmt::format("{} ", name)) + name.size() + 1;
  std::string bytes;
  for (std::size_t i = begin; file[i] != '\n'; i += 2) {
    bytes += static_cast<char>(std::stoi(file.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// States that brokers have written must stay readable: other bytes are another version.
TEST(CheckpointTest, WritesAndReadsVersionFourAsItAlwaysWas) {
  EXPECT_EQ(hex(rich_state()), hex(golden("state")));
  EXPECT_EQ(hex(movements_state()), hex(golden("movements")));
  EXPECT_EQ(refusal(kMovements, golden("movements")), "ok");
  EXPECT_EQ(hex(exact_state()), hex(golden("exact")));
  EXPECT_EQ(refusal(kExact, golden("exact")), "ok");
  EXPECT_EQ(refusal(kRich, golden("state")), "ok");
  EXPECT_EQ(hex(composite_state()), hex(golden("composite")));
  EXPECT_EQ(refusal(kComposite, golden("composite")), "ok");
}

TEST(CheckpointTest, WritesAndReadsTextOfVersionThreeAsItAlwaysWas) {
  EXPECT_EQ(hex(text_state()), hex(golden("text", "checkpoint_text_v3")));
  EXPECT_EQ(hex(texts_state()), hex(golden("texts", "checkpoint_text_v3")));
  Engine engine;
  ASSERT_TRUE(engine.subscribe(kTexts));
  EXPECT_EQ(describe(engine.restore_text(golden("texts", "checkpoint_text_v3"))), "ok");
  EXPECT_EQ(engine.save_text(), golden("texts", "checkpoint_text_v3"));
}

// Then every corpus counted all events: they go on for those who may see all.
TEST(CheckpointTest, GoesOnFromTextOfVersionTwo) {
  Engine engine;
  ASSERT_TRUE(engine.subscribe(kTexts));
  EXPECT_EQ(describe(engine.restore_text(golden("texts", "checkpoint_text_v2"))), "ok");
  EXPECT_EQ(engine.save_text(), golden("texts", "checkpoint_text_v3"));
}

// Then there was one language for all and no epoch: one begins with what was counted, and its time
// with the next event.
TEST(CheckpointTest, GoesOnFromTextOfVersionOne) {
  const std::string old = golden("text", "checkpoint_v1");
  Engine german({.text = {.language = "german"}});
  const auto id = german.subscribe("text(data.t) in 'english' about 'storm' score >= 0");
  ASSERT_TRUE(german.subscribe(kText)) << "in german, and so of another corpus";
  EXPECT_EQ(describe(german.restore_text(old)), "ok");
  const auto explained = german.explain(*id, reading("f", "b", 5, 9), at_second(5));
  EXPECT_THAT(explained->filter.detail, testing::EndsWith("(epoch 2)")) << "3 documents";
  EXPECT_NE(german.save_text(), old);
  EXPECT_EQ(describe(german.restore_text(german.save_text())), "ok");
}

// Then events that had been delivered were not kept: a group is without them until their source
// has a reading again.
TEST(CheckpointTest, GoesOnFromVersionThree) {
  EXPECT_EQ(refusal(kExact, golden("exact", "checkpoint_v3")), "ok");
  EXPECT_EQ(refusal(kMovements, golden("movements", "checkpoint_v3")), "ok");
  Engine engine;
  const auto id = engine.subscribe(kRich, {.state = golden("state", "checkpoint_v3")});
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(refusal(kRich, *engine.save(*id)), "ok");
  EXPECT_EQ(shown(engine.publish(reading("f", "b", 5, 9), at_second(5))), "e#8,f#9;");
}

// Then nobody knew when a key was last read: it counts as the latest instant in the state.
TEST(CheckpointTest, GoesOnFromVersionTwo) {
  EXPECT_EQ(refusal(kExact, golden("exact", "checkpoint_v2")), "ok");
  Engine engine({.change_idle = base::Duration::seconds(5)});
  const auto id = engine.subscribe(kRich, {.state = golden("state", "checkpoint_v2")});
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(refusal(kRich, *engine.save(*id)), "ok");
  EXPECT_EQ(engine.next_wake(), at_second(11));
  EXPECT_EQ(shown(engine.publish(reading("f", "b", 5, 9), at_second(5))), "e#8,f#9;")
      << "4 s after the delivery of d";
}

// Then every window was exact, and it stays so.
TEST(CheckpointTest, GoesOnFromVersionOne) {
  Engine engine;
  const auto id = engine.subscribe(kRich, {.state = golden("state", "checkpoint_v1")});
  ASSERT_TRUE(id.has_value());
  const auto stats = engine.distinct_stats(*id);
  EXPECT_EQ((*stats)->key_count, 1U);
  EXPECT_FALSE((*stats)->memory_bytes_max.has_value()) << "exact";
  EXPECT_EQ(refusal(kRich, *engine.save(*id)), "ok");
}

}  // namespace
}  // namespace weir::engine
