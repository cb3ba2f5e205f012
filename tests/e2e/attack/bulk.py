# SPDX-License-Identifier: Apache-2.0
"""Attacks by volume: long events, long batches, many deliveries, old events."""

from attack.enemy import BATCHED, Drain, Enemy, hostile_event

MIB = 1 << 20
BATCH_MAX = 10_000  # events: broker.batch_events


def long_events(enemy: Enemy) -> None:
    """Events of nearly 8 MiB by three tenants, as fast as they are taken."""
    for tenant in range(3):
        enemy.subscribe(f"long{tenant}", "data.t like '%needle%' and change(data.v) > 1",
                        tenant=tenant)
    text = "x" * (8 * MIB - 1000)

    def work(index: int) -> None:
        for _ in enemy.rounds():
            enemy.publish(hostile_event(data={"t": text, "v": 1}), tenant=index % 3)

    enemy.together(6, work)


def deep_events(enemy: Enemy) -> None:
    """Events of 8 MiB of JSON with as many values as fit: decoding is slow."""
    data = ",".join(["[]"] * enemy.pick(8 * MIB // 3 - 100, MIB // 3))

    def work(index: int) -> None:
        for _ in enemy.rounds():
            enemy.publish(hostile_event(data=0)[:-2] + f"[{data}]}}", tenant=index % 3)

    enemy.together(4, work)


def invalid_batches(enemy: Enemy) -> None:
    """The longest batches, in which every event is wrong."""
    events = ['{"specversion":"1.0","id":"1","source":"/hostile/1","type":"x","time":"never"}']
    body = "[" + ",".join(events * BATCH_MAX) + "]"

    def work(index: int) -> None:
        for _ in enemy.rounds():
            enemy.ask("POST", "/events", body, BATCHED, index % 3)

    enemy.together(4, work)


def fan_out(enemy: Enemy) -> None:
    """Every event goes to every one of many subscriptions."""
    for number in range(enemy.pick(2000, 200)):
        enemy.subscribe(f"all{number}", f"data.v != {number}",
                        config={"outbox": {"policy": "drop_oldest", "limit": 1000}})
    for _ in enemy.rounds():
        enemy.publish(*[hostile_event(data={"v": -1}) for _ in range(enemy.pick(5000, 500))])


def replays(enemy: Enemy) -> None:
    """Reads the log from its beginning, again and again."""
    for _ in range(enemy.pick(40, 4)):
        enemy.publish(*[hostile_event(data={"v": i, "t": "word " * 50}) for i in range(1000)])
    for number in enemy.rounds():
        for index in range(8):
            enemy.subscribe(f"replay{index}", f"text(data.t) about any 'word w{number}'"
                                              f" or data.v > {number}",
                            config={"start": "earliest" if number % 2 else {"sequence": 1}})
        Drain([enemy.stream("/stream?filter=true&start=earliest")])


def log_growth(enemy: Enemy) -> None:
    """Publishes more than the log may have."""
    text = "x" * MIB

    def work(index: int) -> None:
        for _ in enemy.rounds():
            enemy.publish(hostile_event(data=text), tenant=index % 3)

    enemy.together(3, work)
