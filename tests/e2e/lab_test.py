#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./lab 000 to 003 on little input: write every table, judge every claim, say what is missing."""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("WEIR_LABS", ROOT / "build/release/labs")).resolve()
sys.path[:0] = [str(ROOT / folder)
                for folder in ("tools", "labs/000", "labs/001", "labs/002", "labs/003")]

import log_readers  # noqa: E402
import quote_readers  # noqa: E402
import quote_streams  # noqa: E402
import text_readers  # noqa: E402

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


DAILY = ["[class,'STOCK'],[symbol,'S{}'],[open,{}.05],[high,{}.50],[low,9.00],[close,9.25],"
         "[volume,{}],[date,'{}-Dec-04']".format(i % 7, 9 + i % 5, 10 + i % 5, 100 * i, 1 + i % 28)
         for i in range(60)]
PUBLICATIONS = [f"0 0 P i symbol {i % 9} i open {i % 50} i volume {7 * i}" for i in range(60)]
MINUTES = ["minute,symbol,open,high,low,close,day_volume,nticks"] + [
    f"2021-03-{30 + i // 60} 09:{i % 60:02},S{s},1,1,1,{100 + (7 * i * (s + 1)) % 11 / 2},5,1"
    for i in range(120) for s in range(5)]
ARTICLES = [f"Subject: storm {i}\n\nfloods near the coast of v{i // 9}, w{i % 5} and w{i % 3}\n"
            for i in range(45)]
QUERIES = [f"{i}:storm floods v{i % 5}" for i in range(40)]
SUBSCRIPTIONS = ["0 0 S i symbol = 3 i open >= 20", "0 1 S i symbol = 4 i volume <= 99",
                 "0 2 S i open >= 5 i open <= 9"]


def run_lab(paper: str, *arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "labs" / paper / "experiment", "--program",
                           PROGRAMS / f"lab_{paper}", *arguments],
                          text=True, capture_output=True, timeout=240)


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return run_lab("000", "--repetitions", "1", *arguments)


def run_001(*arguments: str | Path) -> subprocess.CompletedProcess:
    return run_lab("001", "--draws", "1", "--publications", "20", *arguments)


def run_002(*arguments: str | Path) -> subprocess.CompletedProcess:
    return run_lab("002", "--sources", "5", "--long", "500", *arguments)


def run_003(*arguments: str | Path) -> subprocess.CompletedProcess:
    return run_lab("003", "--short", "200", "--long", "5", "--queries", "500", *arguments)


def write_archive(path: Path, texts: dict[str, str]) -> None:
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w:xz") as archive:
        for name, text in texts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))


class LabCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def assert_judged(self, done: subprocess.CompletedProcess, figures: set[str],
                      table_count: int, chart_count: int) -> None:
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if not line.endswith(VERDICTS)], [])
        self.assertEqual({line.split()[0] for line in lines}, figures)
        tables = sorted(self.out.glob("*.csv"))
        self.assertEqual(len(tables), table_count)
        for table in tables:
            self.assertGreater(len(table.read_text().splitlines()), 2, table.name)
        charts = sorted(self.out.glob("*.svg"))
        self.assertGreaterEqual(len(charts), chart_count)
        for chart in charts:
            ElementTree.parse(chart)


class Lab000Test(LabCase):
    def write_logs(self, **replaced: list[str]) -> None:
        logs = {"weblog/epa-http.csv": EPA, "weblog/nasa.tsv": NASA,
                "flows/email.txt": EMAIL, "flows/zeek_dns.log": ZEEK}
        for name, lines in {**logs, **replaced}.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(lines) + "\n")

    def assert_complete(self, done: subprocess.CompletedProcess) -> None:
        self.assert_judged(done, FIGURES, table_count=12, chart_count=20)

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
        wrong = subprocess.run([PROGRAMS / "lab_000", "--outt", "x"], text=True,
                               capture_output=True)
        self.assertEqual((wrong.returncode, wrong.stderr), (2, "lab_000: what is '--outt'?\n"))


