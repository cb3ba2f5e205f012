# SPDX-License-Identifier: Apache-2.0
"""tools/bench.py: what counts as measured, and when a bar falls short."""

import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import bench
import svg


def run(name, value):
    return {"run_name": name, "speed": value, "cpu_time": value, "time_unit": "us"}


RUNS = [run("BM_A/10", 3.0), run("BM_A/10", 4.0), run("BM_A/100", 2.0), run("BM_AB", 1.0)]
AT_LEAST = {"name": "a", "benchmark": "BM_A", "counter": "speed", "at_least": 2}
AT_MOST = {"name": "a", "benchmark": "BM_A", "counter": "speed", "at_most": 2}


class BenchTest(unittest.TestCase):
    def test_takes_the_best_repetition_of_the_worst_size(self):
        self.assertEqual(bench.measure(AT_LEAST, RUNS), 2.0)
        self.assertEqual(bench.measure(AT_MOST, RUNS), 3.0)
        self.assertEqual(bench.measure({**AT_LEAST, "benchmark": "BM_A/10"}, RUNS), 4.0)

    def test_a_bar_is_reached_or_short(self):
        self.assertTrue(bench.judge(AT_LEAST, RUNS)[1])
        self.assertFalse(bench.judge({**AT_LEAST, "at_least": 2.1}, RUNS)[1])
        self.assertFalse(bench.judge(AT_MOST, RUNS)[1])

    def test_what_was_not_measured_is_short(self):
        line, ok = bench.judge({**AT_LEAST, "counter": "absent"}, RUNS)
        self.assertFalse(ok)
        self.assertIn("not measured", line)

    def test_shows_the_median_of_counters(self):
        row = {"benchmark": "BM_A", "counters": ["speed", "absent"]}
        self.assertEqual(bench.show(row, RUNS), "BM_A: speed 3, absent not measured")
        self.assertEqual(bench.show({**row, "counters": ["speed"]}, [run("BM_A", 12345.6)]),
                         "BM_A: speed 12,346")

    def test_a_folder_belongs_to_the_family_that_names_it_most_closely(self):
        families = {"outer": ["a"], "inner": ["a/b"]}
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            for name in ("a/x_bench.cc", "a/b/y_bench.cc", "a/c/z_bench.cc", "a/c/v_data_bench.cc"):
                path = root / "src" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()

            def names(family, with_data=False):
                return [path.name for path in bench.sources_of(family, families, with_data, root)]

            self.assertEqual(names("outer"), ["z_bench.cc", "x_bench.cc"])
            self.assertEqual(names("outer", True), ["v_data_bench.cc", "z_bench.cc", "x_bench.cc"])
            self.assertEqual(names("inner"), ["y_bench.cc"])
            families["single"] = ["a/x_bench.cc"]
            self.assertEqual(names("outer"), ["z_bench.cc"])
            self.assertEqual(names("single"), ["x_bench.cc"])

    def test_draws_the_benchmarks_with_several_sizes(self):
        manual = {**run("BM_M/10/manual_time", 9.0), "real_time": 1.0}
        curves = bench.curves([*RUNS, manual])
        self.assertEqual(curves, {"BM_A": [(10, 3000.0), (100, 2000.0)]})
        other = {**run("BM_M/20/iterations:5/manual_time", 9.0), "real_time": 2.0}
        self.assertEqual(bench.curves([manual, other]), {"BM_M": [(10, 1000.0), (20, 2000.0)]})
        root = ElementTree.fromstring(svg.log_log_chart("t", "x", "y", curves))
        self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}polyline")), 1)


if __name__ == "__main__":
    unittest.main()
