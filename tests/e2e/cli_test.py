#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir check, explain, eval, analyze, size, --help and --version, as a user meets them."""

import json
import tempfile
import unittest
from pathlib import Path

from weir_program import ROOT, event, reading, stream, weir

COMMANDS = ["check", "explain", "filter", "eval", "analyze", "corpus", "size", "sim", "serve",
            "publish", "subscribe", "subscriptions", "token", "backup", "restore",
            "doctor", "member"]


class HelpTest(unittest.TestCase):
    def test_version(self):
        done = weir("--version")
        self.assertEqual(done.code, 0)
        self.assertRegex(done.out, r"^weir \d+\.\d+\.\d+\n$")

    def test_overview_names_every_command_and_has_examples(self):
        done = weir("--help")
        self.assertEqual(done.code, 0)
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", done.out)
        self.assertIn("Examples:", done.out)
        self.assertEqual(weir("help").out, done.out)

    def test_every_command_has_help_with_an_example(self):
        for command in COMMANDS:
            done = weir(command, "--help")
            self.assertEqual((done.code, done.err), (0, ""))
            self.assertIn(f"Usage: weir {command}", done.out)
            self.assertIn(f"Example:\n  weir {command} ", done.out)
            self.assertIn("--json", done.out)
            self.assertEqual(weir("help", command).out, done.out)
            self.assertLessEqual(max(map(len, done.out.splitlines())), 100)

    def test_unknown_words_get_a_suggestion(self):
        done = weir("fliter")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertEqual(done.err, "weir: unknown command 'fliter': did you mean 'filter'?\n"
                                   "weir: see weir --help\n")
        self.assertIn("did you mean '--stats'?\nweir: see weir filter --help",
                      weir("filter", "true", "--stat").err)

    def test_a_wrong_command_line_is_an_error_in_json_too(self):
        done = weir("check", "--json")
        self.assertEqual(done.code, 2)
        error = json.loads(done.err)["error"]
        self.assertEqual((error["number"], error["name"], error["code"]),
                         (401, "cli.usage", "invalid_input"))

    def test_no_command_is_an_error(self):
        self.assertEqual(weir().code, 2)


