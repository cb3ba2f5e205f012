#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What /metrics tells: the names that docs/protocol.md has, and how much work matching is."""

import re
import unittest

from broker_program import Broker, eventually
from weir_program import ROOT, event

# Of the first ten, an event with that x and another type leads to one, whose signature stops it.
FILTERS = [f"type = 'trade' and data.x = {x}" for x in range(10)] + [
    "type = 'quote'", "not type = 'test'", "true"]


class MetricsTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def text(self) -> str:
        return self.broker.request("GET", "/metrics").text

    def test_the_table_has_every_name(self):
        served = re.findall(r"^# TYPE (\S+) ", self.text(), re.MULTILINE)
        document = (ROOT / "docs" / "protocol.md").read_text()
        rows = re.findall(r"^\| (`weir_.*?) \|", document, re.MULTILINE)
        listed = [name for row in rows for name in re.findall(r"`(weir_\w+)`", row)]
        self.assertEqual(sorted(listed), sorted(served))

    def test_names_of_other_documents_are_served(self):
        text = self.text()
        for name in ("filters", "text"):
            document = (ROOT / "docs" / f"{name}.md").read_text()
            for metric in re.findall(r"`(weir_\w+)`", document):
                self.assertIn(f"# TYPE {metric} ", text, name)

    def test_the_work_of_matching_is_counted(self):
        metric = self.broker.metric
        for i, text in enumerate(FILTERS):
            self.assertEqual(self.broker.subscribe(f"s{i}", text).status, 201)
        eventually(lambda: metric("weir_match_conjunctions") == 13, "all filters are there")
        self.assertEqual(metric("weir_match_unindexed"), 1)
        self.assertEqual(metric("weir_match_always"), 1)
        self.assertGreater(metric("weir_matcher_bytes"), 0)
        for i in range(8):
            self.broker.publish(event(i, type="quote", data={"x": 1}))
        eventually(lambda: metric("weir_match_matches_total") == 24, "all is matched")
        for name in ("candidates", "signature_rejects", "verified"):
            self.assertGreater(metric(f"weir_match_{name}_total"), 0, name)
        self.assertEqual(metric("weir_match_moves_total"), 0)
        self.assertEqual(metric("weir_match_placements_total"), 0)
        self.broker.request("DELETE", "/subscriptions/s11")
        eventually(lambda: metric("weir_match_unindexed") == 0, "the last one is gone")


if __name__ == "__main__":
    unittest.main()
