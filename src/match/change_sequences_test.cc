// SPDX-License-Identifier: Apache-2.0
// Every short sequence of values, for every movement and modifier, against the sentences of
// docs/change.md written down once more, in the plainest way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "event/event_testing.h"
#include "match/change_stream_testing.h"

namespace weir::match {
namespace {

// One reading a second. The last of them is no value for any movement.
const std::vector<std::string> kValues = {"-2", "0", "1", "3", "null"};
const std::vector<double> kNumbers = {-2, 0, 1, 3};
constexpr std::size_t kLengthMax = 5;
constexpr int kEnd = 12;  // when all that can be held back has come

using Reading = std::optional<double>;

// A movement by what it remembers: nothing but numbers, of which a side is one as well.
struct Definition {
  std::string text;
  std::function<double(double first)> begin;
  std::function<bool(double last, double x)> fires;
  std::function<double(double last, double x)> after;
  std::function<double(double last, double x)> silently = [](double last, double) { return last; };
};

Definition moving(std::string text, std::function<bool(double last, double x)> fires) {
  return {std::move(text), [](double first) { return first; }, std::move(fires),
          [](double, double x) { return x; }};
}

// Sides are -1 and 1.
Definition crossing(std::string text, double level, double hysteresis, bool up, bool down) {
  const auto side = [=](double last, double x) {
    if (x > level + hysteresis) return 1.0;
    return x < level - hysteresis ? -1.0 : last;
  };
  return {std::move(text), [=](double first) { return first > level ? 1.0 : -1.0; },
          [=](double last, double x) {
            return (up && last < 0 && side(last, x) > 0) || (down && last > 0 && side(last, x) < 0);
          },
          side,
          [=](double last, double x) {
            const bool asked = side(last, x) > 0 ? up : down;
            return asked ? last : side(last, x);
          }};
}

std::vector<Definition> definitions() {
  const auto far = [](double a, double b) { return std::fabs(a - b); };
  return {
      moving("> 1", [=](double l, double x) { return far(l, x) > 1; }),
      moving(">= 1", [=](double l, double x) { return far(l, x) >= 1; }),
      moving("> 0", [](double l, double x) { return l != x; }),
      moving("> 100%",
             [=](double l, double x) { return l == 0 ? x != 0 : far(l, x) > std::fabs(l); }),
      moving(">= 100%",
             [=](double l, double x) { return l == 0 ? x != 0 : far(l, x) >= std::fabs(l); }),
      moving("> 1 and >= 200%",
             [=](double l, double x) {
               return far(l, x) > 1 && (l == 0 || far(l, x) >= 2 * std::fabs(l));
             }),
      moving("> 2 or > 150%",
             [=](double l, double x) {
               return far(l, x) > 2 || (l == 0 ? x != 0 : far(l, x) > 1.5 * std::fabs(l));
             }),
      moving("rises by > 1", [](double l, double x) { return x > l + 1; }),
      moving("rises by >= 0", [](double l, double x) { return x >= l; }),
      moving("falls by > 2", [](double l, double x) { return x < l - 2; }),
      moving("falls by >= 100%",
             [](double l, double x) { return l == 0 ? x < 0 : x <= l - std::fabs(l); }),
      crossing("crosses 0", 0, 0, true, true),
      crossing("crosses 0 upwards", 0, 0, true, false),
      crossing("crosses 0.5 downwards", 0.5, 0, false, true),
      crossing("crosses 0.5 hysteresis 1", 0.5, 1, true, true),
      crossing("crosses 0.5 upwards hysteresis 1", 0.5, 1, true, false),
  };
}

struct Modifiers {
  std::string text;
  int silent_for = 0;  // seconds, 0: no such modifier
  int at_most_every = 0;
  bool with_previous = false;
  Initial initial = Initial::kDeliver;
};

const std::vector<Modifiers> kModifiers = {
    {""},
    {"", 0, 0, false, Initial::kNone},
    {" or silent for 3s", 3},
    {" at most every 2s", 0, 2},
    {" with previous", 0, 0, true},
    {" or silent for 4s at most every 3s with previous", 4, 3, true},
    {" at most every 2s with previous", 0, 2, true, Initial::kNone},
};

// One source, second by second. Gives the places of the readings that are delivered at each.
class Judge {
 public:
  Judge(const Definition& definition, const Modifiers& modifiers)
      : definition_(definition), modifiers_(modifiers) {}

  std::string second(int now, Reading x) {
    out_.clear();
    if (waits_until_ == now) {
      waits_until_.reset();
      deliver(now);
    }
    if (x) read(now, *x);
    return out_;
  }

