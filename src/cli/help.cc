// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "cli/version.h"

namespace weir::cli {
namespace {

constexpr std::array kCommands = {
    CommandHelp{
        "check", "check [OPTION...] EXPR",
        "Checks a filter: its canonical text, its normal form, the kinds of interest it combines,\n"
        "the state it will need, and whether every event has to be tried.",
        "  weir check \"type = 'reading' and change(data.celsius, by subject) > 0.5\"\n"},
    CommandHelp{
        "explain", "explain --filter EXPR [OPTION...]\n       weir explain --id NAME [OPTION...]",
        "Tells whether an event would be delivered, which part of the filter decided, and the\n"
        "values it saw. With --id, a broker tells it of a subscription, with all that its filter\n"
        "remembers. Exits with 0 if it would be delivered and with 1 if not.",
        "  weir explain --filter \"data.price > 20\" --event quote.json\n"
        "  weir explain --filter \"change(data.price) > 2%\" --history day.jsonl < quote.json\n"
        "  weir explain --id alerts --event quote.json\n"},
    CommandHelp{
        "filter", "filter [OPTION...] EXPR...",
        "Reads events as JSON lines and writes those that at least one of the filters lets\n"
        "through, as they came, each once. With --json every delivery is a line that names its\n"
        "filter, from 1.",
        "  weir filter \"type = 'click' and distinct(data.ad, data.ip) within 24h\" < in.jsonl\n"
        "  weir filter --filters filters.txt --input in.jsonl --stats > out.jsonl\n"},
    CommandHelp{"eval", "eval [OPTION...] EXPR",
                "Evaluates an expression on one event and prints its value and its errors.",
                "  weir eval \"data.price between 20 and 40\" --event quote.json\n"
                "  weir eval --dialect cesql \"UPPER(subject) LIKE 'IN%' AND 7 / 2 = 3\" --json\n"},
    CommandHelp{
        "analyze", "analyze [OPTION...] TEXT|-\n       weir analyze [OPTION...] --input FILE",
        "Shows a text as the text filters see it: where each word begins and ends, in bytes, the\n"
        "word in lower case, and the term it is matched by.",
        "  weir analyze \"The STORMS flooded Zürich!\"\n"
        "  weir analyze --language de --json - < article.txt\n"},
    CommandHelp{
        "corpus", "corpus [OPTION...] FILE|-...",
        "Counts in how many documents each word is, for the setting text.corpus: scores of text\n"
        "then begin with what is known of the language. A document is a line, a plain text unless\n"
        "--text is given.",
        "  weir corpus archive.txt > english.corpus\n"
        "  weir corpus --text 'text(data.title, html(data.body))' news.jsonl > english.corpus\n"},
    CommandHelp{
        "size",
        "size distinct --rate N/s --window DURATION [OPTION...]\n"
        "       weir size bloom --keys N [OPTION...]",
        "Tells how much memory it takes to remember keys, for several structures side by side:\n"
        "those of a time window, or a set that only grows.",
        "  weir size distinct --rate 50000/s --window 1h --fp 0.1%\n"
        "  weir size bloom --keys 5000000 --fp 0.01 --json\n"},
    CommandHelp{
        "sim", "sim [OPTION...] FILE...",
        "Runs scenarios: thousands of members in virtual time, with work, faults and checks, as\n"
        "docs/simulation.md tells. Exits with 0 if all checks hold and with 1 if not.",
        "  weir sim tests/scenarios/fast/churn.toml\n"
        "  weir sim churn.toml --seed 7 --trace 1f00aa0011223344\n"
        "  weir sim churn.toml --seeds 100 --json > runs.json\n"},
    CommandHelp{
        "serve", "serve [OPTION...]",
        "Runs a broker in the foreground. Settings come from the configuration file, then the\n"
        "environment (WEIR_SERVER_LISTEN), then these options; docs/configuration.md has them "
        "all.\n"
        "SIGTERM and SIGINT end it in good order, SIGHUP reads tokens and certificates again.",
        "  weir serve --data /var/lib/weir --listen 127.0.0.1:8080\n"
        "  weir serve --config weir.toml --print-config\n"},
    CommandHelp{
        "publish", "publish [OPTION...] [FILE|-]",
        "Sends events, JSON lines of a file or of stdin, to a broker, and waits until it has them\n"
        "for good. Tries again if it is busy, which is safe: it knows events by source and id.",
        "  weir publish events.jsonl\n"
        "  weir publish --type reading --subject hall --data '{\"celsius\": 21.5}'\n"},
    CommandHelp{
        "subscribe",
        "subscribe [OPTION...] FILTER\n       weir subscribe [OPTION...] --id NAME [FILTER]",
        "Writes the events that a filter lets through, as they come. With --id the subscription "
        "is\n"
        "durable: it is made if there is none, and goes on after the last event that was written.",
        "  weir subscribe \"type = 'reading' and change(data.celsius, by subject) > 0.5\"\n"
        "  weir subscribe --id alerts \"data.level >= 3\" >> alerts.jsonl\n"},
    CommandHelp{"subscriptions",
                "subscriptions [OPTION...] list\n"
                "       weir subscriptions [OPTION...] show|delete ID\n"
                "       weir subscriptions [OPTION...] create FILE|-\n"
                "       weir subscriptions [OPTION...] replace ID FILE|-\n"
                "       weir subscriptions [OPTION...] forget ID EVENT.json|-\n"
                "       weir subscriptions [OPTION...] transfer ID OWNER\n"
                "       weir subscriptions [OPTION...] transfer --all-of OWNER NEW-OWNER",
                "Lists, shows, makes and deletes the durable subscriptions of a broker. With "
                "forget, what has\n"
                "the event's keys is new again to the subscription's filter. With transfer, an "
                "admin gives one,\n"
                "or all of an owner, to another token, with all that it remembers.",
                "  weir subscriptions list\n"
                "  weir subscriptions show alerts --json\n"
                "  weir subscriptions forget clicks click.json\n"
                "  weir subscriptions transfer --all-of old-desk new-desk\n"},
    CommandHelp{"dead-letters",
                "dead-letters [OPTION...] list ID\n"
                "       weir dead-letters [OPTION...] resend|purge ID [NUMBER]",
                "Lists what the sink of a subscription did not take, delivers it again, or removes "
                "it for good:\n"
                "one letter, or all of them. What is delivered again leaves the list when the sink "
                "takes it.",
                "  weir dead-letters list alerts --json\n"
                "  weir dead-letters resend alerts 17\n"
                "  weir dead-letters purge alerts\n"},
    CommandHelp{
        "token",
        "token create NAME [OPTION...]\n       weir token list [OPTION...]\n       weir token "
        "rotate NAME [--overlap DURATION] [OPTION...]\n       weir token revoke NAME [OPTION...]",
        "Makes, lists and revokes tokens, in the broker's data directory. With rotate, a token "
        "gets\n"
        "another secret, and keeps what it may do and owns. A broker that runs takes notice "
        "within\n"
        "a second.",
        "  weir token create sensors --publish source:/hall/,type:reading --data /var/lib/weir\n"
        "  weir token rotate sensors --overlap 24h --data /var/lib/weir\n"
        "  weir token revoke sensors --data /var/lib/weir\n"},
    CommandHelp{
        "backup", "backup DIR [OPTION...]",
        "Copies the directory of a broker, which may run, consistently: everything that was\n"
        "confirmed before is in it. DIR is made; nothing may be in it. docs/operations.md.",
        "  weir backup /backup/monday --data /var/lib/weir\n"},
    CommandHelp{
        "restore", "restore BACKUP [OPTION...]",
        "Makes a directory to start a broker on from a backup, after it has checked every file of\n"
        "the backup. The directory must not be there, or be empty.",
        "  weir restore /backup/monday --data /var/lib/weir\n"},
    CommandHelp{
        "doctor", "doctor [DIR] [OPTION...]",
        "Examines a broker's directory: every checksum, every event, the registry, and whether "
        "log\n"
        "and registry belong together. Tells what it finds, what follows from it and what to do.\n"
        "Changes nothing; a broker may run. Exits with 0 if all is sound, with 1 if there are\n"
        "warnings and with 6 if something is damaged.\n"
        "With --repair, and while no broker runs, it makes a damaged directory one that a broker\n"
        "starts on, and lists what is lost: events, deliveries, subscriptions, tokens. To restore\n"
        "a backup may lose less.",
        "  weir doctor /var/lib/weir\n"
        "  weir doctor /var/lib/weir --repair\n"},
    CommandHelp{
        "member", "member --name NAME [OPTION...]",
        "Is a member of a cluster over a NATS server, to try one with. Reads commands as lines:\n"
        "put KEY TEXT, get KEY, cast KEY..., segment [FROM TO], add N, members, slots, leave, "
        "quit;\n"
        "writes what becomes of them as JSON lines. SIGTERM and SIGINT make it leave in good "
        "order.",
        "  weir member --nats nats://127.0.0.1:4222 --cluster trial --name north\n"},
};

constexpr std::string_view kOverview =
    R"(Weir delivers less: of a stream of events, exactly those that matter.

Usage: weir COMMAND [OPTION...] [ARGUMENT...]

Commands:
  filter    pass on the events of a stream that one of some filters lets through
  check     check a filter, and tell its normal form and the state it needs
  explain   tell which part of a filter decided about an event, with the values
  eval      evaluate an expression on one event
  analyze   show the words and terms of a text
  corpus    count in how many documents each word is, for scores to begin with
  size      tell how much memory it takes to remember keys, by a window or all
  sim       run members of a cluster in virtual time, with work, faults and checks

