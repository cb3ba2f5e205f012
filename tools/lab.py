# SPDX-License-Identifier: Apache-2.0
"""What the experiments in labs/ share: tables of results, claims and their verdicts."""

import csv
from pathlib import Path
from typing import NamedTuple

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