 private:
  void read(int now, double x) {
    before_ = newest_;
    newest_ = now;
    x_ = x;
    if (!last_ && modifiers_.initial == Initial::kNone) {
      last_ = definition_.begin(x);
      last_at_ = now;
    } else if (last_) {
      last_ = definition_.silently(*last_, x);
    }
    const bool silent = modifiers_.silent_for > 0 && now - last_at_ >= modifiers_.silent_for;
    const bool wanted = !last_ || definition_.fires(*last_, x) || silent;
    waits_until_.reset();
    if (!wanted) return;
    if (last_ && now < last_at_ + modifiers_.at_most_every) {
      waits_until_ = last_at_ + modifiers_.at_most_every;
    } else {
      deliver(now);
    }
  }

  void deliver(int now) {
    if (modifiers_.with_previous && before_ >= 0) hand_out(before_);
    hand_out(newest_);
    last_ = last_ ? definition_.after(*last_, x_) : definition_.begin(x_);
    last_at_ = now;
  }

  void hand_out(int reading) {
    if (reading <= handed_out_) return;
    handed_out_ = reading;
    out_ += fmt::format("{}{}", out_.empty() ? "" : " ", reading);
  }

  const Definition& definition_;
  const Modifiers& modifiers_;
  std::optional<double> last_;
  int last_at_ = 0;
  std::optional<int> waits_until_;
  int newest_ = -1;
  int before_ = -1;
  int handed_out_ = -1;
  double x_ = 0;
  std::string out_;
};

// events[second][value]: the id tells the second.
std::vector<std::vector<event::EventPtr>> all_events() {
  std::vector<std::vector<event::EventPtr>> events(kLengthMax);
  for (std::size_t second = 0; second < kLengthMax; ++second) {
    for (const std::string& value : kValues) {
      events[second].push_back(
          event::event_of(fmt::format(R"({{"id":"{}","data":{{"v":{}}}}})", second, value)));
    }
  }
  return events;
}

std::size_t sequence_count() {
  std::size_t count = 1;
  for (std::size_t i = 0; i < kLengthMax; ++i) count *= kValues.size();
  return count;
}

// The digits of a number are the values.
std::vector<std::size_t> sequence_of(std::size_t number) {
  std::vector<std::size_t> values;
  for (std::size_t i = 0; i < kLengthMax; ++i, number /= kValues.size()) {
    values.push_back(number % kValues.size());
  }
  return values;
}

void check_sequence(const Definition& definition, const Modifiers& modifiers,
                    const std::vector<std::size_t>& values,
                    const std::vector<std::vector<event::EventPtr>>& events) {
  ChangeStream stream(fmt::format("change(data.v) {}{}", definition.text, modifiers.text),
                      {.initial = modifiers.initial});
  Judge judge(definition, modifiers);
  for (int second = 0; second < kEnd; ++second) {
    const auto at = static_cast<std::size_t>(second);
    std::string delivered = stream.advance(second);
    Reading x;
    if (at < values.size()) {
      const std::string more = stream.publish(second, events[at][values[at]]);
      if (!delivered.empty() && !more.empty()) delivered += " ";
      delivered += more;
      if (values[at] < kNumbers.size()) x = kNumbers[values[at]];
    }
    ASSERT_EQ(delivered, judge.second(second, x))
        << definition.text << modifiers.text << ", second " << second << " of "
        << fmt::format("{}", fmt::join(values, " "));
  }
}

TEST(ChangeSequencesTest, AreDeliveredAsDefined) {
  const auto events = all_events();
  for (const Definition& definition : definitions()) {
    for (const Modifiers& modifiers : kModifiers) {
      for (std::size_t i = 0; i < sequence_count(); ++i) {
        ASSERT_NO_FATAL_FAILURE(check_sequence(definition, modifiers, sequence_of(i), events));
      }
    }
  }
}

// P1 of the paper: whatever is not delivered is within c of what was delivered last.
TEST(ChangeSequencesTest, KeepP1) {
  const auto events = all_events();
  for (const double c : {0.0, 1.0, 2.0, 2.5, 4.0}) {
    for (std::size_t number = 0; number < sequence_count(); ++number) {
      ChangeStream stream(fmt::format("change(data.v) > {}", c));
      Reading last;
      for (int second = 0; second < static_cast<int>(kLengthMax); ++second) {
        const auto at = static_cast<std::size_t>(second);
        const std::size_t value = sequence_of(number)[at];
        const std::string delivered = stream.publish(second, events[at][value]);
        if (value >= kNumbers.size()) {
          ASSERT_EQ(delivered, "");
        } else if (!delivered.empty()) {
          last = kNumbers[value];
        } else {
          ASSERT_LE(std::fabs(kNumbers[value] - *last), c) << number << " at " << second;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weir::match
