#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tour, with the commands it invites to try, and bash completion."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from weir_program import PROGRAM, ROOT, SANITIZED, SECONDS_MAX, weir

COMPLETION = ROOT / "tools/completion/weir.bash"
COMMANDS = ["check", "explain", "filter", "eval", "analyze", "corpus", "size", "sim", "serve",
            "token", "publish", "subscribe", "subscriptions", "dead-letters", "backup", "restore",
            "doctor", "member"]


def bash(script: str, cwd=ROOT) -> subprocess.CompletedProcess:
    return subprocess.run(["bash", "--norc", "-c", script], cwd=cwd, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS_MAX)


class TourTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = subprocess.run([ROOT / "tools/tour", PROGRAM], text=True, timeout=SECONDS_MAX,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_stops_at_every_kind(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        self.assertEqual(re.findall(r"(?m)^== (\w+):", self.done.stdout),
                         ["topic", "content", "text", "change", "distinct"])

    def test_delivers_less(self):
        counts = re.findall(r"(?m)^(\d+) events came in, (\d+) went out$", self.done.stdout)
        self.assertEqual(len(counts), 5)
        for came_in, went_out in counts:
            self.assertGreater(int(went_out), 0)
            self.assertLess(int(went_out), int(came_in) / 4)

    def test_is_the_same_every_time(self):
        again = subprocess.run([ROOT / "tools/tour", PROGRAM], text=True, timeout=SECONDS_MAX,
                               stdout=subprocess.PIPE)
        self.assertEqual(again.stdout, self.done.stdout)

    def test_what_it_invites_to_try_works(self):
        invited = self.done.stdout.split("What to try next")[1].split("\n\n")[1:]
        self.assertEqual(len(invited), 3)
        for script, code in zip(invited, (0, 0, 1)):
            done = bash("set -o pipefail\n" + script)
            self.assertEqual(done.returncode, code, script + done.stderr)
            self.assertGreater(len(done.stdout.splitlines()), 2)

    @unittest.skipIf(SANITIZED, "slow")
    def test_is_short(self):
        self.assertLess(len(self.done.stdout.splitlines()), 60)
        self.assertLessEqual(max(map(len, self.done.stdout.replace(PROGRAM, "build/weir")
                                     .splitlines())), 130)

    def test_says_what_to_do_without_a_program(self):
        done = bash("tools/tour build/no-such-program")
        self.assertEqual(done.returncode, 1)
        self.assertIn("./run builds it", done.stderr)


class CompletionTest(unittest.TestCase):
    def complete(self, *words: str, cwd=ROOT) -> list[str]:
        quoted = " ".join("'" + word + "'" for word in ("weir", *words))
        done = bash(f"""
            source '{COMPLETION}'
            COMP_WORDS=({quoted})
            COMP_CWORD={len(words)}
            _weir
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """, cwd)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_registers_itself(self):
        self.assertIn("-F _weir weir", bash(f"source '{COMPLETION}'; complete -p weir").stdout)

    def test_completes_commands(self):
        self.assertEqual(self.complete("f"), ["filter"])
        self.assertEqual(sorted(self.complete("e")), ["eval", "explain"])
        self.assertLessEqual(set(COMMANDS), set(self.complete("")))
        self.assertEqual(self.complete("--v"), ["--version"])
        self.assertEqual(sorted(self.complete("help", "")), sorted(COMMANDS))

    def test_completes_exactly_the_options_of_each_command(self):
        for command in COMMANDS:
            options = set(re.findall(r"--[a-z-]+", weir(command, "--help").out.split("Options:")[1]
                                     .split("Example:")[0]))
            self.assertEqual(set(self.complete(command, "--")), options, command)

    def test_completes_the_words_of_options(self):
        self.assertEqual(self.complete("filter", "--dialect", "c"), ["cesql"])
        self.assertEqual(self.complete("filter", "--dialect", "=", "c"), ["cesql"])
        self.assertEqual(self.complete("filter", "--clock", ""), ["event", "wall"])
        self.assertEqual(self.complete("filter", "--clock", "="), ["event", "wall"])
        self.assertEqual(self.complete("explain", "--initial", "d"), ["deliver"])
        self.assertEqual(self.complete("filter", "--dedup", ""), [])
        self.assertEqual(self.complete("size", "d"), ["distinct"])
        self.assertEqual(self.complete("size", "--rate", ""), [])
        self.assertEqual(self.complete("analyze", "--language", "ger"), ["german"])

    def test_completes_exactly_the_languages_there_are(self):
        told = weir("check", "true", "--language", "?").err
        languages = re.search(r"expected one of: ([a-z ]+)", told)[1].split()
        self.assertEqual(sorted(self.complete("check", "--language", "")), sorted(languages))

    def test_completes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "quotes.jsonl").touch()
            for option in ("--input", "--filters"):
                self.assertEqual(self.complete("filter", option, "q", cwd=folder),
                                 ["quotes.jsonl"])
            self.assertEqual(self.complete("explain", "--event", "", cwd=folder),
                             ["quotes.jsonl"])


if __name__ == "__main__":
    unittest.main()
