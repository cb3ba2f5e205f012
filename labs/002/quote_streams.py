# SPDX-License-Identifier: Apache-2.0
"""Reads one-minute quotes as streams of integers, the lines of workload.h.

As in the paper, each stock of each day is a source of its own. "Conformance thresholds range from 1
to 63, as scaled per data source": the paper does not say how, so there are several scales. Lines
that cannot be read are counted, not guessed at.
"""

import csv
import statistics
from pathlib import Path
from typing import Callable, Iterable, NamedTuple

from lab_data import DataError, find_file, open_text

THRESHOLD_MAX = 63
TICK = 0.05  # the smallest step of a price at the exchange of the data
STOCK_COUNT = 4  # told one by one, as in figure 4.2

Prices = list[float]


class Quotes(NamedTuple):
    days: dict[tuple[str, str], Prices]  # (symbol, day) -> closing prices, minute by minute
    malformed_count: int


def parse_row(row: dict) -> tuple[str, str, float] | None:
    """Symbol, minute, closing price."""
    try:
        symbol, minute, price = row["symbol"], row["minute"], float(row["close"])
    except (KeyError, TypeError, ValueError):
        return None
    is_sound = symbol and len(minute) == len("2021-03-30 09:24") and 0 < price < 1e9
    return (symbol, minute, price) if is_sound else None


def parse(lines: Iterable[str]) -> Quotes:
    rows = [parse_row(row) for row in csv.DictReader(lines)]
    sound = sorted(row for row in rows if row is not None)
    days: dict[tuple[str, str], Prices] = {}
    for symbol, minute, price in sound:
        days.setdefault((symbol, minute.split()[0]), []).append(price)
    return Quotes(days, len(rows) - len(sound))


def read(folder: Path) -> Quotes:
    path = find_file(folder, "*1min*.csv*", "one-minute quotes")
    with open_text(path) as file:
        quotes = parse(file)
    if not quotes.days:
        raise DataError(f"{path} has no quotes")
    return quotes


def scaled(prices: Prices, unit: float) -> list[int]:
    """In units; a stream that does not move has none."""
    return [round(price / unit) if unit else 0 for price in prices]


# What 1 stands for. The largest threshold is 3.15 in money; 0.63 % of the first price; what covers
# the day if it is centred; the standard deviation of the day.
SCALES: dict[str, Callable[[Prices], float]] = {
    "tick": lambda prices: TICK,
    "price": lambda prices: prices[0] / 10_000,
    "range": lambda prices: (max(prices) - min(prices)) / (2 * THRESHOLD_MAX),
    "deviation": lambda prices: statistics.pstdev(prices) / THRESHOLD_MAX,
}


def streams(prices_of_sources: Iterable[Prices], scale: str) -> list[list[int]]:
    return [scaled(prices, SCALES[scale](prices)) for prices in prices_of_sources]


def months(quotes: Quotes) -> dict[str, Prices]:
    """Symbol -> all its prices, one day after the other."""
    found: dict[str, Prices] = {}
    for (symbol, _), prices in quotes.days.items():
        found.setdefault(symbol, []).extend(prices)
    return found


def workloads(quotes: Quotes) -> dict[str, list[list[int]]]:
    """Name -> streams: days by each scale, the four longest stocks by range, stocks uncut."""
    found = {f"quotes by {scale}": streams(quotes.days.values(), scale) for scale in SCALES}
    uncut = months(quotes)
    longest = sorted(uncut, key=lambda symbol: (-len(uncut[symbol]), symbol))[:STOCK_COUNT]
    for chosen in longest:
        days = [prices for (symbol, _), prices in quotes.days.items() if symbol == chosen]
        found[f"{chosen} by range"] = streams(days, "range")
    found["uncut quotes by price"] = streams(uncut.values(), "price")
    return found


def lines_of(values: list[list[int]]) -> str:
    return "".join(" ".join(map(str, stream)) + "\n" for stream in values)
