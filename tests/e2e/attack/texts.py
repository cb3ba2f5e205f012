# SPDX-License-Identifier: Apache-2.0
"""Attacks by texts: highlights, languages, corpora."""

import random

from attack.enemy import Drain, Enemy, hostile_event

LANGUAGES = ["arabic", "danish", "dutch", "english", "finnish", "french", "german", "hungarian",
             "italian", "norwegian", "portuguese", "russian", "spanish", "swedish"]
HIGHLIGHT = {"characters": 2000, "snippets": 20, "before": "<" * 64, "after": ">" * 64}


def highlights(enemy: Enemy) -> None:
    """Many subscriptions with the longest highlights, some of them read, and `x x x x ...`."""
    count = enemy.pick(430, 40)
    for number in range(count):
        enemy.subscribe(f"h{number}", f"text(data.t) in 'none' about any 'x y{number}'",
                        config={"highlight": HIGHLIGHT})
    Drain([enemy.stream(f"/subscriptions/h{number}/events") for number in range(count // 4)])
    for number in enemy.rounds():
        words = 22_500 if number % 2 == 0 else enemy.pick(400_000, 50_000)
        enemy.publish(hostile_event(data={"t": "x " * words}))


def languages(enemy: Enemy) -> None:
    """One text in 196 combinations of fields and languages."""
    fields = enemy.pick(14, 4)
    for number in range(fields):
        for language in LANGUAGES:
            enemy.subscribe(f"l{number}{language}",
                            f"text(data.t, data.f{number}) in '{language}' about 'storm'")
    chance = random.Random(1)
    words = enemy.pick(120_000, 20_000)
    for _ in enemy.rounds():
        text = " ".join(f"{chance.getrandbits(28):x}ing" for _ in range(words))
        enemy.publish(hostile_event(data={"t": text}))


def corpora(enemy: Enemy) -> None:
    """New words in sixteen fields, each of which is counted."""
    fields = [a + b for a in "abcd" for b in "abcd"]
    for field in fields:
        enemy.subscribe(f"c{field}", f"text(data.{field}) about 'storm'")
    chance = random.Random(2)
    for _ in enemy.rounds():
        texts = {field: " ".join(f"{chance.getrandbits(60):x}" for _ in range(1500))
                 for field in fields}
        enemy.publish(hostile_event(data=texts))


def phrases(enemy: Enemy) -> None:
    """Phrases that nearly match everywhere, in a long text of two words."""
    phrase = "a b " * 100
    for number in range(enemy.pick(200, 20)):
        enemy.subscribe(f"p{number}", f"text(data.t) in 'none' about any '\"{phrase}c{number}\"'")
    words = enemy.pick(200_000, 50_000)
    for _ in enemy.rounds():
        enemy.publish(hostile_event(data={"t": "a b " * words}))
