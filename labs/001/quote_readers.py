# SPDX-License-Identifier: Apache-2.0
"""Reads public quotes and subscriptions of the paper's kind, as the lines of workload.h.

`pubs_subs` has both, all integers. `quotes_daily` has quotes only, `[class,'STOCK'],[open,27.01]`
and so on; it gets subscriptions with the operators of pubs_subs, in turn, on its own symbols and
values. Lines that cannot be read are counted, not guessed at.
"""

import random
import re
from pathlib import Path
from typing import Iterable, NamedTuple

from lab_data import DataError, archived_texts, find_file, open_text

ATTRIBUTES = ["class", "symbol", "open", "high", "low", "close", "volume", "date"]
PRICES = ("open", "high", "low", "close")
FIELD = re.compile(r"\[(\w+),(?:'([^']*)'|([\d.]+))\]")
TEXT = 1 << 40   # texts have numbers from here, which no price or volume reaches
LOWEST, HIGHEST = -(1 << 62), 1 << 62

Quote = dict[str, int]
Predicate = tuple[str, str, int]  # attribute, operator, value


class Data(NamedTuple):
    name: str
    attributes: list[str]
    quotes: list[Quote]
    subscriptions: list[list[Predicate]]
    malformed_count: int


class Texts:
    """A number for every text."""

    def __init__(self):
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, TEXT + len(self.numbers))


def daily_quote(line: str, texts: Texts) -> Quote | None:
    """Prices in cents."""
    quote = {}
    for name, text, number in FIELD.findall(line):
        if text:
            quote[name] = texts.number(text)
        elif number.count(".") <= 1:
            quote[name] = round(float(number) * (100 if name in PRICES else 1))
    return quote if list(quote) == ATTRIBUTES else None


def words_of(line: str, kind: str, width: int) -> list[list[str]] | None:
    """What follows `number number KIND`, in groups; each begins with the type i, for integers."""
    words = line.split()
    groups = [words[i:i + width] for i in range(3, len(words), width)]
    is_sound = (words[2:3] == [kind] and groups and len(groups[-1]) == width
                and all(group[0] == "i" and group[-1].isdigit() for group in groups))
    return groups if is_sound else None


def publication(line: str) -> Quote | None:
    groups = words_of(line, "P", 3)
    return {name: int(value) for _, name, value in groups} if groups else None


def subscription(line: str) -> list[Predicate] | None:
    groups = words_of(line, "S", 4)
    if not groups or any(group[2] not in ("=", "<=", ">=") for group in groups):
        return None
    return [(name, operator, int(value)) for _, name, operator, value in groups]


def sound(rows: Iterable, path: Path) -> tuple[list, int]:
    """Those that could be read, and how many could not."""
    rows = list(rows)
    kept = [row for row in rows if row is not None]
    if len(kept) < 2:
        raise DataError(f"{path} has nothing to read")
    return kept, len(rows) - len(kept)


def sample(rows: list, count: int) -> list:
    """Drawn with a fixed seed, in their order."""
    chosen = sorted(random.Random(1).sample(range(len(rows)), min(count, len(rows))))
    return [rows[index] for index in chosen]


def read_pubs_subs(folder: Path, publication_count: int) -> Data:
    quotes_path = find_file(folder, "p*", "publications")
    with open_text(quotes_path) as file:
        quotes, malformed_count = sound((publication(line) for line in file), quotes_path)
    attributes = list(quotes[0])
    alike = [quote for quote in quotes if list(quote) == attributes]
    path = find_file(folder, "s*", "subscriptions")
    with open_text(path) as file:
        subscriptions, more = sound((subscription(line) for line in file), path)
    return Data("pubs_subs", attributes, sample(alike, publication_count), subscriptions,
                malformed_count + more + len(quotes) - len(alike))


def transplanted(template: list[Predicate], by_symbol: dict[int, list[Quote]],
                 draw: random.Random) -> list[Predicate]:
    """The same operators on a symbol, with values that it had."""
    symbol = draw.choice(list(by_symbol))
    return [(name, operator, draw.choice(by_symbol[symbol])[name])
            for name, operator, _ in template]


def read_daily(folder: Path, mix: list[list[Predicate]], publication_count: int,
               subscription_count: int) -> Data:
    path = find_file(folder, "*.tar*", "daily quotes")
    texts = Texts()
    lines = (line for _, text in archived_texts(path) for line in text.splitlines() if line)
    quotes, malformed_count = sound((daily_quote(line, texts) for line in lines), path)
    by_symbol: dict[int, list[Quote]] = {}
    for quote in quotes:
        by_symbol.setdefault(quote["symbol"], []).append(quote)
    draw = random.Random(2)
    subscriptions = [transplanted(mix[i % len(mix)], by_symbol, draw)
                     for i in range(subscription_count)]
    return Data("daily quotes", ATTRIBUTES, sample(quotes, publication_count), subscriptions,
                malformed_count)


def ranges(subscription: list[Predicate]) -> dict[str, list[int]]:
    """Attribute -> lowest and highest value; two bounds of one attribute become one range."""
    found: dict[str, list[int]] = {}
    for name, operator, value in subscription:
        bounds = found.setdefault(name, [LOWEST, HIGHEST])
        if operator in (">=", "="):
            bounds[0] = value
        if operator in ("<=", "="):
            bounds[1] = value
    return {name: sorted(bounds) for name, bounds in found.items()}


def lines_of(data: Data) -> Iterable[str]:
    for quote in data.quotes:
        yield "p " + " ".join(str(quote[name]) for name in data.attributes)
    for subscription in data.subscriptions:
        equal = {name for name, operator, _ in subscription if operator == "="}
        words = [f"{data.attributes.index(name)}={low}" if name in equal else
                 f"{data.attributes.index(name)}:{low}:{high}"
                 for name, (low, high) in ranges(subscription).items()]
        yield " ".join(["s", *words])
