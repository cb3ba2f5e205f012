// SPDX-License-Identifier: Apache-2.0
#include "cli/size_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/options_testing.h"
#include "event/json_document.h"

namespace weir::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

SizeOptions clicks(double keys_per_second) {
  return {.keys_per_second = keys_per_second,
          .window = base::Duration::seconds(3600),
          .key_count = keys_per_second * 3600};
}

TEST(SizeOptionsTest, TakesRatesWindowsAndShares) {
  const auto options = parsed<SizeOptions>(
      {"size", "distinct", "--rate", "50000/s", "--window", "1h", "--fp", "0.1%", "--json"});
  EXPECT_EQ(options.subject, SizeSubject::kDistinct);
  EXPECT_EQ(options.keys_per_second, 50'000);
  EXPECT_EQ(options.window, base::Duration::seconds(3600));
  EXPECT_DOUBLE_EQ(options.key_count, 180e6);
  EXPECT_DOUBLE_EQ(options.false_positives, 0.001);
  EXPECT_TRUE(options.json);
  const auto rate = [](const char* text) {
    return parsed<SizeOptions>({"size", "distinct", "--rate", text, "--window", "1s"});
  };
  EXPECT_EQ(rate("300/m").keys_per_second, 5);
  EXPECT_EQ(rate("1.8e4/h").keys_per_second, 5);
  EXPECT_EQ(rate("0.5/s").key_count, 1);
  EXPECT_EQ(rate("1/s").false_positives, 0.001);
}

TEST(SizeOptionsTest, TakesANumberOfKeys) {
  const auto options = parsed<SizeOptions>({"size", "bloom", "--keys", "1e6", "--fp", "0.01"});
  EXPECT_EQ(options.subject, SizeSubject::kBloom);
  EXPECT_EQ(options.key_count, 1e6);
  EXPECT_EQ(options.false_positives, 0.01);
}

TEST(SizeOptionsTest, RefusesWhatItCannotUse) {
  EXPECT_EQ(refused({"size"}), "expected distinct or bloom, found none");
  EXPECT_EQ(refused({"size", "distint"}),
            "what to size is 'distint', expected one of: distinct bloom: did you mean 'distinct'?");
  EXPECT_EQ(refused({"size", "bloom", "x"}), "unexpected argument 'x'");
  EXPECT_EQ(refused({"size", "distinct", "--window", "1h"}), "expected --rate N/s, found none");
  EXPECT_EQ(refused({"size", "distinct", "--rate", "1/s"}),
            "expected --window DURATION, found none");
  EXPECT_EQ(refused({"size", "bloom"}), "expected --keys N, found none");
  EXPECT_THAT(refused({"size", "bloom", "--keys", "5", "--window", "1h"}), HasSubstr("distinct"));
  EXPECT_EQ(refused({"size", "distinct", "--keys", "5"}), "--keys is for weir size bloom only");
  for (const char* rate : {"5", "5/w", "/s", "0/s", "-1/s", "inf/s", "nan/s", "1e999/s", "5 /s"}) {
    EXPECT_THAT(refused({"size", "distinct", "--window", "1h", "--rate", rate}),
                StartsWith(std::string("--rate is '") + rate + "', expected distinct keys"));
  }
  for (const char* share : {"0", "1", "51%", "1e-10", "0.1 %", "x", "0.1%%"}) {
    EXPECT_THAT(refused({"size", "bloom", "--keys", "5", "--fp", share}),
                StartsWith(std::string("--fp is '") + share + "', expected a share from 1e-09"));
  }
  for (const char* keys : {"0", "0.5", "2e12", "ten", "10k"}) {
    EXPECT_THAT(refused({"size", "bloom", "--keys", keys}),
                StartsWith(std::string("--keys is '") + keys + "', expected a number of keys"));
  }
  EXPECT_THAT(refused({"size", "distinct", "--rate", "1/s", "--window", "long"}),
              HasSubstr("--window is 'long', expected a duration"));
  EXPECT_EQ(refused({"size", "distinct", "--rate", "1e9/s", "--window", "1h"}),
            "--rate and --window make 3.6e+12 keys, expected at most 1e+12");
}

TEST(SizeReportTest, PutsTheStructuresForAWindowSideBySide) {
  const SizeReport report = size_report(clicks(50'000));
  ASSERT_EQ(report.structures.size(), 4U);
  const StructureSize& generational = report.structures[0];
  EXPECT_EQ(generational.name, "generational");
  EXPECT_NEAR(generational.bits_per_key, 25.18, 0.01);
  EXPECT_NEAR(generational.bytes, 180e6 * 25.18 / 8, 1e6);
  EXPECT_LE(generational.false_positives, 0.001);
  EXPECT_GT(generational.false_positives, 0.000999);
  EXPECT_EQ(generational.longer, base::Duration::seconds(515));
  EXPECT_NEAR(report.structures[1].bits_per_key, 12 * 14.38, 0.05);
  EXPECT_EQ(report.structures[2].longer, base::Duration::seconds(3600));
  EXPECT_EQ(report.structures[3].false_positives, 0);
  EXPECT_NEAR(report.dropped_per_day.value(), 4'320'000, 5000);
}

TEST(SizeReportTest, SharesManyKeysAmongSeveralFilters) {
  const SizeReport report = size_report(clicks(1e6));
  EXPECT_NEAR(report.structures[0].bits_per_key, 25.18, 0.01);
  EXPECT_THAT(report.structures[0].note, HasSubstr(" in each of 6 filters"));
}

TEST(SizeReportTest, AFewKeysNeedOneBucket) {
  const SizeReport report = size_report(clicks(0.001));
  EXPECT_EQ(report.structures[0].bytes, 514);
  EXPECT_LT(report.structures[0].false_positives, 0.001);
}

TEST(SizeReportTest, PutsTheStructuresForASetSideBySide) {
  const SizeOptions options{
      .subject = SizeSubject::kBloom, .key_count = 1e6, .false_positives = 0.01};
  const SizeReport report = size_report(options);
  ASSERT_EQ(report.structures.size(), 3U);
  EXPECT_NEAR(report.structures[0].bits_per_key, 9.59, 0.01);
  EXPECT_NEAR(report.structures[1].bits_per_key, 10.10, 0.01);
  EXPECT_NEAR(report.structures[2].bits_per_key, 10.53, 0.01);
  EXPECT_FALSE(report.dropped_per_day);
  EXPECT_EQ(
      to_text(report, options),
      "1,000,000 keys\n"
      "\n"
      "STRUCTURE           BITS PER KEY  MEMORY   FALSE POSITIVES  CACHE LINES  NOTE\n"
      "classic             9.6           1.1 MiB  1 %              7            7 probes; the "
      "fewest bits\n"
      "blocks of 512 bits  10.1          1.2 MiB  1 %              1            8 bits of one "
      "block; the fastest\n"
      "blocks of 256 bits  10.5          1.3 MiB  1 %              1            8 bits of one "
      "block; the fastest\n");
}

TEST(SizeReportTest, TellsPeopleWhatIsDroppedPerDay) {
  const SizeOptions options = clicks(50'000);
  const std::string text = to_text(size_report(options), options);
  EXPECT_THAT(text, StartsWith("180,000,000 keys alive: 50000 per second for 1h\n"));
  EXPECT_THAT(text, HasSubstr("up to 8m35s"));
  EXPECT_THAT(text, HasSubstr("expected, of 4,320,000,000."));
}

TEST(SizeReportTest, TellsProgramsTheSame) {
  const SizeOptions options = clicks(50'000);
  const std::string text = to_json(size_report(options), options);
  const auto document = event::JsonDocument::parse(text);
  ASSERT_TRUE(document) << document.error().message;
  const event::JsonRef root = document->root();
  EXPECT_EQ(root.member("keys").raw(), "180000000");
  EXPECT_EQ(root.member("window").string(), "1h");
  EXPECT_TRUE(root.member("dropped_per_day"));
  EXPECT_EQ(root.member("structures").kind(), event::JsonKind::kArray);
}

}  // namespace
}  // namespace weir::cli
