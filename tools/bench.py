#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The work of ./bench: builds and runs a family of benchmarks and holds it against its bars.

Families and bars are in tools/bars.toml. Prints one line per bar, and one per benchmark whose
counters are to be shown; writes all results as JSON, and an SVG of cost over size where a benchmark
has several sizes, under build/bench/.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import bench_data
import svg
from lab_data import DataError

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build/release/bench"
OUTPUT = ROOT / "build/bench"
QUICK_SECONDS_MAX = 60
# Benchmarks named so are left out of a quick run.
QUICK = ["--benchmark_min_time=0.05", "--benchmark_repetitions=3", "--benchmark_filter=-Thorough"]
THOROUGH = ["--benchmark_min_time=0.5", "--benchmark_repetitions=7"]


def sources_of(family: str, families: dict[str, list[str]], with_data: bool,
               root: Path = ROOT) -> list[Path]:
    """Below the family's folders, without what is another family's further down, and the files it
    names. Those that need data of one's own are named x_data_bench.cc."""
    others = [root / "src" / entry for name, entries in families.items() if name != family
              for entry in entries]

    def is_others(path: Path, own: Path) -> bool:
        return any(other in (path, *path.parents) and own in other.parents for other in others)

    owned = [root / "src" / entry for entry in families[family]]
    return [path for own in owned
            for path in ([own] if own.suffix else sorted(own.rglob("*_bench.cc")))
            if not is_others(path, own)
            and (with_data or not path.stem.endswith("_data_bench"))]


def run_program(source: Path, quick: bool) -> list[dict]:
    """The single runs (no aggregates) of one benchmark program."""
    folder = source.relative_to(ROOT / "src").parts[0]
    command = [str(PROGRAMS / folder / source.stem), "--benchmark_format=json",
               *(QUICK if quick else THOROUGH)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          timeout=QUICK_SECONDS_MAX if quick else None)
    if done.returncode != 0:
        sys.exit(f"bench: {source.stem} failed with status {done.returncode}")
    runs = [run for run in json.loads(done.stdout)["benchmarks"] if run["run_type"] == "iteration"]
    for run in runs:
        if run.get("error_occurred"):
            sys.exit(f"bench: {run['name']}: {run['error_message']}")
    return runs


def measure(bar: dict, runs: list[dict]) -> float | None:
    """The worst size of the best repetition; None if nothing of that name was measured."""
    best = max if "at_least" in bar else min
    worst = min if "at_least" in bar else max
    values: dict[str, list[float]] = {}
    for run in runs:
        name = run["run_name"]
        if name == bar["benchmark"] or name.startswith(bar["benchmark"] + "/"):
            if bar["counter"] in run:
                values.setdefault(name, []).append(run[bar["counter"]])
    return worst(best(of_size) for of_size in values.values()) if values else None


def judge(bar: dict, runs: list[dict]) -> tuple[str, bool]:
    """The line of a bar, and whether it is reached."""
    measured = measure(bar, runs)
    if "at_least" in bar:
        limit, sign = bar["at_least"], ">="
        ok = measured is not None and measured >= limit
    else:
        limit, sign = bar["at_most"], "<="
        ok = measured is not None and measured <= limit
    shown = "not measured" if measured is None else number(measured)
    return f"{bar['name']:36}{shown:>16}   {sign} {limit:<12,}{'ok' if ok else 'short'}", ok


def number(value: float) -> str:
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"


def show(row: dict, runs: list[dict]) -> str:
    """The median of each counter over all repetitions."""
    words = []
    for counter in row["counters"]:
        values = [run[counter] for run in runs
                  if run["run_name"].split("/")[0] == row["benchmark"] and counter in run]
        words.append(f"{counter} {number(statistics.median(values)) if values else 'not measured'}")
    return f"{row['benchmark']}: {', '.join(words)}"


def curves(runs: list[dict]) -> dict[str, list[tuple[float, float]]]:
    """Benchmark -> (size, best time in ns) of the benchmarks with several sizes.

    The size is the last number in a name such as BM_Match/1000000/manual_time; the time is CPU
    time, or what the benchmark itself has measured.
    """
    unit_ns = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    points: dict[str, dict[float, float]] = {}
    for run in runs:
        name = re.sub(r"/iterations:\d+", "", run["run_name"])
        match = re.fullmatch(r"(.+)/(\d+)((?:/[a-z_]+)?)", name)
        if match and int(match[2]) > 0:
            time = run["real_time" if match[3] == "/manual_time" else "cpu_time"]
            time_ns = time * unit_ns[run["time_unit"]]
            sizes = points.setdefault(match[1], {})
            sizes[int(match[2])] = min(time_ns, sizes.get(int(match[2]), time_ns))
    return {name: sorted(sizes.items()) for name, sizes in points.items() if len(sizes) > 1}


def run_family(family: str, table: dict, quick: bool, with_data: bool) -> bool:
    sources = sources_of(family, table["families"], with_data)
    if not sources:
        print(f"bench: {family} has no benchmarks yet", file=sys.stderr)
        return False
    names = [source.stem for source in sources]
    subprocess.run([ROOT / "tools/build", "release", *names], check=True)
    runs = [run for source in sources for run in run_program(source, quick)]

    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / f"{family}.json").write_text(json.dumps(runs, indent=1) + "\n")
    series = curves(runs)
    if series:
        (OUTPUT / f"{family}.svg").write_text(
            svg.log_log_chart(f"{family}: time over size", "size", "ns", series))
    lines = [judge(bar, runs) for bar in table.get("bar", []) if bar["family"] == family]
    for line, _ in lines:
        print(line)
    for row in table.get("show", []):
        if row["family"] == family and (with_data or not row.get("data")):
            print(show(row, runs))
    return all(ok for _, ok in lines)


def main() -> int:
    table = tomllib.loads((ROOT / "tools/bars.toml").read_text())
    families = list(table["families"])
    parser = argparse.ArgumentParser(
        prog="./bench", description="Runs benchmarks and holds them against their bars.")
    parser.add_argument("family", nargs="?", help="one of: " + " ".join(families))
    parser.add_argument("--all", action="store_true", help="all families")
    parser.add_argument("--quick", action="store_true", help="at most a minute")
    parser.add_argument("--data", type=Path, metavar="DIR",
                        help="also on public data from there, where a family has such benchmarks")
    arguments = parser.parse_args()
    if arguments.all:
        chosen = families
    elif arguments.family in families:
        chosen = [arguments.family]
    else:
        parser.error(f"no family '{arguments.family or ''}'; there are: {' '.join(families)}")
    if arguments.data:
        os.environ["WEIR_BENCH_DATA"] = str(OUTPUT / "data")
        try:
            bench_data.prepare(chosen, arguments.data, OUTPUT / "data")
        except DataError as error:
            sys.exit(f"bench: {error}")
    try:
        results = [run_family(family, table, arguments.quick, bool(arguments.data))
                   for family in chosen]
    except subprocess.CalledProcessError:
        return 1
    except subprocess.TimeoutExpired as expired:
        sys.exit(f"bench: {Path(expired.cmd[0]).name} took longer than {expired.timeout:.0f} s")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
