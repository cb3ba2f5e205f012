#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of ./test. All run, even after a failure; their output goes to build/logs/."""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build/logs"
SHOWN_LINES = 40

SKIPPED = re.compile(r"^\s+\d+ - (\S+) \(Skipped\)", re.MULTILINE)
NOISE = re.compile(r"\s*(Start +\d+:|\d+/\d+ Test .* Passed )")

CTEST = "ctest --preset {} -j 2 --no-tests=error"
FORMAT = ("find src apps include labs tests examples -name '*.h' -o -name '*.cc' 2>/dev/null"
          " | xargs clang-format-19 --dry-run -Werror")


class Step(NamedTuple):
    name: str
    title: str
    commands: list[str]
    full_commands: list[str] | None = None  # with --full; None: the same
    only_full: bool = False


STEPS = [
    Step("format", "clang-format", [FORMAT]),
    Step("layers", "who includes whom", ["tools/layers.py"]),
    Step("tidy", "house rules", ["tools/tidy.py"]),
    Step("tools", "tests of the tools", ["python3 -m unittest discover -s tools -p '*_test.py'"]),
    Step("release", "release build and tests", ["tools/build release", CTEST.format("release")],
         ["tools/build release", "WEIR_FULL=1 " + CTEST.format("release")]),
    Step("asan", "ASan and UBSan build and tests", ["tools/build asan", CTEST.format("asan")]),
    Step("fuzz", "fuzzers", ["tools/fuzz.py --seconds 5"], ["tools/fuzz.py --seconds 60"]),
    Step("clang-tidy", "clang-tidy", ["tools/clang_tidy.py"]),
    Step("install", "install, and examples against it", ["tools/install_check"]),
    Step("readme", "the README's examples", ["tools/readme_check.py"]),
    Step("gcc", "g++ 12 build and tests", ["tools/build gcc", CTEST.format("gcc")],
         only_full=True),
    Step("tsan", "TSan build and tests", ["tools/build tsan", CTEST.format("tsan")],
         only_full=True),
    Step("bench", "benchmarks", ["tools/build release benches", "tools/bench.py --all --quick"],
         only_full=True),
]


class Count(NamedTuple):
    passed: int
    failed: int


def count(output: str, ok: bool) -> Count:
    """How many tests the output of a command tells of; a command that tells none is one."""
    if match := re.search(r"(\d+) tests? failed out of (\d+)", output):
        failed, total = int(match[1]), int(match[2])
    elif match := re.search(r"^Ran (\d+) tests? in ", output, re.MULTILINE):
        total = int(match[1])
        failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", output))
    elif match := re.search(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE):
        failed, total = int(match[2]), int(match[1]) + int(match[2])
    else:
        failed, total = 0, 1 if ok else 0
    if not ok and failed == 0:
        failed, total = 1, total + 1
    return Count(total - failed, failed)


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "ASAN_SYMBOLIZER_PATH": "/usr/bin/llvm-symbolizer-19",
        "TSAN_OPTIONS": "external_symbolizer_path=/usr/bin/llvm-symbolizer-19",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def run_step(step: Step, full: bool) -> Count:
    """Runs the commands of a step until one fails. A build before tests is not counted."""
    commands = step.full_commands if full and step.full_commands else step.commands
    log = LOGS / f"{step.name}.log"
    text = ""
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=ROOT, env=environment(), text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text += f"$ {command}\n{done.stdout}"
        log.write_text(text)
        result = count(done.stdout, done.returncode == 0)
        for name in SKIPPED.findall(done.stdout):
            print(f"SKIPPED {name}: see {log.relative_to(ROOT)}")
        if result.failed:
            lines = [line for line in done.stdout.rstrip().splitlines() if not NOISE.match(line)]
            print("\n".join(f"    {line}" for line in lines[-SHOWN_LINES:]))
            print(f"    the whole log is {log.relative_to(ROOT)}")
            break
    return result


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./test", description="Runs every check; exits non-zero if one fails.")
    parser.add_argument("--full", action="store_true",
                        help="also g++ 12, ThreadSanitizer, benchmarks; fuzz for a minute each")
    parser.add_argument("--only", metavar="STEP,STEP", help="run only these steps")
    parser.add_argument("--list", action="store_true", help="list the steps")
    return parser.parse_args()


def chosen_steps(only: str | None, full: bool) -> list[Step]:
    if only is None:
        return [step for step in STEPS if full or not step.only_full]
    names = only.split(",")
    unknown = set(names) - {step.name for step in STEPS}
    if unknown:
        sys.exit(f"./test: no step {', '.join(sorted(unknown))}; see ./test --list")
    return [step for step in STEPS if step.name in names]


def main() -> int:
    arguments = parse_arguments()
    if arguments.list:
        for step in STEPS:
            print(f"{step.name:12}{step.title}{' (--full)' if step.only_full else ''}")
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    results = []
    for step in chosen_steps(arguments.only, arguments.full):
        start = time.monotonic()
        if sys.stdout.isatty():
            print(f"        {step.title} ...", end="\r", flush=True)
        result = run_step(step, arguments.full)
        verdict = "FAILED" if result.failed else "ok"
        detail = f"{result.passed} passed" + (f", {result.failed} failed" if result.failed else "")
        print(f"{verdict:8}{step.title:36}{time.monotonic() - start:6.1f} s   {detail}",
              flush=True)
        results.append((step, result))

    failed_steps = [step.name for step, result in results if result.failed]
    if failed_steps:
        print(f"failed: {', '.join(failed_steps)}")
    passed = sum(result.passed for _, result in results)
    failed = sum(result.failed for _, result in results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
