#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/fuzz.py --seconds N [NAME...]: runs each fuzzer of the asan build for N seconds.

The corpus of src/f/x_fuzz.cc grows in build/fuzz/x_fuzz/corpus and starts from the files in
src/f/x_fuzz_seeds/, if there are any. What breaks it is left beside the corpus.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INPUT_SECONDS_MAX = 10
MEMORY_MB_MAX = 2048
SHOWN_LINES = 40


def run(source: Path, seconds: int) -> bool:
    name = source.stem
    program = ROOT / "build/asan/fuzz" / name
    if not program.exists():
        print(f"{name}: FAILED, not built: tools/build asan")
        return False
    place = ROOT / "build/fuzz" / name
    corpus = place / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = source.with_name(name + "_seeds")
    command = [
        program, corpus, *([seeds] if seeds.is_dir() else []),
        f"-max_total_time={seconds}", f"-timeout={INPUT_SECONDS_MAX}",
        f"-rss_limit_mb={MEMORY_MB_MAX}", f"-artifact_prefix={place}/", "-print_final_stats=1",
    ]
    done = subprocess.run([str(word) for word in command], cwd=ROOT, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    (place / "log").write_text(done.stdout)
    print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}, {executed(done.stdout)} inputs")
    if done.returncode != 0:
        print("\n".join(done.stdout.splitlines()[-SHOWN_LINES:]))
    return done.returncode == 0


def executed(output: str) -> str:
    """The count in libFuzzer's last statistics."""
    for line in output.splitlines():
        if line.startswith("stat::number_of_executed_units:"):
            return line.split()[-1]
    return "?"


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/fuzz.py", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("names", nargs="*", metavar="NAME", help="fuzzers; all unless given")
    arguments = parser.parse_args()
    sources = sorted((ROOT / "src").rglob("*_fuzz.cc"))
    if arguments.names:
        sources = [source for source in sources if source.stem in arguments.names]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda source: run(source, arguments.seconds), sources))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
