#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir sim, and the examples of docs/simulation.md."""

import json
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from weir_program import ROOT, weir

DOCUMENT = (ROOT / "docs/simulation.md").read_text()
FIRST = re.search(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)[1]
BROKEN = """
settle = "5s"
[members]
count = 20
[[fault]]
kind = "partition"
members = "1/2"
[checks]
owners = 10
"""


class SimTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.first = self.write("first", FIRST)

    def write(self, name: str, text: str) -> str:
        path = self.folder / f"{name}.toml"
        path.write_text(text)
        return str(path)

    def test_the_commands_of_the_document_work(self):
        commands = re.findall(r"(?m)^weir sim first\.toml(.*)$", DOCUMENT)
        self.assertEqual(len(commands), 6)
        for options in commands:
            words = options.replace("plots", str(self.folder / "plots")).split()
            words = ["2" if word == "20" else word for word in words]
            done = weir("sim", self.first, *words)
            self.assertEqual((done.code, done.err), (0, ""), options + done.out)
        self.assertTrue((self.folder / "plots/first-1-members.svg").exists())

    def test_prints_the_seed_and_all_options_first_and_they_run_the_same_again(self):
        done = weir("sim", self.first, "--seed", "7")
        self.assertTrue(done.out.startswith('# 1 seed from 7 on\nname = "first"\nseed = 7\n'))
        scenario = done.out.split("\nfirst, seed 7:")[0]
        again = weir("sim", self.write("again", scenario))
        self.assertEqual(again.out, done.out)

    def test_json_tells_what_was_measured(self):
        told = json.loads(weir("sim", self.first, "--json").out)
        run = told["runs"][0]
        self.assertTrue(told["holds"] and run["holds"])
        self.assertEqual((run["name"], run["seed"], run["members"]), ("first", 1, 50))
        self.assertEqual([check["check"] for check in run["checks"]],
                         ["owners after settling", "ring after settling", "owners", "ring",
                          "lookups_right"])
        self.assertGreater(run["messages"], 1000)
        self.assertEqual(len(run["samples"]), 86)
        self.assertEqual(sum(run["hops"]), run["lookups"]["calm_answered"])
        self.assertIn("chord.find", [cost["kind"] for cost in run["costs"]])

    def test_of_several_runs_some_are_run_twice(self):
        done = weir("sim", self.first, "--seeds", "3")
        self.assertIn("3 of 3 runs hold\n", done.out)
        self.assertEqual(done.out.count("run twice"), 1)
        self.assertEqual(len(set(re.findall(r"[0-9a-f]{16}", done.out))), 3)

    def test_a_check_that_fails_is_told_and_is_the_exit_status(self):
        path = self.write("broken", BROKEN)
        done = weir("sim", path)
        self.assertEqual(done.code, 1)
        found = re.search(r"owners +FAILS +\d+ of 30 keys are wrong; key ([0-9a-f]{16}) has home",
                          done.out)
        self.assertTrue(found, done.out)
        self.assertIn("0 of 2 runs hold", weir("sim", path, "--seeds", "2").out)

    def test_a_trace_follows_a_key(self):
        cast = self.write("cast", FIRST.replace("lookups = 20", "arc_casts = 1\ncast_arc = \"1/1\"")
                          .replace('lookups_right = "99/100"', ""))
        done = weir("sim", cast, "--trace", "ff")
        self.assertRegex(done.out, r"(?m)^ +0\.000000s  member \d+ +"
                                   r"hears probe\.cast from its user$")
        self.assertRegex(done.out, r"(?m)^ +\d+\.\d{6}s  member \d+ +"
                                   r"sends chord\.multicast to \d+, \d+ hops$")
        self.assertRegex(done.out, r"(?m)^ +5\.000000s  member \d+ +goes down$")
        told = json.loads(weir("sim", cast, "--trace", "ff", "--json").out)
        self.assertEqual([line for line in done.out.splitlines() if "s  member " in line],
                         told["runs"][0]["trace"])

    def test_plots_are_svg(self):
        folder = self.folder / "plots"
        self.assertEqual(weir("sim", self.first, "--svg", str(folder)).code, 0)
        names = sorted(path.name for path in folder.iterdir())
        self.assertEqual(names, [f"first-1-{what}.svg"
                                 for what in ("hops", "members", "messages", "unsettled")])
        for path in folder.iterdir():
            root = xml.fromstring(path.read_text())
            self.assertTrue(root.tag.endswith("svg"))
            self.assertGreater(len(root), 10)
        blocked = self.write("file", "")
        self.assertEqual(weir("sim", self.first, "--svg", blocked).code, 5)

    def test_a_mistake_is_shown_where_it_is(self):
        done = weir("sim", self.write("typo", "[work]\nlokups = 1\n"))
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("line 2, column 1: unknown key 'work.lokups': did you mean 'lookups'?\n"
                      "  lokups = 1\n  ^\n", done.err)
        self.assertEqual(weir("sim", str(self.folder / "none.toml")).code, 5)


if __name__ == "__main__":
    unittest.main()