  serve          run a broker
  publish        send events to a broker
  subscribe      write the events that a filter lets through, as a broker delivers them
  subscriptions  list, show, make and delete the subscriptions of a broker
  dead-letters   list, deliver again and remove what a sink did not take
  token          make, list, rotate and revoke the tokens of a broker
  backup         copy the directory of a broker, which may run
  restore        make a broker's directory from a backup
  doctor         examine a broker's directory, and explain what is wrong with it
  member         be a member of a cluster over NATS, to try one with

Options:
  -h,--help     Print this help and exit; weir COMMAND --help tells more
  -V,--version  Print the version and exit

A filter combines five kinds of interest:
  topic     type = 'quote' and source prefix '/nyse/'
  content   data.symbol in ('INTC', 'YHOO') and data.price between 20 and 40
  text      text(data.title, data.body) about 'storm flood' score >= 1.2
  change    change(data.celsius, by subject) > 0.5
  distinct  distinct(data.ad, data.ip) within 24h

Examples:
  weir filter "type = 'quote' and data.price > 20" < in.jsonl > out.jsonl
  weir check "change(data.price, by subject) > 2%"
  weir explain --filter "data.price > 20" --event quote.json
  weir serve

Exit status: 0 done, 1 no (explain: not delivered; sim: a check fails; doctor: warnings), 2
invalid input, 3 not found, 4 a limit was exceeded, 5 a file or a broker cannot be reached, 6
corrupt data.
)";

}  // namespace

const CommandHelp& command_help(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &CommandHelp::name);
  WEIR_CHECK(found != kCommands.end());
  return *found;
}

std::string overview() { return std::string(kOverview); }

std::string version_text() { return fmt::format("weir {}\n", version()); }

}  // namespace weir::cli
