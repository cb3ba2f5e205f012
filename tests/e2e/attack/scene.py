# SPDX-License-Identifier: Apache-2.0
"""A broker with a healthy tenant, and attacks on it one after the other."""

import dataclasses
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attack.enemy import NICENESS, Orders
from attack.healthy import NAME, Healthy
from attack.table import ATTACKS, Attack
from broker_program import PATIENCE_S, Broker
from weir_program import weir

MIB = 1 << 20
BUDGET_BYTES = 192 * MIB
# What the budget does not count: the program, threads, SQLite, one verification of a token
# (64 MiB), the bodies of requests, what the allocator keeps, copies while states are saved.
BASE_BYTES = 256 * MIB
TAIL_S = 0.3            # how long the healthy tenant goes on after an attack
ENEMY_S_MAX = 60        # then an attack is ended
HOSTILE_COUNT = 3       # tenants

SETTINGS = {
    "WEIR_SERVER_ANONYMOUS": "off",
    "WEIR_BROKER_MEMORY": str(BUDGET_BYTES),
    "WEIR_BROKER_PUBLISH_QUEUE_BYTES": str(32 * MIB),
    "WEIR_BROKER_SHARD_QUEUE_BYTES": str(32 * MIB),
    "WEIR_SERVER_BODIES_BYTES": str(64 * MIB),
    "WEIR_STORE_RECENT_BYTES": str(16 * MIB),
    "WEIR_STORE_CHECKPOINT_INTERVAL": "2s",
    "WEIR_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8",
}
FOLDER = Path(__file__).resolve().parents[1]


@dataclasses.dataclass
class Outcome:
    """What the healthy tenant noticed of an attack."""

    name: str
    latencies_ms: list[float]
    peak_bytes: int
    seconds: float
    answers: dict[str, int]    # to the attacker
    refused: dict[str, int]    # of the healthy tenant's events
    missing: str               # empty: nothing is lost, doubled or out of order
    troubles: list[str]
    acknowledge_ms: float
    counted: float             # by the metric that the attack names

    def quantile_ms(self, share: float) -> float:
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def line(self) -> str:
        limits = {key: count for key, count in self.answers.items() if not key.startswith("20")}
        return (f"{self.name:16} {self.quantile_ms(0.5):8.1f} {self.quantile_ms(0.99):8.1f}"
                f" {self.quantile_ms(1):9.1f} {self.acknowledge_ms:8.0f}"
                f" {self.peak_bytes // MIB:6} {len(self.latencies_ms):6} {self.seconds:6.1f}"
                f"  {limits or ''} {self.missing} {self.refused or ''} {self.troubles or ''}")

    HEADER = (f"{'attack':16} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>9} {'ack ms':>8}"
              f" {'MiB':>6} {'events':>6} {'s':>6}  answers to the attacker, losses, refusals")


