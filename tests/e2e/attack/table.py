# SPDX-License-Identifier: Apache-2.0
"""The attacks by name: a new one is a function and a line here."""

from typing import Callable, NamedTuple

from attack import bulk, connections, filters, texts
from attack.enemy import Enemy


class Attack(NamedTuple):
    run: Callable[[Enemy], None]
    told: tuple[str, ...] = ()      # answers of which the attacker must get one
    counted: str = ""               # a metric that must have grown
    settings: dict[str, str] = {}   # of a broker of its own
    by_webhook: bool = False        # the healthy tenant reads by a webhook
    launcher: tuple[str, ...] = ()  # of the broker, such as prlimit
    may_refuse: str = ""            # the healthy tenant may be told this, and need not be quick

    def needs_own_broker(self) -> bool:
        return bool(self.settings or self.by_webhook or self.launcher)


BODIES = {"WEIR_SERVER_BODIES_BYTES": "32MiB"}
QUOTA = {"WEIR_STORE_OWNER_BYTES": "16MiB", "WEIR_STORE_RETENTION_BYTES": "64MiB",
         "WEIR_STORE_SEGMENT_BYTES": "4MiB", "WEIR_STORE_RETENTION_INTERVAL": "100ms"}

SMALL_FILES = ("prlimit", f"--fsize={16 << 20}")

ATTACKS = {
    "highlights": Attack(texts.highlights),
    "languages": Attack(texts.languages, counted="weir_over_budget_total"),
    "corpora": Attack(texts.corpora),
    "phrases": Attack(texts.phrases),
    "like": Attack(filters.like, counted="weir_over_budget_total"),
    "arrays": Attack(filters.arrays, counted="weir_over_budget_total"),
    "unindexed": Attack(filters.unindexed),
    "normal_forms": Attack(filters.normal_forms),
    "definitions": Attack(filters.definitions),
    "retune": Attack(filters.retune),
    "replace": Attack(filters.replace),
    "forget": Attack(filters.forget),
    "long_keys": Attack(filters.long_keys),
    "storm": Attack(filters.storm),
    "explain": Attack(filters.explain),
    "long_events": Attack(bulk.long_events),
    "deep_events": Attack(bulk.deep_events),
    "invalid_batches": Attack(bulk.invalid_batches, ("400",)),
    "fan_out": Attack(bulk.fan_out),
    "replays": Attack(bulk.replays),
    "log_growth": Attack(bulk.log_growth, ("429 broker.quota",), settings=QUOTA),
    "full_disk": Attack(bulk.log_growth, ("503 store.full", "503 store.io"), launcher=SMALL_FILES,
                        may_refuse="503"),
    "slow_readers": Attack(connections.slow_readers),
    "slow_durable": Attack(connections.slow_durable),
    "websockets": Attack(connections.websockets),
    "slow_bodies": Attack(connections.slow_bodies, settings=BODIES),
    "guesses": Attack(connections.guesses, ("401 broker.unauthenticated",),
                      "weir_tokens_refused_total"),
    "strangers": Attack(connections.strangers, ("404 broker.no_such_subscription",)),
    "lists": Attack(connections.lists),
    "hanging_sinks": Attack(connections.hanging_sinks, by_webhook=True),
    "dead_letters": Attack(connections.dead_letters),
}
