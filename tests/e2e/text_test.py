#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Text filters against a broker: what a delivery says, what a crash leaves of the statistics."""

import json
import tempfile
import unittest
from pathlib import Path

from broker_program import Broker, Subscriber, eventually
from weir_program import event, weir

FILTER = "text(data.t) about 'storm' score >= 0.5"


class TextTest(unittest.TestCase):
    def setUp(self):
        self.published = 0

    def start(self, *arguments: str) -> Broker:
        broker = Broker(*arguments)
        self.addCleanup(broker.__exit__)
        return broker

    def subscribe(self, broker: Broker, name: str, text: str, **config) -> Subscriber:
        document = {"id": name, "filters": [{"weir": text}], "config": config}
        answer = broker.request("POST", "/subscriptions", json.dumps(document))
        self.assertEqual(answer.status, 201, answer.text)
        subscriber = Subscriber(broker, name)
        self.addCleanup(subscriber.close)
        return subscriber

    def publish(self, broker: Broker, *texts: str, **attributes) -> None:
        for text in texts:
            self.published += 1
            one = event(self.published, data={"t": text}, **attributes)
            self.assertEqual(broker.publish(one).json()["accepted"], 1)

    def delivered(self, subscriber: Subscriber, count: int) -> list[dict]:
        eventually(lambda: len(subscriber.ids()) >= count, f"{count} events are delivered")
        self.assertEqual(len(subscriber.ids()), count)
        return subscriber.events()

    def test_a_delivery_says_why_and_statistics_survive_a_crash(self):
        broker = self.start()
        subscriber = self.subscribe(broker, "storms", FILTER, highlight=True)
        self.publish(broker, "calm", "Storms & rain")
        first = self.delivered(subscriber, 1)[0]
        self.assertEqual((first["weirscore"], first["weirepoch"], first["weirterms"]),
                         ("0.6931", 2, "storm=0.6931"))
        self.assertEqual(first["weirhighlight"], "<em>Storms</em> &amp; rain")
        self.publish(broker, "calm")
        broker.kill()
        broker.start()
        self.publish(broker, "a storm")
        second = self.delivered(subscriber, 2)[1]
        self.assertEqual((second["weirscore"], second["weirepoch"]), ("0.6931", 4))
        self.assertIn("weir_text_filters 1\n", broker.request("GET", "/metrics").text)

    def test_reads_events_in_their_language(self):
        broker = self.start()
        german = self.subscribe(broker, "german", "text(data.t) in 'de' about all 'Häuser'")
        english = self.subscribe(broker, "english", "text(data.t) about all 'houses'")
        self.publish(broker, "das Haus", lang="de-AT")
        self.publish(broker, "the house", lang="en")
        self.publish(broker, "Haus and house")
        self.assertEqual([one["id"] for one in self.delivered(german, 2)], ["1", "3"])
        self.assertEqual([one["id"] for one in self.delivered(english, 2)], ["2", "3"])

    def test_statistics_may_begin_with_those_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            made = weir("corpus", "-", stdin="calm\ncalm sea\nstorm\ncalm\n")
            corpus = Path(folder) / "english.corpus"
            corpus.write_text(made.out)
            configuration = Path(folder) / "weir.toml"
            configuration.write_text(f'[text]\ncorpus = ["{corpus}"]\n')
            broker = self.start("--config", str(configuration))
            subscriber = self.subscribe(broker, "storms", FILTER)
            self.publish(broker, "a storm")
            self.assertEqual(self.delivered(subscriber, 1)[0]["weirterms"], "storm=0.9163")


if __name__ == "__main__":
    unittest.main()
