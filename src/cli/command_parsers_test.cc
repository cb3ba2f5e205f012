// SPDX-License-Identifier: Apache-2.0
// The options of the commands that have to do with a broker.
#include "cli/command_parsers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options_testing.h"
#include "cli/settings.h"

namespace weir::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ServeOptionsTest, TakesTheFlagsOfTheTable) {
  const auto options =
      parsed<ServeOptions>({"serve", "--listen", "a:1", "--config", "f", "--listen", "[::1]:2",
                            "--shards=3", "--dedup", "off", "--print-config"});
  EXPECT_EQ(options.config_path, "f");
  EXPECT_TRUE(options.print_config);
  ASSERT_EQ(options.flags.size(), 3U);
  EXPECT_EQ(options.flags[0].setting->name, "server.listen");
  EXPECT_THAT(options.flags[0].texts, ElementsAre("a:1", "[::1]:2"));
  EXPECT_THAT(options.flags[1].texts, ElementsAre("3"));
  EXPECT_TRUE(parsed<ServeOptions>({"serve"}).flags.empty());
}

TEST(ServeOptionsTest, RefusesWrongValues) {
  EXPECT_EQ(refused({"serve", "--shards", "0"}),
            "--shards is '0', expected a whole number from 1 to 256");
  EXPECT_THAT(refused({"serve", "--listen", "here"}),
              HasSubstr("--listen is 'here', expected ADD"));
  EXPECT_THAT(refused({"serve", "--anonymous", "everone"}), HasSubstr("mean 'everyone'?"));
  EXPECT_EQ(refused({"serve", "now"}), "unexpected argument 'now'");
  EXPECT_EQ(refused({"serve", "--lisen", "x"}),
            "unknown option '--lisen': did you mean '--listen'?");
}

