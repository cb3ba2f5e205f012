// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/option_values.h"
#include "cli/options_testing.h"

namespace weir::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OptionsTest, HasDefaults) {
  const auto options = parsed<FilterOptions>({"filter", "true"});
  EXPECT_THAT(options.expressions, ElementsAre("true"));
  EXPECT_EQ(options.dialect, Dialect::kWeir);
  EXPECT_EQ(options.input_path, "-");
  EXPECT_EQ(options.clock, ClockKind::kEvent);
  EXPECT_EQ(options.line_bytes_max, std::size_t{16} << 20U);
  EXPECT_FALSE(options.dedup.has_value());
  EXPECT_FALSE(options.json);
}

TEST(OptionsTest, TakesEveryOptionOfFilter) {
  const auto options = parsed<FilterOptions>({"filter",     "a = 1",   "--dialect",
                                              "cesql",      "b = 2",   "--filters",
                                              "f.txt",      "--input", "in",
                                              "--json",     "--stats", "--keep-going",
                                              "--dedup",    "1h30m",   "--initial",
                                              "none",       "--clock", "wall",
                                              "--language", "german",  "--line-bytes-max",
                                              "64KiB"});
  EXPECT_THAT(options.expressions, ElementsAre("a = 1", "b = 2"));
  EXPECT_EQ(options.dialect, Dialect::kCesql);
  EXPECT_EQ(options.filters_path, "f.txt");
  EXPECT_EQ(options.input_path, "in");
  EXPECT_TRUE(options.json && options.stats && options.keep_going);
  EXPECT_EQ(options.dedup, base::Duration::seconds(5400));
  EXPECT_EQ(options.initial, match::Initial::kNone);
  EXPECT_EQ(options.clock, ClockKind::kWall);
  EXPECT_EQ(options.language, "german");
  EXPECT_EQ(options.line_bytes_max, 65'536U);
}

TEST(OptionsTest, LeavesBracketsOfJsonAlone) {
  const std::string json = R"([{"exact":{"type":"a"}},{"exact":{"id":"b"}}])";
  EXPECT_THAT(parsed<FilterOptions>({"filter", "--dialect", "json", json}).expressions,
              ElementsAre(json));
  EXPECT_EQ(parsed<CheckOptions>({"check", json}).expression, json);
  EXPECT_EQ(parsed<ExplainOptions>({"explain", "--filter", json}).filter, json);
}

TEST(OptionsTest, TakesExpressionsThatStartWithADash) {
  EXPECT_THAT(parsed<FilterOptions>({"filter", "--stats", "--", "-1 < x", "--"}).expressions,
              ElementsAre("-1 < x", "--"));
  EXPECT_EQ(parsed<ExplainOptions>({"explain", "--filter", "-1 < x"}).filter, "-1 < x");
  for (const char* expression : {"-1", "-(2)", "-ABS(x)", "--1", "-x = 1", "-", "-1 < x"}) {
    EXPECT_EQ(parsed<EvalOptions>({"eval", "--json", expression, "--event", "-"}).expression,
              expression);
  }
}

TEST(OptionsTest, TakesTheNameOfACommandAsAnExpression) {
  EXPECT_EQ(parsed<EvalOptions>({"eval", "check"}).expression, "check");
}

TEST(OptionsTest, TakesTheOptionsOfExplainAndEval) {
  const auto explain = parsed<ExplainOptions>({"explain", "--filter=x = 1", "--history", "h",
                                               "--initial", "none", "--event", "e", "--json"});
  EXPECT_EQ(explain.filter, "x = 1");
  EXPECT_EQ(explain.history_path, "h");
  EXPECT_EQ(explain.event_path, "e");
  EXPECT_EQ(explain.initial, match::Initial::kNone);
  EXPECT_TRUE(explain.connection.json);
  EXPECT_EQ(explain.id, "");
  const auto eval = parsed<EvalOptions>({"eval", "--dialect", "cesql", "1", "--event", "-"});
  EXPECT_EQ(eval.dialect, Dialect::kCesql);
  EXPECT_EQ(eval.event_path, "-");
}

TEST(OptionsTest, ExplainsASubscriptionOfABroker) {
  const auto explain = parsed<ExplainOptions>(
      {"explain", "--id", "a", "--event", "e", "--url", "http://b", "--token-file", "t"});
  EXPECT_EQ(explain.id, "a");
  EXPECT_EQ(explain.filter, "");
  EXPECT_EQ(explain.event_path, "e");
  EXPECT_EQ(explain.connection.url, "http://b");
  EXPECT_EQ(explain.connection.token_path, "t");
  EXPECT_FALSE(explain.connection.json);
  EXPECT_EQ(refused({"explain"}), "expected --filter EXPR or --id NAME, found none");
  EXPECT_EQ(refused({"explain", "--filter", "x", "--id", "a"}),
            "expected --filter EXPR or --id NAME, found both");
  EXPECT_THAT(refused({"explain", "--id", "a", "--token", "t", "--token-file", "f"}),
              HasSubstr("found both"));
}

TEST(OptionsTest, RefusesOptionsOfAFilterForASubscriptionAndTheOtherWayRound) {
  for (const char* const option : {"--history", "--dialect", "--initial", "--language"}) {
    EXPECT_EQ(refused({"explain", "--id", "a", option, "weir"}),
              std::string(option) + " goes with --filter, not with --id");
  }
  for (const char* const option : {"--url", "--token", "--token-file", "--ca-file"}) {
    EXPECT_EQ(refused({"explain", "--filter", "a", option, "x"}),
              std::string(option) + " goes with --id, not with --filter");
  }
  EXPECT_EQ(refused({"explain", "--filter", "a", "--insecure"}),
            "--insecure goes with --id, not with --filter");
}

TEST(OptionsTest, TakesATextOrWhereItIs) {
  const auto text = parsed<AnalyzeOptions>({"analyze", "a storm", "--language", "de-AT"});
  EXPECT_EQ(text.text, "a storm");
  EXPECT_EQ(text.input_path, "");
  EXPECT_EQ(text.language, "german");
  EXPECT_EQ(parsed<AnalyzeOptions>({"analyze", "-"}).input_path, "-");
  EXPECT_TRUE(parsed<AnalyzeOptions>({"analyze", "--input", "f", "--json"}).json);
  EXPECT_THAT(refused({"analyze"}), HasSubstr("expected one text"));
  EXPECT_THAT(refused({"analyze", "a", "--input", "f"}), HasSubstr("found both"));
  EXPECT_THAT(refused({"analyze", "a", "--language", "xx"}), HasSubstr("--language is 'xx'"));
}

TEST(OptionsTest, TakesLanguagesByTag) {
  EXPECT_EQ(parsed<CheckOptions>({"check", "x", "--language", "pt-BR"}).language, "portuguese");
  EXPECT_EQ(parsed<FilterOptions>({"filter", "x", "--language", "FR"}).language, "french");
  EXPECT_EQ(parsed<ExplainOptions>({"explain", "--filter", "x", "--language", "ger"}).language,
            "german");
}

TEST(OptionsTest, ReadsWhatACorpusIsMadeOf) {
  const auto plain = parsed<CorpusOptions>({"corpus", "a.txt", "-"});
  EXPECT_THAT(plain.paths, ElementsAre("a.txt", "-"));
  EXPECT_TRUE(plain.text.empty());
  EXPECT_FALSE(plain.whole);
  const auto events = parsed<CorpusOptions>(
      {"corpus", "--text", "text(data)", "--whole", "--language", "de", "a.json"});
  EXPECT_EQ(events.text, "text(data)");
  EXPECT_TRUE(events.whole);
  EXPECT_EQ(events.language, "german");
  EXPECT_EQ(refused({"corpus"}),
            "expected at least one file of documents, or - for stdin, found none");
}

TEST(OptionsTest, ReadsWhichScenariosToRun) {
  const auto one = parsed<SimOptions>({"sim", "a.toml"});
  EXPECT_THAT(one.paths, ElementsAre("a.toml"));
  EXPECT_FALSE(one.seed.has_value());
  EXPECT_EQ(one.seed_count, 1U);
  EXPECT_EQ(parsed<SimOptions>({"sim", "a", "--trace", "00ff"}).trace_key, protocol::Key{0xFF});
  const auto all = parsed<SimOptions>(
      {"sim", "a.toml", "b.toml", "--seed", "7", "--seeds", "3", "--svg", "out", "--json"});
  EXPECT_EQ(all.seed, 7U);
  EXPECT_EQ(all.seed_count, 3U);
  EXPECT_EQ(all.svg_directory, "out");
  EXPECT_TRUE(all.json);
  EXPECT_EQ(refused({"sim"}), "expected at least one file with a scenario, found none");
  EXPECT_EQ(refused({"sim", "a", "--seed", "-1"}),
            "--seed is '-1', expected a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(refused({"sim", "a", "--seeds", "0"}),
            "--seeds is '0', expected a whole number from 1 to 1000000");
  EXPECT_EQ(refused({"sim", "a", "--trace", "storm"}),
            "--trace is 'storm', expected a key of up to 16 hexadecimal digits");
  EXPECT_EQ(refused({"sim", "a", "--trace", "1", "--seeds", "2"}),
            "--trace follows one run, expected one file and no --seeds");
}

TEST(OptionsTest, PrintsHelpAndVersion) {
  EXPECT_THAT(parsed<PrintOptions>({"--version"}).text, HasSubstr("weir "));
  EXPECT_THAT(parsed<PrintOptions>({"--help"}).text, HasSubstr("Commands:"));
  EXPECT_THAT(parsed<PrintOptions>({"help"}).text, HasSubstr("Commands:"));
  for (const char* command :
       {"check", "explain", "filter", "eval", "analyze", "corpus", "size", "sim", "serve",
        "publish", "subscribe", "subscriptions", "token", "member"}) {
    const std::string text = parsed<PrintOptions>({command, "--help"}).text;
    EXPECT_THAT(text, HasSubstr(std::string("Usage: weir ") + command));
    EXPECT_THAT(text, HasSubstr("Example:"));
    EXPECT_EQ(parsed<PrintOptions>({"help", command}).text, text);
  }
}

TEST(OptionsTest, SuggestsWhatWasProbablyMeant) {
  EXPECT_EQ(refused({"fliter", "x"}), "unknown command 'fliter': did you mean 'filter'?");
  EXPECT_EQ(refused({"filter", "x", "--stat"}), "unknown option '--stat': did you mean '--stats'?");
  EXPECT_EQ(refused({"filter", "x", "--imput=f"}),
            "unknown option '--imput': did you mean '--input'?");
  EXPECT_EQ(refused({"eval", "-x"}),
            "unknown option '-x'; if it is an expression, write -- before it");
  EXPECT_EQ(refused({"eval", "x", "--dialect", "cesq"}),
            "--dialect is 'cesq', expected one of: weir cesql json: did you mean 'cesql'?");
}

TEST(OptionsTest, RefusesWhatItCannotUse) {
  EXPECT_EQ(refused({}), "expected a command, found none");
  EXPECT_EQ(refused({"--verbose"}), "unknown option '--verbose'");
  EXPECT_EQ(refused({"check"}), "expected one filter to check, found none");
  EXPECT_EQ(refused({"check", "a", "=", "1"}),
            "expected one filter to check, found 3 arguments: is it in quotes?");
  EXPECT_EQ(refused({"filter"}), "expected at least one filter, or --filters FILE, found none");
  EXPECT_EQ(refused({"explain", "--filter", "x", "y"}), "unexpected argument 'y'");
  EXPECT_THAT(refused({"eval", "x", "--event"}), HasSubstr("--event"));
  EXPECT_THAT(refused({"filter", "x", "--clock", "sun"}), HasSubstr("--clock is 'sun'"));
  EXPECT_THAT(refused({"filter", "x", "--initial", "no"}), HasSubstr("--initial is 'no'"));
  EXPECT_THAT(refused({"check", "x", "--language", "germn"}), HasSubstr("mean 'german'?"));
  EXPECT_THAT(refused({"filter", "x", "--dedup", "0s"}), HasSubstr("--dedup is '0s'"));
  EXPECT_THAT(refused({"filter", "x", "--dedup", "1h now"}), HasSubstr("--dedup is '1h now'"));
}

TEST(OptionsTest, ReadsOnlyOneThingFromStdin) {
  EXPECT_THAT(refused({"filter", "--filters", "-"}), HasSubstr("not both"));
  EXPECT_EQ(parsed<FilterOptions>({"filter", "--filters", "-", "--input", "f"}).filters_path, "-");
  EXPECT_THAT(refused({"explain", "--filter", "x", "--history", "-"}), HasSubstr("not both"));
}

TEST(OptionsTest, KnowsThatJsonWasAskedForInAWrongCommandLine) {
  EXPECT_TRUE(wants_json({"fliter", "--json"}));
  EXPECT_FALSE(wants_json({"filter", "--", "--json"}));
  EXPECT_EQ(help_command({"filter", "--x"}), "weir filter --help");
  EXPECT_EQ(help_command({"fliter"}), "weir --help");
  EXPECT_EQ(help_command({}), "weir --help");
}

TEST(OptionValuesTest, ReadsBytes) {
  EXPECT_EQ(parse_bytes("--x", "1").value(), 1U);
  EXPECT_EQ(parse_bytes("--x", "16MiB").value(), std::size_t{16} << 20U);
  EXPECT_EQ(parse_bytes("--x", "1GiB").value(), std::size_t{1} << 30U);
  for (const char* wrong : {"", "0", "-1", "1MB", "2GiB", "99999999999999999999", "1 KiB", "KiB"}) {
    EXPECT_FALSE(parse_bytes("--x", wrong)) << wrong;
  }
}

}  // namespace
}  // namespace weir::cli