class CheckTest(unittest.TestCase):
    def test_tells_all_about_a_filter(self):
        done = weir("check", "type='reading' AND (data.a>1 or change(data.v, by subject)>0.5)"
                             " and distinct(id) within 60m")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual(done.out.split("state\n")[0], """\
filter
  type = 'reading' and (data.a > 1 or change(data.v, by subject) > 0.5) and distinct(id) within 1h
kinds
  topic, content, change, distinct
normal form: one of
  type = 'reading' and data.a > 1
  type = 'reading' and change(data.v, by subject) > 0.5
""")
        self.assertIn("  change: for each subject: 1 last value", done.out)
        self.assertIn("  distinct: each id delivered within 1h", done.out)

    def test_json_has_the_same(self):
        done = weir("check", "--json", "text(data.b) about 'storms' score >= 1 and time = 5")
        self.assertEqual(done.code, 0)
        checked = json.loads(done.out)
        self.assertEqual(sorted(checked), ["dialect", "filter", "kinds", "normal_form", "state",
                                           "unindexed", "warnings"])
        self.assertEqual(checked["kinds"], ["content", "text"])
        self.assertEqual(len(checked["normal_form"]), 1)
        self.assertEqual(checked["state"]["text"][0]["fields"], ["data.b"])
        self.assertEqual([(w["name"], w["line"], w["column"]) for w in checked["warnings"]],
                         [("core_type", 1, 44)])

    def test_tells_of_a_filter_that_every_event_is_tried_on(self):
        notes = {"not type = 'a'": ("it is", 1),
                 "type = 'a' or not type = 'b'": ("a part of it is", 1),
                 "not data.x = 1 or not exists data.y": ("it is", 2),
                 "text(data.t) about 'storm' and text(data.u) about 'flood'": ("it is", 1)}
        for text, (which, count) in notes.items():
            done = weir("check", text)
            self.assertEqual((done.code, done.err), (0, ""))
            self.assertEqual([line for line in done.out.splitlines() if line.startswith("note")],
                             [f"note: {which} tried on every event, since nothing in it leads "
                              "there (unindexed)"], text)
            self.assertEqual(json.loads(weir("check", "--json", text).out)["unindexed"], count)
        for text in ("type = 'a' and not data.x = 1", "text(data.t) about 'storm'", "true",
                     "false", "change(data.v) > 1"):
            self.assertNotIn("note", weir("check", text).out)
            self.assertEqual(json.loads(weir("check", "--json", text).out)["unindexed"], 0)

    def test_the_canonical_text_checks_to_itself(self):
        for text in ("a=1 OR not b in (1,2.50,'x')", "true", "change(data.v)>=2% or silent for 90s",
                     "subject like 'a%' and distinct(data.x) within 1h"):
            once = json.loads(weir("check", "--json", text).out)
            again = json.loads(weir("check", "--json", once["filter"]).out)
            self.assertEqual({**once, "warnings": 0}, {**again, "warnings": 0})

    def test_takes_all_dialects(self):
        cesql = weir("check", "--dialect", "cesql", "type LIKE 'a%' AND LENGTH(id) > 2", "--json")
        self.assertEqual(json.loads(cesql.out)["dialect"], "cesql")
        dialects = weir("check", "--dialect", "json",
                        '[{"exact":{"type":"a"}},{"not":{"prefix":{"subject":"b"}}}]')
        self.assertEqual(dialects.code, 0)
        self.assertIn("not ", dialects.out)

    def test_an_error_shows_its_place(self):
        done = weir("check", "type = 'x' and\n  data.price >> 3")
        self.assertEqual((done.code, done.out), (2, ""))
        lines = done.err.splitlines()
        self.assertRegex(lines[0], r"^weir: filter: line 2, column 15: expected .*")
        self.assertEqual(lines[1:], ["    data.price >> 3", " " * 16 + "^"])
        error = json.loads(weir("check", "type =", "--json").err)["error"]
        self.assertGreater(len(error.pop("message")), 10)
        self.assertEqual(error, {"number": 201, "name": "filter.syntax", "code": "invalid_input",
                                 "what": "filter", "line": 1, "column": 7})

    def test_a_filter_beyond_a_limit_has_its_own_exit_code(self):
        done = weir("check", "(" * 1000 + "a = 1" + ")" * 1000)
        self.assertEqual(done.code, 4)
        self.assertLess(len(done.err), 1000)
        self.assertEqual(weir("check", " or ".join(["a = 1"] * 2000)).code, 4)

    def test_words_that_are_all_stop_words_are_refused(self):
        done = weir("check", "text(data.b) about 'the of' score >= 1")
        self.assertEqual(done.code, 2)
        self.assertEqual(weir("check", "--language", "none",
                              "text(data.b) about 'the of' score >= 1").code, 0)


class CorpusTest(unittest.TestCase):
    def test_counts_lines_of_text(self):
        done = weir("corpus", "-", stdin="A storm, a storm\n\nThe flood of storms\ncalm\n")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual(done.out, "weir-corpus 1 english 3\ncalm 1\nflood 1\nstorm 2\n")

    def test_counts_what_a_filter_would_read_of_events(self):
        events = (event(1, data={"t": "<b>Sturm</b> und Flut"}) + "\n" +
                  event(2, data={"t": "Stürme"}) + "\n" + event(3, data={"u": "x"}) + "\n")
        done = weir("corpus", "--language", "de", "--text", "text(html(data.t))", "-",
                    stdin=events)
        self.assertEqual(done.out, "weir-corpus 1 german 2\nflut 1\nsturm 2\n")

    def test_a_file_may_be_one_document(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ("a", "b")]
            for path in paths:
                path.write_text("storm\nflood\n")
            done = weir("corpus", "--whole", *map(str, paths))
            self.assertEqual(done.out, "weir-corpus 1 english 2\nflood 2\nstorm 2\n")

    def test_says_what_is_wrong(self):
        self.assertEqual(weir("corpus").code, 2)
        self.assertEqual(weir("corpus", "/nonexistent/file").code, 5)
        self.assertRegex(weir("corpus", "-", stdin="\n").err, "expected at least one document")
        done = weir("corpus", "--text", "text(data.t", "-", stdin="")
        self.assertEqual(done.code, 2)
        self.assertRegex(done.err, "--text: line 1, column 12: expected ',' or '\\)'")
        done = weir("corpus", "--text", "text(data.t)", "-", stdin="{}\n{\n")
        self.assertEqual(done.code, 2)
        self.assertRegex(done.err, "stdin: line 1")


