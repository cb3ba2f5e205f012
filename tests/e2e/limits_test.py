#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile and large input: a clear error in bounded time and memory, and memory that does not grow
with the length of the input."""

import json
import unittest

from weir_program import SANITIZED, event, measure, stream, weir

MIB = 1 << 20
SECONDS_MAX = 30 if SANITIZED else 5


class HostileInputTest(unittest.TestCase):
    def check(self, chunks, code: int, text: str, memory_mib: int) -> None:
        usage = measure("filter", "true", chunks=chunks, seconds_max=SECONDS_MAX)
        self.assertEqual(usage.code, code, usage.err)
        self.assertIn(text, usage.err)
        self.assertLess(len(usage.err), 1000)
        if not SANITIZED:
            self.assertLess(usage.rss_bytes, memory_mib * MIB)

    def test_deep_nesting(self):
        self.check([b"[" * MIB], 4, "line 1, column 65: arrays and objects are nested deeper", 40)
        deep = event(1).encode()[:-1] + b',"data":' + b'{"a":' * MIB
        self.check([deep], 4, "nested deeper than 64", 60)

    def test_a_line_beyond_the_limit(self):
        line = [b'{"data":"'] + [b"x" * MIB] * 20
        self.check(line, 4, "line 1, column 1: the line is longer than the limit of 16777216", 60)

    def test_a_line_without_end(self):
        self.check([b"x" * MIB] * 200, 4, "the line is longer than the limit", 60)

    def test_a_large_line_that_is_no_event(self):
        self.check([b'{"id":"', b"x" * (10 * MIB), b'"}\n'], 2, "expected attribute", 120)
        self.check([b'{"specversion":"', b"x" * (10 * MIB), b'"}\n'], 2, "specversion", 160)

    def test_a_large_array(self):
        self.check([b"[", b"1," * (5 * MIB), b"1]\n"], 2, "expected an event as a JSON object", 400)

    def test_many_members(self):
        members = ",".join(f'"a{n}":{n}' for n in range(20_000)).encode()
        self.check([b"{" + members + b"}\n"], 4, "at most 100 attributes", 40)

    def test_truncated_events(self):
        whole = event(1, data={"a": [1, "é\u1234", {"b": None}]}).encode()
        step = 7 if SANITIZED else 1
        for end in range(1, len(whole), step):
            done = weir("filter", "true", stdin=event(0).encode() + b"\n" + whole[:end])
            self.assertEqual((done.code, done.out), (2, stream(event(0))), whole[:end])
            self.assertRegex(done.err, r"^weir: stdin: line 2, column \d+: ")

    def test_bytes_that_are_no_text(self):
        for line in (b"\0", b"\xff\xfe", b'{"id":"\xc3"}', b"\xef\xbb\xbf{}", b"\x1b[2J"):
            done = weir("filter", "true", stdin=line)
            self.assertEqual((done.code, done.out), (2, ""), line)
            self.assertNotIn("\x1b", done.err)

    def test_an_event_of_ten_megabytes_passes(self):
        large = event(1, data="x" * (10 * MIB)).encode() + b"\n"
        usage = measure("filter", "type = 'test'", chunks=[large], seconds_max=SECONDS_MAX)
        self.assertEqual((usage.code, usage.out_bytes), (0, len(large)))

    def test_a_smaller_limit_can_be_asked_for(self):
        done = weir("filter", "true", "--line-bytes-max", "1KiB", "--keep-going",
                    stdin=stream(event(1), event(2, data="x" * 1000), event(3)))
        self.assertEqual((done.code, done.out), (2, stream(event(1), event(3))))
        self.assertIn("line 2, column 1: the line is longer than the limit of 1024", done.err)

    def test_hostile_filters(self):
        for text in ("(" * 100_000, "not " * 30_000 + "true", "a" * 100_000, "'" * 9_000,
                     " or ".join(["(a=1 or b=2)"] * 600),
                     " and ".join(f"(a{n}=1 or b{n}=2)" for n in range(20)),
                     "\x1b[2J", "id in (" + "1," * 3000 + "1)"):
            done = weir("check", text)
            self.assertIn(done.code, (2, 4), text[:40])
            self.assertLess(len(done.err), 1500)
            self.assertNotIn("\x1b", done.err)

    def test_an_event_file_beyond_the_limit(self):
        usage = measure("eval", "true", "--event", "-", chunks=[b" " * MIB] * 40,
                        seconds_max=SECONDS_MAX)
        self.assertEqual(usage.code, 4)
        self.assertIn("weir: stdin: the text is longer than the limit", usage.err)

    def test_a_text_beyond_the_limit(self):
        usage = measure("analyze", "-", chunks=[b" " * MIB] * 80, seconds_max=SECONDS_MAX)
        self.assertEqual(usage.code, 4)
        self.assertIn("weir: stdin: the text is longer than the limit of 67108864", usage.err)


class MemoryTest(unittest.TestCase):
    FILTERS = ["type = 'test' and data.n > 10", "subject like 'a%' and data.s = 'x'",
               "change(data.n, by subject) > 5", "distinct(subject) within 1h"]
    # How much a longer run may differ: of heaps and buffers, not of what they hold.
    SLACK_BYTES = 4 * MIB

    def chunks(self, count: int):
        for first in range(0, count, 1000):
            yield stream(*(event(n, subject=f"a{n % 50}", data={"n": n % 97, "s": "y" * 100})
                           for n in range(first, first + 1000))).encode()

    def test_does_not_grow_with_the_length_of_the_input(self):
        short_count, long_count = (5_000, 20_000) if SANITIZED else (50_000, 500_000)
        for arguments in (["filter", *self.FILTERS], ["filter", "--json", "true"]):
            short = measure(*arguments, chunks=self.chunks(short_count))
            long = measure(*arguments, chunks=self.chunks(long_count))
            self.assertEqual((short.code, long.code), (0, 0))
            self.assertGreater(long.out_bytes, short.out_bytes)
            if not SANITIZED:
                self.assertLess(long.rss_bytes, short.rss_bytes + self.SLACK_BYTES)

    @unittest.skipIf(SANITIZED, "a sanitizer has its own memory")
    def test_state_is_about_what_check_says(self):
        count = 50_000
        events = [stream(*(event(n, subject=f"subject-{n:012}", time="2026-01-01T00:00:00Z",
                                 data={"n": n, "pad": "x" * 120, "a": 1, "b": 2, "c": 3})
                           for n in range(count))).encode()]
        base = measure("filter", "false", chunks=events).rss_bytes
        for text, kind in (("change(data.n, by subject) > 1", "change"),
                           ("distinct(subject) within 1h exact", "distinct")):
            state = json.loads(weir("check", "--json", text).out)["state"][kind]
            estimate = (state[0] if kind == "change" else state)["bytes_per_key"]
            used = (measure("filter", text, chunks=events).rss_bytes - base) / count
            self.assertGreater(used, estimate / 2, text)
            self.assertLess(used, estimate * 2, text)
        # All keys at once are the worst case of an approximate window.
        text = "distinct(subject) within 1h"
        state = json.loads(weir("check", "--json", text).out)["state"]["distinct"]
        used = measure("filter", text, chunks=events).rss_bytes - base
        self.assertLess(used, state["bytes_max"])
        self.assertLess(used, 140 * count, "an exact window would take more")


if __name__ == "__main__":
    unittest.main()
