#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir filter: what it writes, how it counts, how it ends."""

import contextlib
import json
import os
import pty
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from weir_program import PROGRAM, SECONDS_MAX, event, reading, stream, weir

HELD = "change(data.v, by subject) > 1 at most every 10s"


class FilterTest(unittest.TestCase):
    def test_passes_on_events_as_they_came(self):
        odd = '{ "type":"a\\u0062","id":"1","source":"/s","specversion":"1.0","data":1.50 }'
        done = weir("filter", "type = 'ab'", stdin=odd + "\r\n\n" + event(2) + "\n" + odd)
        self.assertEqual(done, (0, odd + "\n" + odd + "\n", ""))

    def test_several_filters_write_an_event_once(self):
        done = weir("filter", "id = '1'", "type = 'test'", HELD,
                    stdin=stream(event(1), event(2)))
        self.assertEqual(done.out, stream(event(1), event(2)))

    def test_json_tells_the_filter(self):
        done = weir("filter", "--json", "id = '1'", "type = 'test'",
                    stdin=stream(event(1), event(2)))
        self.assertEqual([(line["filter"], line["event"]["id"]) for line in done.lines()],
                         [(1, "1"), (2, "1"), (2, "2")])

    def test_json_numbers_the_groups_of_a_composite(self):
        composite = "change(data.v, subject = 'a') > 1 and change(data.v, subject = 'b') > 1"
        events = [reading(1, 0, 1, "a"), reading(2, 1, 1, "b"), reading(3, 2, 5, "a"),
                  reading(4, 3, 5, "b")]
        done = weir("filter", "--json", composite, "id = '1'", stdin=stream(*events))
        self.assertEqual(
            [(line["filter"], line.get("group"), line["event"]["id"]) for line in done.lines()],
            [(2, None, "1"), (1, 1, "1"), (1, 1, "2"), (1, 2, "3"), (1, 2, "4")])

    def test_delivers_what_is_held_at_the_end(self):
        events = [reading(1, 0, 1), reading(2, 1, 5), reading(3, 2, 9)]
        self.assertEqual(weir("filter", HELD, stdin=stream(*events)).out,
                         stream(events[0], events[2]))

    def test_an_event_that_was_held_is_written_once(self):
        events = [reading(1, 0, 1), reading(2, 1, 5), reading(3, 20, 9)]
        self.assertEqual(weir("filter", HELD, "true", stdin=stream(*events)).out, stream(*events))

    def test_takes_time_from_events_and_the_newest_for_those_without(self):
        events = [reading(1, 0, 1), event(2, subject="a"), reading(3, 11, 1), reading(4, 12, 1)]
        done = weir("filter", "distinct(subject) within 10s", stdin=stream(*events))
        self.assertEqual(done.out, stream(events[0], events[2]))
        wall = weir("filter", "--clock", "wall", "distinct(subject) within 1h",
                    stdin=stream(*events))
        self.assertEqual(wall.out, stream(events[0]))

    def test_initial_none_keeps_first_values_back(self):
        events = [reading(1, 0, 1), reading(2, 1, 5)]
        done = weir("filter", "--initial", "none", "change(data.v) > 1", stdin=stream(*events))
        self.assertEqual(done.out, stream(events[1]))

    def test_dedup_drops_what_came_before(self):
        events = [reading(1, 0, 1), reading(1, 9, 2), reading(1, 10, 3)]
        done = weir("filter", "--dedup", "10s", "true", "--stats", "--json", stdin=stream(*events))
        self.assertEqual(len(done.lines()), 2)
        self.assertEqual(json.loads(done.err)["ingest_duplicates"], 1)

    def test_takes_filters_and_events_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            filters = Path(folder) / "filters.txt"
            filters.write_text("# two filters\nid = '1'\n\n  id = '3'\r\n")
            events = Path(folder) / "events.jsonl"
            events.write_text(stream(event(1), event(2), event(3)))
            done = weir("filter", "--filters", str(filters), "--input", str(events), "--json",
                        "id = '2'")
            self.assertEqual([(line["filter"], line["event"]["id"]) for line in done.lines()],
                             [(2, "1"), (1, "2"), (3, "3")])
            by_stdin = weir("filter", "--filters", "-", "--input", str(events), stdin="id = '2'")
            self.assertEqual(by_stdin.out, stream(event(2)))

    def test_a_wrong_filter_of_a_file_has_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            filters = Path(folder) / "filters.txt"
            filters.write_text("id = '1'\n\nid == '3'\n")
            done = weir("filter", "--filters", str(filters), stdin=event(1))
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("filters.txt: line 3, column 4: expected an operator", done.err)
        self.assertTrue(done.err.endswith("  id == '3'\n     ^\n"))

    def test_a_wrong_filter_among_several_has_its_number(self):
        done = weir("filter", "true", "type =", stdin=event(1))
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("weir: filter 2: line 1, column 7: ", done.err)

    def test_takes_all_dialects(self):
        events = stream(event(1), event(22))
        self.assertEqual(weir("filter", "--dialect", "cesql", "LENGTH(id) = 2", stdin=events).out,
                         stream(event(22)))
        self.assertEqual(weir("filter", "--dialect", "json", '[{"exact":{"id":"1"}}]',
                              stdin=events).out, stream(event(1)))

    def test_text_in_a_language(self):
        events = stream(event(1, data={"t": "ein Tag"}), event(2, data={"t": "viele Häuser"}))
        done = weir("filter", "--language", "german", "text(data.t) about 'Haus' score >= 0.5",
                    stdin=events)
        self.assertEqual([line["id"] for line in done.lines()], ["2"])