class EvalTest(unittest.TestCase):
    def evaluate(self, *arguments: str, code: int = 0) -> tuple:
        done = weir("eval", "--json", *arguments)
        self.assertEqual((done.code, done.err), (code, ""))
        result = json.loads(done.out)
        self.assertEqual(list(result), ["value", "errors", "messages"])
        self.assertEqual(len(result["errors"]), len(result["messages"]))
        return result["value"], result["errors"]

    def test_cesql_values_and_errors(self):
        for expression, value, errors in [
                ("1 + 2 * 3", 7, []),
                ("'a' LIKE 'A'", False, []),
                ("CONCAT('a', 1)", "a1", []),
                ("-(2147483647) - 1", -2147483648, []),
                ("-1", -1, []),
                ("-ABS(7)", -7, []),
                ("EXISTS id AND type = 'example'", True, []),
                ("missing", False, ["missingAttribute"]),
                ("1 / 0", 0, ["math"]),
                ("'x' + 1", 0, ["cast"]),
                ("FOO(1)", False, ["missingFunction"]),
                ("LEFT('abc', -1)", "abc", ["functionEvaluation"]),
        ]:
            with self.subTest(expression):
                self.assertEqual(self.evaluate("--dialect", "cesql", expression), (value, errors))

    def test_what_does_not_parse_is_a_parse_error(self):
        self.assertEqual(self.evaluate("--dialect", "cesql", "1 +", code=2), (None, ["parse"]))
        self.assertEqual(self.evaluate("type =", code=2), (None, ["parse"]))
        done = weir("eval", "--json", "type =")
        self.assertRegex(json.loads(done.out)["messages"][0], "^line 1, column 7: expected ")

    def test_the_weir_language_gives_booleans(self):
        self.assertEqual(self.evaluate("type = 'example'"), (True, []))
        self.assertEqual(self.evaluate("type = 'other'"), (False, []))
        self.assertEqual(self.evaluate("change(data.v) > 1"), (False, []))
        self.assertEqual(self.evaluate("distinct(id) within 1h"), (True, []))
        self.assertEqual(self.evaluate("--dialect", "json", '[{"exact":{"id":"1"}}]'), (True, []))

    def test_on_an_event_of_a_file_or_of_stdin(self):
        text = json.dumps(json.loads(event(7, data={"price": 20.5})), indent=2)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "event.json"
            path.write_text(text)
            self.assertEqual(self.evaluate("data.price > 20", "--event", str(path)), (True, []))
        self.assertEqual(weir("eval", "id = '7'", "--event", "-", stdin=text).out, "true\n")

    def test_text_for_people(self):
        self.assertEqual(weir("eval", "--dialect", "cesql", "1 + 1").out, "2\n")
        self.assertEqual(weir("eval", "--dialect", "cesql", "'a'").out, "'a'\n")
        self.assertRegex(weir("eval", "--dialect", "cesql", "x").out,
                         r"^false  \(missingAttribute: .+\)\n$")
        done = weir("eval", "--dialect", "cesql", "1 +")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertTrue(done.err.startswith("weir: expression: line 1, column 4: expected "))
        self.assertTrue(done.err.endswith("\n  1 +\n     ^\n"))

    def test_a_wrong_event_is_an_error(self):
        done = weir("eval", "true", "--event", "-", stdin='{"id":1}')
        self.assertEqual(done.code, 2)
        self.assertTrue(done.err.startswith("weir: stdin: line 1, column 7: "), done.err)
        self.assertEqual(weir("eval", "true", "--event", "no-such-file").code, 5)
        error = json.loads(weir("eval", "true", "--json", "--event", "no-such-file").err)["error"]
        self.assertEqual((error["name"], error["code"]), ("cli.file", "unavailable"))


