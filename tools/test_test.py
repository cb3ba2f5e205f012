# SPDX-License-Identifier: Apache-2.0
"""tools/test.py: which steps run, and how their results are counted."""

import unittest

import test as steps


class LevelTest(unittest.TestCase):
    def names(self, only, level) -> list[str]:
        return [step.name for step in steps.chosen_steps(only, level)]

    def test_each_level_includes_the_ones_before_it(self):
        contributor, ci, full = (self.names(None, level) for level in steps.Level)
        self.assertIn("release", contributor)
        self.assertNotIn("asan", contributor)
        self.assertEqual(ci[:len(contributor)], contributor)
        self.assertIn("asan", ci)
        self.assertNotIn("gcc", ci)
        self.assertEqual(full, [step.name for step in steps.STEPS])

    def test_named_steps_are_run_at_any_level(self):
        self.assertEqual(self.names("gcc,format", steps.Level.CONTRIBUTOR), ["format", "gcc"])
        with self.assertRaisesRegex(SystemExit, "no step nothing"):
            self.names("nothing", steps.Level.FULL)


class CountTest(unittest.TestCase):
    def test_the_closing_lines_of_runners_are_read(self):
        self.assertEqual(steps.count("99% tests passed, 2 tests failed out of 10", False), (8, 2))
        self.assertEqual(steps.count("Ran 7 tests in 1 s\n\nFAILED (failures=1, errors=2)", False),
                         (4, 3))
        self.assertEqual(steps.count("3 passed, 0 failed", True), (3, 0))

    def test_a_command_that_tells_no_number_is_one_check(self):
        self.assertEqual(steps.count("", True), (1, 0))
        self.assertEqual(steps.count("", False), (0, 1))

    def test_a_failure_is_never_counted_as_none(self):
        self.assertEqual(steps.count("3 passed, 0 failed", False), (3, 1))


if __name__ == "__main__":
    unittest.main()