class BadLineTest(unittest.TestCase):
    INPUT = stream(event(1), '{"id":1}', event(2), "[", "", event(3))

    def test_stops_the_run_and_tells_its_place(self):
        done = weir("filter", "true", stdin=self.INPUT)
        self.assertEqual((done.code, done.out), (2, stream(event(1))))
        self.assertTrue(done.err.startswith("weir: stdin: line 2, column 7: expected "), done.err)

    def test_is_an_object_with_json(self):
        done = weir("filter", "true", "--json", stdin=self.INPUT)
        error = json.loads(done.err)["error"]
        self.assertEqual((error["what"], error["line"], error["column"], error["code"]),
                         ("stdin", 2, 7, "invalid_input"))

    def test_keep_going_reports_each_and_still_fails(self):
        done = weir("filter", "true", "--keep-going", stdin=self.INPUT)
        self.assertEqual((done.code, done.out), (2, stream(event(1), event(2), event(3))))
        self.assertEqual([line.split(":")[2] for line in done.err.splitlines()],
                         [" line 2, column 7", " line 4, column 2"])

    def test_a_missing_input_is_an_error(self):
        done = weir("filter", "true", "--input", "no-such-file")
        self.assertEqual((done.code, done.err),
                         (5, "weir: cannot open no-such-file: No such file or directory\n"))

    def test_an_input_that_cannot_be_read_is_an_error(self):
        done = weir("filter", "true", "--input", "/")
        self.assertEqual((done.code, done.err), (5, "weir: cannot read /: Is a directory\n"))

    def test_a_file_without_filters_is_an_error(self):
        done = weir("filter", "--filters", "/dev/null")
        self.assertEqual((done.code, done.err), (2, "weir: /dev/null holds no filter\n"))

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "filter", "true"], input=event(1).encode(),
                                  stdout=full, stderr=subprocess.PIPE, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr, b"weir: cannot write stdout: No space left on device\n")


