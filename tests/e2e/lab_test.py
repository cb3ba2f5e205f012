#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./lab 000 on few events: writes every table, judges every claim, says what is missing."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("WEIR_LABS", ROOT / "build/release/labs")).resolve() / "lab_000"
EXPERIMENT = ROOT / "labs/000/experiment"
sys.path[:0] = [str(ROOT / "tools"), str(EXPERIMENT.parent)]

import log_readers  # noqa: E402

VERDICTS = ("holds", "holds partly", "does not hold", "not tested")
FIGURES = {"1(a)", "1(b)", "5(a)", "5(b,c)", "5(d)", "7(a)", "7(b)", "7(c)", "8", "9(a)", "9(b)",
           "9(c,d)", "10", "11", "table", "12(a,b)", "12(c)"}

EPA = ['h{} [29:23:53:{:02}] "GET /page{} HTTP/1.0" 200 14'.format(i % 7, i % 60, i % 97)
       for i in range(1500)]
NASA = ["host\tlogname\ttime\tmethod\turl\tresponse\tbytes"] + [
    f"10.0.{i % 5}.{i % 9}\t-\t{i}\tGET\t/x{i % 83}\t200\t5\t\t" for i in range(1500)]
EMAIL = [f"{i % 101} {i % 7} {i}" for i in range(1500)]
ZEEK = ["#fields\tts"] + [f"{i}.5\tC\t10.0.0.{i % 3}\t1\t10.0.0.9\t53\tudp\t1\t0.1\tn{i % 89}.org"
                          for i in range(1500)]


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, EXPERIMENT, "--program", PROGRAM, "--repetitions", "1",
                           *arguments], text=True, capture_output=True, timeout=240)


class LabTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def write_logs(self, **replaced: list[str]) -> None:
        logs = {"weblog/epa-http.csv": EPA, "weblog/nasa.tsv": NASA,
                "flows/email.txt": EMAIL, "flows/zeek_dns.log": ZEEK}
        for name, lines in {**logs, **replaced}.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(lines) + "\n")

    def assert_complete(self, done: subprocess.CompletedProcess) -> None:
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if not line.endswith(VERDICTS)], [])
        self.assertEqual({line.split()[0] for line in lines}, FIGURES)
        tables = sorted(self.out.glob("*.csv"))
        self.assertEqual(len(tables), 12)
        for table in tables:
            self.assertGreater(len(table.read_text().splitlines()), 2, table.name)
        charts = sorted(self.out.glob("*.svg"))
        self.assertGreaterEqual(len(charts), 20)
        for chart in charts:
            ElementTree.parse(chart)

    def test_a_small_run_judges_every_claim(self):
        self.assert_complete(run("--events", "3000", "--out", self.out))

    def test_the_same_run_gives_the_same_tables(self):
        first, second = self.folder / "first", self.folder / "second"
        for out in (first, second):
            self.assertEqual(run("--events", "1000", "--out", out).returncode, 0)
        for table in first.glob("*.csv"):
            self.assertEqual(table.read_text(), (second / table.name).read_text(), table.name)

    def test_reads_logs_and_counts_what_it_cannot_read(self):
        self.write_logs(**{"flows/email.txt": [*EMAIL, "1 2", "a b c"]})
        done = run("--data", self.folder, "--out", self.out, "--events", "1000")
        self.assert_complete(done)
        self.assertIn("EPA-HTTP: 1500 events, 0 malformed lines", done.stderr)
        self.assertIn("email-Eu: 1500 events, 2 malformed lines", done.stderr)
        self.assertIn("NASA-HTTP", done.stdout)

    def test_a_missing_log_is_an_error(self):
        self.write_logs()
        (self.folder / "flows/email.txt").unlink()
        done = run("--data", self.folder, "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("flows has no email* (email-Eu)", done.stderr)
        self.assertEqual(run("--data", self.folder / "absent", "--out", self.out).returncode, 2)

    def test_a_run_that_fails_is_an_error(self):
        self.assertEqual(run("--events", "1", "--out", self.out).returncode, 1)
        wrong = subprocess.run([PROGRAM, "--outt", "x"], text=True, capture_output=True)
        self.assertEqual((wrong.returncode, wrong.stderr), (2, "lab_000: what is '--outt'?\n"))


class LogReadersTest(unittest.TestCase):
    def test_takes_client_and_url_of_a_request(self):
        self.assertEqual(log_readers.epa_row('h.org [29:23:53:25] "GET /a b HTTP/1.0" 200 14'),
                         ("h.org", "/a b"))
        self.assertEqual(log_readers.epa_row('h.org [29:23:53:25] "GET /a HTTP/1.0" 404'),
                         ("h.org", "/a"))
        self.assertIsNone(log_readers.epa_row('h.org "GET /a HTTP/1.0" 404'))

    def test_takes_source_and_name_of_flows(self):
        self.assertEqual(log_readers.email_row("5 7 100"), ("7", "5"))
        self.assertIsNone(log_readers.email_row("5 7"))
        self.assertEqual(log_readers.zeek_row(ZEEK[1]), ("10.0.0.0", "n0.org"))
        self.assertIsNone(log_readers.zeek_row("5.1\tC\t10.0.0.1"))
        self.assertEqual(log_readers.nasa_row(NASA[1]), ("10.0.0.0", "/x0"))

    def test_heads_are_no_rows_and_tabs_no_separators_of_events(self):
        log = log_readers.parse(log_readers.FLOWS[1], ["#a", "", *ZEEK[:3], "x"])
        self.assertEqual((len(log.rows), log.malformed_count), (2, 1))
        kind = log_readers.WEB_LOGS[0]._replace(row=lambda line: ("c", line))
        self.assertEqual(log_readers.parse(kind, ["a\tb\r\n"]).rows, [("c", "a b")])


if __name__ == "__main__":
    unittest.main()
