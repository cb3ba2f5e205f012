# SPDX-License-Identifier: Apache-2.0
"""What the experiments in labs/ share: arguments, tables of results, claims and their verdicts."""

import argparse
import csv
import subprocess
import sys
from pathlib import Path
from typing import Callable, NamedTuple

from lab_data import DataError

ROOT = Path(__file__).resolve().parent.parent

HOLDS = "holds"
PARTLY = "holds partly"
FAILS = "does not hold"
UNTESTED = "not tested"


class Claim(NamedTuple):
    figure: str
    paper: str  # what the paper says
    ours: str   # what we measured
    verdict: str


def verdict(all_hold: bool, some_hold: bool = False) -> str:
    return HOLDS if all_hold else PARTLY if some_hold else FAILS


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def file_name(words: str) -> str:
    """A workload's name as part of a file's."""
    return "_".join(words.lower().replace("-", " ").replace(",", " ").split())


def number(text: str):
    try:
        return float(text)
    except ValueError:
        return text


class Table:
    """Rows of a CSV file, values that are numbers as floats."""

    def __init__(self, rows: list[dict]):
        self.rows = rows

    @staticmethod
    def read(path: Path) -> "Table":
        with path.open(newline="") as file:
            return Table([{name: number(value) for name, value in row.items()}
                          for row in csv.DictReader(file)])

    def where(self, **wanted) -> "Table":
        return Table([row for row in self.rows
                      if all(row[name] == value for name, value in wanted.items())])

    def values(self, name: str) -> list:
        """The different values of a column, in the order in which they come."""
        return list(dict.fromkeys(row[name] for row in self.rows))

    def column(self, name: str) -> list:
        return [row[name] for row in self.rows]

    def points(self, x: str, y: str) -> list[tuple[float, float]]:
        return [(row[x], row[y]) for row in self.rows]

    def one(self, name: str, **wanted):
        """The value in the only row with these values."""
        rows = self.where(**wanted).rows
        if len(rows) != 1:
            raise LookupError(f"{len(rows)} rows with {wanted}")
        return rows[0][name]


def print_claims(claims: list[Claim]) -> None:
    """One line per claim: figure, paper, ours, verdict."""
    widths = [max(len(claim[i]) for claim in claims) for i in range(3)]
    for claim in claims:
        cells = [cell.ljust(width) for cell, width in zip(claim, widths)]
        print("  ".join([*cells, claim.verdict]))


def argument_parser(paper: str, *, quick: str, data: str) -> argparse.ArgumentParser:
    """What every experiment takes; `quick` and `data` say what they mean for this one."""
    parser = argparse.ArgumentParser(prog=f"./lab {paper}",
                                     description=f"The experiments of paper {paper}.")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--data", type=Path, metavar="DIR", help=data)
    parser.add_argument("--out", type=Path, default=ROOT / "build/lab" / paper,
                        help="where CSV and SVG go")
    parser.add_argument("--program", type=Path, default=ROOT / f"build/release/labs/lab_{paper}")
    return parser


def run_program(arguments: argparse.Namespace, *words) -> None:
    command = [arguments.program, "--out", arguments.out, *words]
    subprocess.run([str(word) for word in command], check=True)


def conduct(arguments: argparse.Namespace, run: Callable, table_names: list[str], draw: Callable,
            judge: Callable) -> int:
    """Runs the program, draws its tables (name -> SVG) and prints the claims. Gives the exit
    status, which tells of failed runs and data that cannot be read, not of verdicts."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        run(arguments)
    except DataError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 2
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    tables = {name: Table.read(arguments.out / f"{name}.csv") for name in table_names}
    for name, drawn in draw(tables).items():
        (arguments.out / f"{name}.svg").write_text(drawn)
    print_claims(judge(tables))
    return 0