class Lab001Test(LabCase):
    def write_data(self, publications=PUBLICATIONS, subscriptions=SUBSCRIPTIONS) -> None:
        (self.folder / "pubs_subs").mkdir()
        for name, lines in (("p10k", publications), ("s1k", subscriptions)):
            (self.folder / "pubs_subs" / name).write_text("\n".join(lines) + "\n")
        write_archive(self.folder / "quotes_daily/quotes.tar.xz", {"S": "\n".join(DAILY)})

    def test_a_small_run_judges_every_claim(self):
        done = run_001("--subscriptions", "2000", "--out", self.out)
        self.assert_judged(done, {"IV", "V", "VI"}, table_count=5, chart_count=20)
        self.assertIn("0 of ", done.stdout)
        self.assertNotIn("OTHER candidates", done.stdout)

    def test_the_same_run_gives_the_same_tables_but_for_times(self):
        first, second = self.folder / "first", self.folder / "second"
        for out in (first, second):
            self.assertEqual(run_001("--subscriptions", "1000", "--out", out).returncode, 0)
        for table in set(first.glob("*.csv")) - {first / "times.csv"}:
            self.assertEqual(table.read_text(), (second / table.name).read_text(), table.name)

    def test_reads_quotes_and_counts_what_it_cannot_read(self):
        self.write_data(publications=[*PUBLICATIONS, "0 0 P i symbol x", "0 0 P i symbol 7"])
        done = run_001("--subscriptions", "1000", "--data", self.folder, "--out", self.out)
        self.assert_judged(done, {"IV", "V", "VI"}, table_count=5, chart_count=30)
        self.assertIn("pubs_subs: 20 publications, 3 subscriptions, 2 malformed lines", done.stderr)
        self.assertIn("daily quotes: 20 publications, 1000 subscriptions, 0 malformed", done.stderr)

    def test_missing_data_is_an_error(self):
        self.write_data()
        (self.folder / "quotes_daily/quotes.tar.xz").write_text("no archive")
        done = run_001("--data", self.folder, "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("quotes.tar.xz: ", done.stderr)
        (self.folder / "pubs_subs/s1k").unlink()
        done = run_001("--data", self.folder, "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("pubs_subs has no s* (subscriptions)", done.stderr)

    def test_a_run_that_fails_is_an_error(self):
        self.assertEqual(run_001("--subscriptions", "1", "--out", self.out).returncode, 1)
        for words in (["--outt", "x"], ["--out", str(self.out), "--workload", "x"]):
            wrong = subprocess.run([PROGRAMS / "lab_001", *words], text=True, capture_output=True)
            self.assertEqual((wrong.returncode, wrong.stderr),
                             (2, f"lab_001: what is '{words[-2]}'?\n"))


class Lab002Test(LabCase):
    def write_data(self, lines=MINUTES) -> None:
        (self.folder / "quotes_1min").mkdir()
        (self.folder / "quotes_1min/nse_1min.csv").write_text("\n".join(lines) + "\n")

    def assert_complete(self, done: subprocess.CompletedProcess, chart_count: int) -> None:
        self.assert_judged(done, {"4.2", "Th.", "Cor."}, table_count=5, chart_count=chart_count)
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("Th. ")
                          and not line.endswith("  holds")], [])
        self.assertNotIn("OTHER", done.stdout)

    def test_a_small_run_judges_every_claim_and_the_theorem_holds(self):
        self.assert_complete(run_002("--out", self.out), chart_count=14)

    def test_the_same_run_gives_the_same_tables(self):
        first, second = self.folder / "first", self.folder / "second"
        for out in (first, second):
            self.assertEqual(run_002("--out", out).returncode, 0)
        for table in first.glob("*.csv"):
            self.assertEqual(table.read_text(), (second / table.name).read_text(), table.name)

    def test_reads_quotes_and_counts_what_it_cannot_read(self):
        self.write_data([*MINUTES, "2021-03-30 09:24,S1,1,1,1,x,5,1", "2021-03-30 09:24,S1"])
        done = run_002("--data", self.folder, "--out", self.out)
        self.assert_complete(done, chart_count=25)
        self.assertIn("quotes: 600 minutes, 10 sources, 2 malformed lines", done.stderr)
        self.assertIn("quotes by range: ", done.stdout)

    def test_missing_data_is_an_error(self):
        done = run_002("--data", self.folder, "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("quotes_1min has no *1min*.csv* (one-minute quotes)", done.stderr)
        self.write_data(MINUTES[:1])
        done = run_002("--data", self.folder, "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nse_1min.csv has no quotes", done.stderr)

    def test_a_run_that_fails_is_an_error(self):
        self.assertEqual(run_lab("002", "--sources", "1", "--out", self.out).returncode, 1)
        for words in (["--outt", "x"], ["--out", str(self.out), "--workload", "x"]):
            wrong = subprocess.run([PROGRAMS / "lab_002", *words], text=True, capture_output=True)
            self.assertEqual((wrong.returncode, wrong.stderr),
                             (2, f"lab_002: what is '{words[-2]}'?\n"))


class Lab003Test(LabCase):
    def write_data(self, queries=QUERIES) -> None:
        articles = {f"news/{i}": text for i, text in enumerate(ARTICLES)}
        write_archive(self.folder / "text/news.tar.xz", {**articles, "news/README": "no article"})
        (self.folder / "queries").mkdir()
        for name, lines in (("terabyte05.txt", queries), ("million_query.txt", QUERIES)):
            (self.folder / "queries" / name).write_text("\n".join(lines) + "\n")

    def assert_complete(self, done: subprocess.CompletedProcess, chart_count: int) -> None:
        self.assert_judged(done, {"I", "II", "5", "6", "7", "8"}, table_count=8,
                           chart_count=chart_count)
        ours = [line for line in done.stdout.splitlines() if "(ours) none of a filter" in line]
        self.assertEqual([line for line in ours if not line.endswith("  holds")], [])
        self.assertGreaterEqual(len(ours), 4)

    def test_a_small_run_judges_every_claim_and_dismisses_nothing(self):
        self.assert_complete(run_003("--out", self.out), chart_count=12)

    def test_the_same_run_gives_the_same_tables(self):
        first, second = self.folder / "first", self.folder / "second"
        for out in (first, second):
            self.assertEqual(run_003("--out", out).returncode, 0)
        for table in first.glob("*.csv"):
            self.assertEqual(table.read_text(), (second / table.name).read_text(), table.name)

    def test_reads_articles_and_logs_and_counts_what_it_cannot_read(self):
        self.write_data(queries=[*QUERIES, "storm", "7: "])
        done = run_003("--data", self.folder, "--out", self.out)
        self.assert_complete(done, chart_count=22)
        self.assertIn("20 Newsgroups: 45 articles", done.stderr)
        self.assertIn("Terabyte-05: 40 queries, 2 malformed lines", done.stderr)
        self.assertIn("20 Newsgroups by tens: 5 documents", done.stdout)

    def test_missing_data_is_an_error(self):
        done = run_003("--data", self.folder, "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("text has no *.tar* (articles)", done.stderr)
        self.write_data(queries=["storm"])
        done = run_003("--data", self.folder, "--out", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("terabyte05.txt has no queries", done.stderr)

    def test_a_run_that_fails_is_an_error(self):
        self.assertEqual(run_lab("003", "--short", "1", "--out", self.out).returncode, 1)
        for words in (["--outt", "x"], ["--out", str(self.out), "--corpus", "x"]):
            wrong = subprocess.run([PROGRAMS / "lab_003", *words], text=True, capture_output=True)
            self.assertEqual((wrong.returncode, wrong.stderr),
                             (2, f"lab_003: what is '{words[-2]}'?\n"))
        wrong = subprocess.run([PROGRAMS / "lab_003", "--out", self.out, "--log", "x=absent"],
                               text=True, capture_output=True)
        self.assertEqual((wrong.returncode, wrong.stderr), (1, "lab_003: cannot read absent\n"))


class TextReadersTest(unittest.TestCase):
    def test_takes_what_follows_the_number_of_a_query(self):
        log = text_readers.parse_queries(["1:u.s. oil\n", "2: time 10:30 \n", "3:\n", "oil\n"])
        self.assertEqual(log, (["u.s. oil", "time 10:30"], 2))

    def test_long_documents_are_ten_articles_each(self):
        long = text_readers.corpora([str(i) for i in range(25)])["20 Newsgroups by tens"]
        self.assertEqual([len(text.split()) for text in long], [10, 10, 5])


class QuoteStreamsTest(unittest.TestCase):
    def test_each_stock_of_each_day_is_a_source_in_the_order_of_time(self):
        quotes = quote_streams.parse([MINUTES[0], "2021-03-31 09:15,B,0,0,0,7.5,0,0",
                                      "2021-03-30 09:16,A,0,0,0,2,0,0",
                                      "2021-03-30 09:15,A,0,0,0,1,0,0",
                                      "2021-03-31 09:15,A,0,0,0,3,0,0", "x,A,0,0,0,3,0,0"])
        self.assertEqual(quotes.malformed_count, 1)
        self.assertEqual(quotes.days, {("A", "2021-03-30"): [1, 2], ("A", "2021-03-31"): [3],
                                       ("B", "2021-03-31"): [7.5]})
        self.assertEqual(quote_streams.months(quotes), {"A": [1, 2, 3], "B": [7.5]})

    def test_scales_are_of_each_source(self):
        self.assertEqual(quote_streams.streams([[10.0, 10.1]], "tick"), [[200, 202]])
        self.assertEqual(quote_streams.streams([[10.0, 10.1]], "price"), [[10_000, 10_100]])
        for scale, width in (("range", 126), ("deviation", 126)):
            streams = quote_streams.streams([[10.0, 10.1], [50.0, 80.0], [3.0, 3.0]], scale)
            self.assertEqual([max(stream) - min(stream) for stream in streams], [width, width, 0])


class QuoteReadersTest(unittest.TestCase):
    def test_takes_prices_in_cents_and_texts_as_numbers(self):
        texts = quote_readers.Texts()
        quote = quote_readers.daily_quote(DAILY[8], texts)
        self.assertEqual(list(quote), quote_readers.ATTRIBUTES)
        self.assertEqual((quote["open"], quote["volume"]), (1205, 800))
        self.assertEqual(quote["symbol"], texts.number("S1"))
        self.assertNotEqual(quote["symbol"], quote["class"])
        self.assertIsNone(quote_readers.daily_quote("[class,'STOCK'],[symbol,'S1']", texts))

    def test_takes_integers_and_operators(self):
        self.assertEqual(quote_readers.publication(PUBLICATIONS[2]),
                         {"symbol": 2, "open": 2, "volume": 14})
        self.assertEqual(quote_readers.subscription(SUBSCRIPTIONS[0]),
                         [("symbol", "=", 3), ("open", ">=", 20)])
        for bad in ("", "0 0 S", "0 0 S i symbol = x", "0 0 S i symbol ~ 3", "0 0 S i symbol =",
                    PUBLICATIONS[0]):
            self.assertIsNone(quote_readers.subscription(bad), bad)

    def test_two_bounds_become_one_range(self):
        data = quote_readers.Data("x", ["symbol", "open"], [{"symbol": 4, "open": 7}],
                                  [[("symbol", "=", 4), ("open", ">=", 9), ("open", "<=", 5)],
                                   [("open", "<=", 5)]], 0)
        self.assertEqual(list(quote_readers.lines_of(data)),
                         ["p 4 7", "s 0=4 1:5:9", f"s 1:{quote_readers.LOWEST}:5"])


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