class StatsTest(unittest.TestCase):
    FILTERS = ["type = 'reading' and data.v > 5", "change(data.v, by subject) > 1",
               HELD, "distinct(subject) within 5s",
               "text(data.b) about 'storm' score >= 0.9"]

    def events(self) -> list[str]:
        events = [reading(n, n / 4, (n * 7) % 11, subject="abc"[n % 3]) for n in range(300)]
        events += [event(n % 40 + 1000, data={"b": "storm" if n % 5 else "calm sea", "v": "x"})
                   for n in range(100)]
        return events

    def test_sums_add_up(self):
        done = weir("filter", "--json", "--stats", "--keep-going", "--dedup", "1h", *self.FILTERS,
                    stdin=stream(*self.events(), "", "bad"))
        errors, stats = [json.loads(line) for line in done.err.splitlines()]
        self.assertIn("error", errors)
        self.assertEqual((stats["lines"], stats["blank_lines"], stats["invalid_lines"]),
                         (402, 1, 1))
        self.assertEqual(stats["events"], 400)
        self.assertEqual(stats["ingest_duplicates"], 60)
        self.assertEqual(stats["written"], len(done.lines()))
        self.assertEqual(stats["written"], sum(f["delivered"] for f in stats["filters"]))
        outcomes = ["passed", "no_match", "below_score", "no_value", "within_threshold", "held",
                    "duplicate"]
        for number, row in enumerate(stats["filters"], 1):
            self.assertEqual(row["filter"], number)
            self.assertEqual(row["published"], 340)
            self.assertEqual(sum(row[name] for name in outcomes), 340, row)
            delivered = sum(line["filter"] == number for line in done.lines())
            self.assertEqual(row["delivered"], delivered)
        for name in outcomes:
            self.assertGreater(sum(row[name] for row in stats["filters"]), 0, name)
        self.assertGreater(stats["cpu_seconds"], 0)
        self.assertGreater(stats["events_per_cpu_second"], 0)

    def test_is_a_table_for_people(self):
        done = weir("filter", "--stats", *self.FILTERS, stdin=stream(*self.events()))
        self.assertEqual(done.code, 0)
        self.assertRegex(done.err, r"(?m)^lines read +400 +0 blank, 0 invalid$")
        self.assertRegex(done.err, r"(?m)^events +400\b")
        self.assertRegex(done.err, r"events per CPU-second\n")
        self.assertRegex(done.err, r"(?m)^filter +delivered +passed +no match .*duplicate$")
        self.assertRegex(done.err, r"(?m)^ +1 +\d+ .*  type = 'reading' and data.v > 5$")


class StreamTest(unittest.TestCase):
    def test_a_reader_that_goes_away_ends_the_run_quietly(self):
        process = subprocess.Popen([PROGRAM, "filter", "true"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(stream(event(1)).encode())
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), stream(event(1)).encode())
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.write(stream(event(2)).encode() * 10_000)
        self.assertEqual(process.wait(timeout=SECONDS_MAX), 0)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()

    def test_an_event_is_written_before_the_next_one_is_waited_for(self):
        process = subprocess.Popen([PROGRAM, "filter", "true"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        for number in range(3):
            process.stdin.write(stream(event(number)).encode())
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), stream(event(number)).encode())
        process.stdin.close()
        self.assertEqual(process.wait(timeout=SECONDS_MAX), 0)
        process.stdout.close()

    def test_a_held_value_comes_by_the_wall_clock_without_another_event(self):
        process = subprocess.Popen(
            [PROGRAM, "filter", "--clock", "wall", "change(data.v) > 1 at most every 50ms"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        events = [event(n, data={"v": n * 5}) for n in range(2)]
        process.stdin.write(stream(*events).encode())
        process.stdin.flush()
        for line in events:
            self.assertEqual(process.stdout.readline().decode(), line + "\n")
        process.stdin.close()
        self.assertEqual(process.wait(timeout=SECONDS_MAX), 0)
        process.stdout.close()

    def test_a_long_run_shows_progress_on_a_terminal_only(self):
        shown = self.run_on_terminal()
        self.assertRegex(shown, r"\r\x1b\[K[\d,]+ events, 0 written, [\d,]+ events/s")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown[-40:])

    def run_on_terminal(self) -> str:
        """Feeds events until something is shown on a terminal that is the program's stderr."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "filter", "false"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        os.set_blocking(ours, False)
        block = stream(event(1)).encode() * 5_000
        deadline = time.monotonic() + 60
        shown = b""
        while not shown and time.monotonic() < deadline:
            process.stdin.write(block)
            try:
                shown = os.read(ours, 4096)
            except BlockingIOError:
                pass
        process.stdin.close()
        process.wait(timeout=SECONDS_MAX)
        os.set_blocking(ours, True)
        try:
            while more := os.read(ours, 4096):
                shown += more
        except OSError:
            pass
        os.close(ours)
        return shown.decode()


if __name__ == "__main__":
    unittest.main()
