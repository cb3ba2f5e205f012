# SPDX-License-Identifier: Apache-2.0
"""Attacks by filters: what they cost for each event, what they remember, how they change."""

import json

from attack.enemy import STRUCTURED, Enemy, hostile_event

BATCH = 500  # events


def like(enemy: Enemy) -> None:
    """Patterns of a thousand bytes that nearly match a long value at every place."""
    pattern = "a_" * 490
    for number in range(enemy.pick(100, 10)):
        enemy.subscribe(f"like{number}", f"data.t like '%{pattern}b{number}%'")
    text = "a" * enemy.pick(1_000_000, 200_000)
    for _ in enemy.rounds():
        enemy.publish(hostile_event(data={"t": text}))


def arrays(enemy: Enemy) -> None:
    """Paths over all elements of nested arrays."""
    side = enemy.pick(90, 75)
    data = {"a": [{"b": [{"c": [f"v{k}" for k in range(side)]} for _ in range(side)]}
                  for _ in range(side)]}
    for number in range(enemy.pick(100, 10)):
        enemy.subscribe(f"array{number}", f"data.a[*].b[*].c[*] like '%v%v%{number}x'")
    for _ in enemy.rounds():
        enemy.publish(hostile_event(data=data))


def unindexed(enemy: Enemy) -> None:
    """Filters that no index finds, of a thousand alternatives each, tried on every event."""
    for number in range(enemy.pick(30, 10)):
        terms = " or ".join(f"not data.k{i} = {number}" for i in range(300))
        parts = f"({terms}) and not data.m = 1 and not subject like '%q{number}%'"
        enemy.subscribe(f"not{number}", parts)
    keys = {f"k{i}": 1 for i in range(300)}
    for _ in enemy.rounds():
        enemy.publish(*[hostile_event(data=keys) for _ in range(20)])


def normal_forms(enemy: Enemy) -> None:
    """Short filters whose normal form is as long as it may be, and longer."""
    def work(index: int) -> None:
        for number in enemy.rounds():
            pairs = [f"(data.a{i} = {number} or not data.b{i} like '%{i}%')"
                     for i in range(9 + index)]
            enemy.subscribe(f"form{index}", " and ".join(pairs), tenant=index % 3)

    enemy.together(3, work)


def definitions(enemy: Enemy) -> None:
    """Subscriptions of the longest filters: they stay in memory."""
    for number in enemy.rounds():
        words = ",".join(f"'{number}{i:04}'" for i in range(800))
        filters = [{"weir": f"data.k{part} in ({words}) and data.v > {part}"}
                   for part in range(14)]
        enemy.ask("PUT", f"/subscriptions/d{number}", json.dumps({"filters": filters}))


def retune(enemy: Enemy) -> None:
    """A composite of many keys, whose threshold changes again and again."""
    def tune(threshold: float) -> None:
        enemy.subscribe("retune", f"change(data.a, by subject) > {threshold}"
                                  f" and change(data.b, by subject) > {threshold}")

    tune(1)
    for part in range(enemy.pick(400, 20)):
        enemy.publish(*[hostile_event(subject=f"k{part * BATCH + i}", data={"a": 1, "b": 1})
                        for i in range(BATCH)])
    for number in enemy.rounds():
        tune(2 + number)


def replace(enemy: Enemy) -> None:
    """A window of many keys that is thrown away and filled again."""
    for number in enemy.rounds():
        enemy.subscribe("replace", f"distinct(subject) within {10 + number}h exact")
        for part in range(10):
            enemy.publish(*[hostile_event(subject=f"s{number}-{part}-{i}") for i in range(BATCH)])


def forget(enemy: Enemy) -> None:
    """Forgets in a loop, beside filters whose checkpoints are long."""
    enemy.subscribe("seen", "distinct(subject) within 1h exact")
    enemy.subscribe("moved", "change(data.a, by subject) > 1")
    for part in range(enemy.pick(200, 10)):
        enemy.publish(*[hostile_event(subject=f"s{part * BATCH + i}", data={"a": i})
                        for i in range(BATCH)])

    def work(index: int) -> None:
        for number in enemy.rounds():
            enemy.ask("POST", f"/subscriptions/{('seen', 'moved')[index % 2]}/forget",
                      hostile_event(subject=f"s{number}"), STRUCTURED)

    enemy.together(4, work)


def long_keys(enemy: Enemy) -> None:
    """State of few keys and many bytes: of changes, composites and windows."""
    enemy.subscribe("alone", "any change(data.text, by subject)")
    enemy.subscribe("pair", "change(data.a, by subject) > 1 and change(data.b, by subject) > 1")
    enemy.subscribe("window", "distinct(subject, data.text) within 1h exact")
    key = "k" * 30_000
    for number in enemy.rounds():
        enemy.publish(*[hostile_event(subject=f"{key}{number}-{i}",
                                      data={"a": 1, "b": 1, "text": f"{i}" * 30_000})
                        for i in range(20)])


def storm(enemy: Enemy) -> None:
    """Subscribes and unsubscribes as fast as possible, with all kinds of filters."""
    kinds = ["data.a = {}", "change(data.a, by subject) > {}", "text(data.t) about 'word{}'",
             "distinct(data.k{}) within 1h", "data.t like '%{}%'",
             "change(data.a) > {0} and change(data.b) > {0}"]

    def work(index: int) -> None:
        for number in enemy.rounds():
            name = f"storm{index}-{number % 8}"
            enemy.subscribe(name, kinds[number % len(kinds)].format(number), tenant=index % 3)
            enemy.ask("DELETE", f"/subscriptions/{name}", tenant=index % 3)

    enemy.together(6, work)


def explain(enemy: Enemy) -> None:
    """Explains a long event to a long filter, again and again."""
    terms = " or ".join(f"data.t like '%a%a%{i}'" for i in range(200))
    enemy.subscribe("explained", f"({terms}) or text(data.t) about any 'x y'",
                    config={"highlight": True})
    event = hostile_event(data={"t": "a " * enemy.pick(500_000, 100_000)})

    def work(_: int) -> None:
        for _ in enemy.rounds():
            enemy.ask("POST", "/subscriptions/explained/explain", event, STRUCTURED)

    enemy.together(4, work)
