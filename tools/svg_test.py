# SPDX-License-Identifier: Apache-2.0
"""tools/svg.py: where points are drawn."""

import unittest
from xml.etree import ElementTree

import svg


def lines_of(drawn: str) -> list[str]:
    root = ElementTree.fromstring(drawn)
    return [line.get("points") for line in root.findall("{http://www.w3.org/2000/svg}polyline")]


class SvgTest(unittest.TestCase):
    def test_a_linear_axis_begins_at_zero_and_has_round_ticks(self):
        axis = svg.LinearAxis([3, 47], 0, 100)
        self.assertEqual(axis.ticks(), [0, 10, 20, 30, 40, 50])
        self.assertEqual([axis.place(value) for value in (0, 25, 50)], [0, 50, 100])
        self.assertEqual(svg.LinearAxis([-1, 1], 0, 100).place(0), 50)

    def test_an_axis_needs_no_spread(self):
        for values in ([0.0], [5.0, 5.0]):
            self.assertGreater(len(svg.LinearAxis(values, 0, 1).ticks()), 1)

    def test_axes_may_differ(self):
        drawn = svg.chart("t", "x", "y", {"a": [(1, 0), (10, 5), (100, 10)]}, x_log=True)
        self.assertEqual(lines_of(drawn), ["70.0,390.0 295.0,215.0 520.0,40.0"])

    def test_what_a_logarithm_does_not_have_is_left_out(self):
        drawn = svg.chart("t", "x", "y", {"a": [(1, 0), (2, 1), (3, 10)], "b": []}, y_log=True)
        self.assertEqual([len(line.split()) for line in lines_of(drawn)], [2, 0])

    def test_steps_hold_until_the_next_value(self):
        self.assertEqual(svg.stepped([(0, 1), (5, 2)]), [(0, 1), (5, 1), (5, 2)])

    def test_names_are_escaped(self):
        self.assertIn("a &lt; b", svg.chart("t", "x", "y", {"a < b": [(1, 1)]}))


if __name__ == "__main__":
    unittest.main()