class AnalyzeTest(unittest.TestCase):
    def test_shows_where_words_are_and_their_terms(self):
        done = weir("analyze", "The STORMS flooded Zürich!")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual([line.split() for line in done.out.splitlines()],
                         [["0", "3", "the", "stop", "word"], ["4", "10", "storms", "storm"],
                          ["11", "18", "flooded", "flood"], ["19", "26", "zürich", "zürich"],
                          "4 words, 3 terms, 3 distinct".split()])

    def test_the_example_of_the_document_is_true(self):
        document = (ROOT / "docs/text.md").read_text()
        example = document.split('$ weir analyze "')[1].split("```")[0]
        text, shown = example.split('"\n', 1)
        self.assertEqual(weir("analyze", text).out, shown)

    def test_json_is_one_object(self):
        done = weir("analyze", "--json", "The storms, the STORM 東京")
        self.assertEqual(done.out.count("\n"), 1)
        self.assertEqual(json.loads(done.out), {
            "language": "english",
            "words": [{"begin": 0, "end": 3, "word": "the", "term": None},
                      {"begin": 4, "end": 10, "word": "storms", "term": "storm"},
                      {"begin": 12, "end": 15, "word": "the", "term": None},
                      {"begin": 16, "end": 21, "word": "storm", "term": "storm"},
                      {"begin": 22, "end": 28, "word": "東京", "term": "東京"}],
            "word_count": 5, "term_count": 3, "distinct_term_count": 2})

    def test_reads_a_file_or_stdin(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text.txt"
            path.write_text("storms")
            expected = weir("analyze", "storms").out
            self.assertEqual(weir("analyze", "--input", str(path)).out, expected)
        self.assertEqual(weir("analyze", "-", stdin="storms").out, expected)
        self.assertEqual(weir("analyze", "--input", "-", stdin="storms").out, expected)
        done = weir("analyze", "--input", "no-such-file")
        self.assertEqual((done.code, done.out), (5, ""))

    def test_takes_languages_by_name_or_tag(self):
        for language in ("german", "de", "de-AT", "DEU"):
            told = json.loads(weir("analyze", "--json", "--language", language, "Stürme").out)
            self.assertEqual((told["language"], told["words"][0]["term"]), ("german", "sturm"))
        done = weir("analyze", "--language", "germn", "x")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertRegex(done.err, r"--language is 'germn', expected one of: arabic .*"
                                   r": did you mean 'german'\?")

    def test_any_bytes_are_a_text(self):
        done = weir("analyze", "-", stdin=b"storm\xff\x00\x1b[2Jflood\xc3")
        self.assertEqual(done.code, 0)
        self.assertNotIn("\x1b", done.out)
        self.assertEqual(weir("analyze", "").out, "0 words, 0 terms, 0 distinct\n")

    def test_refuses_none_or_several_texts(self):
        self.assertIn("expected one text, - or --input FILE, found none", weir("analyze").err)
        self.assertIn("found 2 arguments: is it in quotes?", weir("analyze", "a", "b").err)
        self.assertIn("found both", weir("analyze", "a", "--input", "f").err)


class ExplainTest(unittest.TestCase):
    def explain(self, filter_text: str, *events: str, arguments: tuple = ()) -> tuple[int, dict]:
        """Explains the last event; those before it are the history."""
        with tempfile.TemporaryDirectory() as folder:
            history = Path(folder) / "history.jsonl"
            history.write_text(stream(*events[:-1]))
            done = weir("explain", "--filter", filter_text, "--history", str(history), "--json",
                        *arguments, stdin=events[-1])
        self.assertEqual(done.err, "")
        explanation = json.loads(done.out)
        self.assertEqual(explanation["delivered"], done.code == 0)
        return done.code, explanation

    def test_marks_the_parts_that_decided(self):
        done = weir("explain", "--filter", "type = 'reading' and (data.v > 5 or data.v < 0)",
                    stdin=reading(1, 0, 3))
        self.assertEqual((done.code, done.err), (1, ""))
        self.assertEqual(done.out, """\
Not delivered: the filter is about other events.

  ✗ type = 'reading' and (data.v > 5 or data.v < 0)
    ✓ type = 'reading'  [type is 'reading']
    ✗ data.v > 5 or data.v < 0
→     ✗ data.v > 5  [data.v is 3]
→     ✗ data.v < 0  [data.v is 3]
""")

    def test_says_that_an_event_is_delivered(self):
        code, explanation = self.explain("data.v > 5", reading(1, 0, 6))
        self.assertEqual((code, explanation["outcome"]), (0, "passed"))
        self.assertEqual(explanation["filter"], {
            "text": "data.v > 5", "holds": True, "decided": True, "detail": "data.v is 6",
            "parts": []})

    def test_knows_every_outcome(self):
        change = "type = 'reading' and change(data.v, by subject) > 1"
        text = "text(data.b) about 'storm' score >= 9"
        distinct = "distinct(subject) within 10s"
        for filter_text, events, outcome in [
                (change, [reading(1, 0, 1), reading(2, 1, 3)], "passed"),
                (change, [reading(1, 0, 1), reading(2, 1, 1.5)], "within_threshold"),
                (change, [reading(1, 0, 1), reading(2, 1, 1.5, subject="b")], "passed"),
                (change, [event(1, type="reading", data={"v": "x"})], "no_value"),
                (change, [event(1, type="other", data={"v": 1})], "no_match"),
                (change + " at most every 10s", [reading(1, 0, 1), reading(2, 9, 9)], "held"),
                (change + " at most every 10s", [reading(1, 0, 1), reading(2, 10, 9)], "passed"),
                (text, [event(1, data={"b": "calm"}), event(2, data={"b": "a storm"})],
                 "below_score"),
                (distinct, [reading(1, 0, 1), reading(2, 9, 1)], "duplicate"),
                (distinct, [reading(1, 0, 1), reading(2, 10, 1)], "passed"),
        ]:
            with self.subTest(filter_text, events=events):
                self.assertEqual(self.explain(filter_text, *events)[1]["outcome"], outcome)

    def test_initial_none_keeps_the_first_value_back(self):
        _, explanation = self.explain("change(data.v) > 1", reading(1, 0, 1),
                                      arguments=("--initial", "none"))
        self.assertEqual(explanation["outcome"], "within_threshold")

    def test_shows_what_distinct_says(self):
        _, explanation = self.explain("distinct(subject) within 10s", reading(1, 0, 1),
                                      reading(2, 9, 1))
        self.assertIn("delivered in the last 10s", explanation["distinct"])

    def test_reads_a_history_with_a_place_in_its_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            history = Path(folder) / "history.jsonl"
            history.write_text(stream(event(1), "", "{}"))
            done = weir("explain", "--filter", "true", "--history", str(history), stdin=event(2))
        self.assertEqual(done.code, 2)
        self.assertIn("history.jsonl: line 3, column 1: expected attribute 'specversion'",
                      done.err)

    def test_cleans_what_comes_from_the_event(self):
        done = weir("explain", "--filter", "data.v = 'x'", stdin=event(1, data={"v": "\x1b[2J"}))
        self.assertNotIn("\x1b", done.out)


class SizeTest(unittest.TestCase):
    def test_puts_the_structures_for_a_window_side_by_side(self):
        done = weir("size", "distinct", "--rate", "50000/s", "--window", "1h", "--fp", "0.001")
        self.assertEqual((done.code, done.err), (0, ""))
        lines = done.out.splitlines()
        self.assertEqual(lines[0], "180,000,000 keys alive: 50000 per second for 1h")
        self.assertRegex(lines[2], r"^STRUCTURE +BITS PER KEY +MEMORY +FALSE POSITIVES ")
        self.assertRegex(lines[3], r"^generational +25\.2 +540\.\d MiB +0\.1 % +up to 8m35s +8 ")
        self.assertRegex(lines[6], r"^exact map +396\.0 +8\.3 GiB +none +nothing ")
        self.assertIn("dropped per day", done.out)
        self.assertLessEqual(max(map(len, lines)), 140)

    def test_tells_programs_the_same(self):
        done = weir("size", "distinct", "--rate", "600/m", "--window", "10s", "--json")
        self.assertEqual(done.code, 0)
        report = json.loads(done.out)
        self.assertEqual((report["keys"], report["window"]), (100, "10s"))
        self.assertEqual([one["name"] for one in report["structures"]],
                         ["generational", "timers of 1s", "two rotating block filters",
                          "exact map"])
        self.assertEqual(report["structures"][1]["remembers_longer_by"], "1s")
        self.assertEqual(report["structures"][0]["bytes"], 514)

    def test_sizes_a_set(self):
        done = weir("size", "bloom", "--keys", "1000000", "--fp", "1%", "--json")
        self.assertEqual(done.code, 0)
        report = json.loads(done.out)
        self.assertEqual([round(one["bits_per_key"], 1) for one in report["structures"]],
                         [9.6, 10.1, 10.5])
        self.assertNotIn("dropped_per_day", report)

    def test_says_what_was_expected(self):
        done = weir("size", "distinct", "--rate", "50000", "--window", "1h")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertEqual(done.err, "weir: --rate is '50000', expected distinct keys per time, such "
                                   "as 50000/s, 300/m or 1e6/h\nweir: see weir size --help\n")


if __name__ == "__main__":
    unittest.main()