class Tokens:
    """A data directory with the tokens of all tenants, which brokers begin with a copy of."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="weir-attack-")
        self.data = Path(self._directory.name) / "data"
        own = ["source:/healthy/"]
        self.healthy = self._make("healthy", "--publish", *own, "--subscribe", *own)
        self.hostile = [self._make("greedy", "--publish", "all", "--subscribe", "all")]
        for number in range(1, HOSTILE_COUNT):
            self.hostile.append(self._make(f"hostile{number}", "--publish", "source:/hostile/",
                                           "--subscribe", "source:/hostile/"))
        self.operator = self._make("operator", "--admin")

    def _make(self, name: str, *grants: str) -> str:
        done = weir("token", "create", name, *grants, "--data", str(self.data))
        assert done.code == 0, done.err
        return done.out.strip()

    def close(self) -> None:
        self._directory.cleanup()


class Scene:
    """`kind` is an attack that says what the broker needs."""

    def __init__(self, tokens: Tokens, full: bool, kind: Attack):
        self.tokens, self.full = tokens, full
        self._directory = tempfile.TemporaryDirectory(prefix="weir-attack-")
        data = Path(self._directory.name) / "data"
        shutil.copytree(tokens.data, data)
        self.broker = Broker(data=data, environment={**SETTINGS, **kind.settings},
                             launcher=kind.launcher)
        for token in tokens.hostile:
            self.broker.request("GET", "/subscriptions", token=token)
        self.healthy = Healthy(self.broker, tokens.healthy, kind.by_webhook)

    # Measuring.

    def _watch(self, name: str, work) -> Outcome:
        """Work gives the answers to the attacker."""
        healthy, pid = self.healthy, self.broker.process.pid
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
        first, begin = len(healthy.arrived), time.monotonic()
        refused, troubles = dict(healthy.refused), len(healthy.troubles)
        healthy.acknowledge_s_max = 0.0
        counter = ATTACKS[name].counted if name in ATTACKS else ""
        before = self.metric(counter)
        answers = work()
        time.sleep(TAIL_S)
        missing = healthy.await_all()
        counted = self._growth(counter, before)
        peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        peak_bytes = int(peak[1]) * 1024 if peak else 0  # one that has ended has none
        new = {key: count - refused.get(key, 0) for key, count in healthy.refused.items()
               if count != refused.get(key, 0)}
        return Outcome(name, [1000 * late for _, late in healthy.arrived[first:]], peak_bytes,
                       time.monotonic() - begin, answers, new, missing,
                       healthy.troubles[troubles:], 1000 * healthy.acknowledge_s_max, counted)

    def calm(self, seconds: float) -> Outcome:
        """The control: in place of an attacker a process that only takes processor time."""
        def work() -> dict:
            busy = subprocess.Popen([sys.executable, "-c",
                                     f"import os\nos.nice({NICENESS})\nwhile True: pass"])
            time.sleep(seconds)
            busy.kill()
            busy.wait()
            return {}

        return self._watch("(calm)", work)

    def attack(self, name: str, seconds: float) -> Outcome:
        orders = Orders(name, self.broker.port, self.tokens.hostile, seconds, self.full, NAME,
                        list(ATTACKS[name].told))

        def work() -> dict:
            enemy = subprocess.Popen(
                [sys.executable, "-m", "attack.enemy", json.dumps(dataclasses.asdict(orders))],
                cwd=FOLDER, stdout=subprocess.PIPE, text=True)
            try:
                out, _ = enemy.communicate(timeout=ENEMY_S_MAX)
            except subprocess.TimeoutExpired:
                enemy.kill()
                enemy.communicate()
                return {"the attacker was ended": 1}
            return json.loads(out)["answers"] if enemy.returncode == 0 else {"failed": 1}

        return self._watch(name, work)

    def metric(self, name: str) -> float:
        """0 if there is none, and if the broker has ended."""
        if not self.alive():
            return 0
        text = self.broker.request("GET", "/metrics", token=self.tokens.operator).text
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0

    def _growth(self, counter: str, before: float) -> float:
        """Waits until the last events, which may still have to be matched, are counted."""
        until = time.monotonic() + PATIENCE_S
        while (grown := self.metric(counter) - before) == 0 and counter and self.alive():
            if time.monotonic() > until:
                break
            time.sleep(0.02)
        return grown

    def status(self) -> dict:
        return self.broker.status(NAME, self.tokens.healthy)

    def alive(self) -> bool:
        return self.broker.process.poll() is None

    def close(self) -> None:
        self.healthy.stop()
        self.broker.__exit__()
        self._directory.cleanup()


def main() -> None:
    """python3 -m attack.scene [--short] [NAME...]: runs attacks, each on a broker of its own, and
    prints what the healthy tenant noticed."""
    full = "--short" not in sys.argv
    names = [name for name in sys.argv[1:] if not name.startswith("-")] or list(ATTACKS)
    tokens = Tokens()
    print(Outcome.HEADER, flush=True)
    for name in names:
        scene = Scene(tokens, full, ATTACKS[name])
        try:
            if name == names[0]:
                print(scene.calm(3).line(), flush=True)
            print(scene.attack(name, 4).line(), flush=True)
            if not scene.alive():
                print("".join(scene.broker.errors[-20:]))
        finally:
            scene.close()
    tokens.close()


if __name__ == "__main__":
    main()