TEST(TokenOptionsTest, TakesVerbsAndGrants) {
  const auto create = parsed<TokenOptions>(
      {"token", "create", "t", "--publish", "source:/a/,type:b.", "--publish", "type:c",
       "--subscribe", "all", "--block", "--expires", "90d", "--data", "d"});
  EXPECT_EQ(create.verb, TokenVerb::kCreate);
  EXPECT_EQ(create.name, "t");
  ASSERT_EQ(create.grants.publish.size(), 2U);
  EXPECT_EQ(create.grants.publish[0], (broker::Scope{"/a/", "b."}));
  EXPECT_THAT(create.grants.subscribe, ElementsAre(broker::Scope{}));
  EXPECT_TRUE(create.grants.block);
  EXPECT_FALSE(create.grants.admin);
  EXPECT_EQ(create.expires, base::Duration::seconds(90 * 86'400));
  EXPECT_THAT(create.flags.at(0).texts, ElementsAre("d"));
  EXPECT_EQ(parsed<TokenOptions>({"token", "revoke", "t"}).verb, TokenVerb::kRevoke);
  EXPECT_TRUE(parsed<TokenOptions>({"token", "list", "--json"}).json);
  const auto rotate = parsed<TokenOptions>({"token", "rotate", "t", "--overlap", "0s"});
  EXPECT_EQ(rotate.verb, TokenVerb::kRotate);
  EXPECT_EQ(rotate.name, "t");
  EXPECT_EQ(rotate.overlap, base::Duration{});
  EXPECT_EQ(parsed<TokenOptions>({"token", "rotate", "t"}).overlap, broker::kOverlapDefault);
}

TEST(TokenOptionsTest, RefusesWhatItCannotUse) {
  EXPECT_EQ(refused({"token"}), "expected create, list, rotate or revoke, found none");
  EXPECT_THAT(refused({"token", "creat"}), HasSubstr("did you mean 'create'?"));
  EXPECT_EQ(refused({"token", "create", "--admin"}), "expected the name of a token, found none");
  EXPECT_THAT(refused({"token", "create", "t"}), HasSubstr("expected what the token may do"));
  EXPECT_THAT(refused({"token", "create", "t", "--publish", "x"}), HasSubstr("source:PREFIX"));
  EXPECT_EQ(refused({"token", "list", "x"}), "unexpected argument 'x'");
  EXPECT_THAT(refused({"token", "list", "--admin"}), HasSubstr("token create only"));
  EXPECT_THAT(refused({"token", "revoke", "t", "--overlap", "1h"}), HasSubstr("token rotate only"));
  EXPECT_THAT(refused({"token", "rotate", "t", "--overlap", "long"}),
              HasSubstr("--overlap is 'long'"));
  EXPECT_EQ(refused({"token", "rotate"}), "expected the name of a token, found none");
  EXPECT_THAT(refused({"token", "create", "t", "--admin", "--expires", "soon"}),
              HasSubstr("--expires is 'soon'"));
}

TEST(DirectoryOptionsTest, TakesADirectoryAndWhereTheBrokersIs) {
  const auto backup =
      parsed<BackupOptions>({"backup", "b", "--data", "d", "--config", "f", "--json"});
  EXPECT_EQ(backup.target, "b");
  EXPECT_EQ(backup.directory.flags.at(0).setting->name, "store.directory");
  EXPECT_THAT(backup.directory.flags.at(0).texts, ElementsAre("d"));
  EXPECT_EQ(backup.directory.config_path, "f");
  EXPECT_TRUE(backup.directory.json);
  EXPECT_EQ(parsed<RestoreOptions>({"restore", "b"}).backup, "b");
  EXPECT_TRUE(parsed<DoctorOptions>({"doctor"}).directory.flags.empty());
  EXPECT_THAT(parsed<DoctorOptions>({"doctor", "d"}).directory.flags.at(0).texts, ElementsAre("d"));
  EXPECT_FALSE(parsed<DoctorOptions>({"doctor", "d"}).repair);
  EXPECT_TRUE(parsed<DoctorOptions>({"doctor", "d", "--repair"}).repair);
}

TEST(DirectoryOptionsTest, RefusesWhatItCannotUse) {
  EXPECT_EQ(refused({"backup"}), "expected the directory to back up into, found none");
  EXPECT_EQ(refused({"restore", "--data", "d"}), "expected the directory of a backup, found none");
  EXPECT_EQ(refused({"backup", "a", "b"}), "unexpected argument 'b'");
  EXPECT_EQ(refused({"doctor", "a", "--data", "b"}),
            "the directory is given twice, also by --data");
}

TEST(PublishOptionsTest, TakesAFileOrAnEvent) {
  const auto file = parsed<PublishOptions>({"publish", "f", "--batch", "7", "--retry", "1m",
                                            "--keep-going", "--url", "http://x", "--token", "t"});
  EXPECT_EQ(file.input_path, "f");
  EXPECT_EQ(file.batch_count, 7U);
  EXPECT_EQ(file.retry, base::Duration::seconds(60));
  EXPECT_EQ(file.connection.url, "http://x");
  EXPECT_EQ(parsed<PublishOptions>({"publish"}).input_path, "-");
  EXPECT_EQ(parsed<PublishOptions>({"publish", "-"}).input_path, "-");
  EXPECT_EQ(parsed<PublishOptions>({"publish", "--type", "a", "--data", "[1]"}).event.data, "[1]");
}

TEST(PublishOptionsTest, RefusesWhatItCannotUse) {
  EXPECT_THAT(refused({"publish", "f", "--type", "a"}), HasSubstr("found both"));
  EXPECT_THAT(refused({"publish", "--data", "1"}), HasSubstr("needs --type"));
  EXPECT_EQ(refused({"publish", "a", "b"}), "unexpected argument 'b'");
  EXPECT_THAT(refused({"publish", "--batch", "0"}), HasSubstr("from 1 to 10000"));
  EXPECT_THAT(refused({"publish", "--token", "a", "--token-file", "b"}), HasSubstr("found both"));
}

TEST(SubscribeOptionsTest, TakesAFilterOrAnId) {
  EXPECT_EQ(parsed<SubscribeOptions>({"subscribe", "a = 1"}).filter, "a = 1");
  const auto durable = parsed<SubscribeOptions>(
      {"subscribe", "--id", "n", "--filter", "a = 1", "--count", "3", "--no-reconnect"});
  EXPECT_EQ(durable.id, "n");
  EXPECT_EQ(durable.filter, "a = 1");
  EXPECT_EQ(durable.count, 3U);
  EXPECT_FALSE(durable.reconnect);
  EXPECT_THAT(refused({"subscribe"}), HasSubstr("expected a filter, or --id NAME"));
  EXPECT_THAT(refused({"subscribe", "a", "=", "1"}), HasSubstr("is it in quotes?"));
  EXPECT_THAT(refused({"subscribe", "a", "--count", "x"}), HasSubstr("--count is 'x'"));
}

TEST(SubscriptionsOptionsTest, TakesVerbs) {
  const auto replace = parsed<SubscriptionsOptions>({"subscriptions", "replace", "n", "f"});
  EXPECT_EQ(replace.verb, SubscriptionsVerb::kReplace);
  EXPECT_EQ(replace.id, "n");
  EXPECT_EQ(replace.input_path, "f");
  EXPECT_EQ(parsed<SubscriptionsOptions>({"subscriptions", "create", "-"}).input_path, "-");
  const auto forget = parsed<SubscriptionsOptions>({"subscriptions", "forget", "n", "e.json"});
  EXPECT_EQ(forget.verb, SubscriptionsVerb::kForget);
  EXPECT_EQ(forget.id, "n");
  EXPECT_EQ(forget.input_path, "e.json");
  EXPECT_THAT(refused({"subscriptions"}), HasSubstr("such as list"));
  EXPECT_THAT(refused({"subscriptions", "lst"}), HasSubstr("did you mean 'list'?"));
  EXPECT_THAT(refused({"subscriptions", "show"}), HasSubstr("the id of a subscription"));
  EXPECT_THAT(refused({"subscriptions", "create"}), HasSubstr("a file with"));
  EXPECT_THAT(refused({"subscriptions", "replace", "n"}), HasSubstr("a file with"));
  EXPECT_THAT(refused({"subscriptions", "forget", "n"}), HasSubstr("a file with the event"));
  EXPECT_EQ(refused({"subscriptions", "delete", "a", "b"}), "unexpected argument 'b'");
}

TEST(SubscriptionsOptionsTest, TransfersOneOrAllOfAnOwner) {
  const auto one = parsed<SubscriptionsOptions>({"subscriptions", "transfer", "n", "desk"});
  EXPECT_EQ(one.verb, SubscriptionsVerb::kTransfer);
  EXPECT_EQ(one.id, "n");
  EXPECT_EQ(one.owner, "desk");
  const auto all =
      parsed<SubscriptionsOptions>({"subscriptions", "transfer", "--all-of", "old", "desk"});
  EXPECT_EQ(all.all_of, "old");
  EXPECT_EQ(all.owner, "desk");
  EXPECT_THAT(refused({"subscriptions", "transfer"}), HasSubstr("and its new owner"));
  EXPECT_THAT(refused({"subscriptions", "transfer", "n"}), HasSubstr("the new owner"));
  EXPECT_THAT(refused({"subscriptions", "transfer", "--all-of", "old"}),
              HasSubstr("the new owner"));
  EXPECT_EQ(refused({"subscriptions", "transfer", "n", "a", "b"}), "unexpected argument 'b'");
  EXPECT_THAT(refused({"subscriptions", "list", "--all-of", "a"}), HasSubstr("transfer only"));
}

TEST(DeadLettersOptionsTest, TakesVerbs) {
  const auto one = parsed<DeadLettersOptions>({"dead-letters", "resend", "n", "17"});
  EXPECT_EQ(one.verb, DeadLettersVerb::kResend);
  EXPECT_EQ(one.id, "n");
  EXPECT_EQ(one.delivery, 17U);
  const auto all = parsed<DeadLettersOptions>({"dead-letters", "purge", "n"});
  EXPECT_EQ(all.verb, DeadLettersVerb::kPurge);
  EXPECT_EQ(all.delivery, std::nullopt);
  EXPECT_THAT(refused({"dead-letters"}), HasSubstr("expected list, resend or purge"));
  EXPECT_THAT(refused({"dead-letters", "purge"}), HasSubstr("the id of a subscription"));
  EXPECT_THAT(refused({"dead-letters", "resend", "n", "x"}), HasSubstr("is 'x'"));
  EXPECT_EQ(refused({"dead-letters", "list", "n", "1"}), "unexpected argument '1'");
}

}  // namespace
}  // namespace weir::cli
