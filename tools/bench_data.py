# SPDX-License-Identifier: Apache-2.0
"""Prepares public data for ./bench FAMILY --data.

content: filters and events, one a line. `pubs_subs` has both; its subscriptions are multiplied: the
same operators on a symbol that is published, with values that it had. `quotes_daily` has quotes
only, and gets the same kind of subscriptions.
change: one-minute quotes in the order of time, a symbol and its closing price a line.
text: the messages in `text` without their heads, and the queries in `queries`, one a line.
"""

import csv
import json
import random
import re
from pathlib import Path

from lab_data import DataError, archived_texts, find_file, open_text

SUBSCRIPTION_COUNT = 100_000
EVENT_COUNT = 2_000
FIELD = re.compile(r"\[(\w+),(?:'([^']*)'|([\d.]+))\]")

Quote = dict[str, object]
Template = list[tuple[str, str]]  # attribute and operator


def read_publications(folder: Path) -> list[Quote]:
    with open_text(find_file(folder, "p*", "publications")) as file:
        rows = [line.split()[3:] for line in file]
    return [{name: int(value) for name, value in zip(row[1::3], row[2::3])} for row in rows]


def read_templates(folder: Path) -> list[Template]:
    with open_text(find_file(folder, "s*", "subscriptions")) as file:
        rows = [line.split()[3:] for line in file]
    return [list(zip(row[1::4], row[2::4])) for row in rows]


def read_daily(folder: Path) -> list[Quote]:
    quotes = []
    for _, text in archived_texts(find_file(folder, "*.tar*", "daily quotes")):
        for line in text.splitlines():
            fields = FIELD.findall(line)
            quotes.append({name: text or float(number) for name, text, number in fields})
    return [quote for quote in quotes if "symbol" in quote and "volume" in quote]


def literal(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def filters_of(quotes: list[Quote], templates: list[Template]) -> list[str]:
    by_symbol: dict[object, list[Quote]] = {}
    for quote in quotes:
        by_symbol.setdefault(quote["symbol"], []).append(quote)
    draw = random.Random(1)
    symbols = list(by_symbol)
    filters = []
    for i in range(SUBSCRIPTION_COUNT):
        own = by_symbol[draw.choice(symbols)]
        terms = [f"data.{name} {operator} {literal(draw.choice(own)[name])}"
                 for name, operator in templates[i % len(templates)]]
        filters.append(" and ".join(terms))
    return filters


def events_of(quotes: list[Quote]) -> list[str]:
    chosen = random.Random(2).sample(quotes, min(EVENT_COUNT, len(quotes)))
    return [json.dumps({"specversion": "1.0", "id": str(i), "source": "/quotes", "type": "quote",
                        "data": quote}) for i, quote in enumerate(chosen)]


def prepare_content(data: Path, output: Path) -> None:
    templates = read_templates(data / "pubs_subs")
    sources = {"pubs_subs": read_publications(data / "pubs_subs"),
               "quotes_daily": read_daily(data / "quotes_daily")}
    for name, quotes in sources.items():
        if not quotes:
            raise DataError(f"{data / name} has nothing to read")
        write_lines(output / f"{name}.filters", filters_of(quotes, templates))
        write_lines(output / f"{name}.events", events_of(quotes))


def read_minutes(folder: Path) -> list[tuple[str, str, float]]:
    """Minute, symbol, closing price."""
    with open_text(find_file(folder, "*1min*.csv*", "one-minute quotes")) as file:
        rows = [(row["minute"], row["symbol"], float(row["close"])) for row in csv.DictReader(file)]
    return sorted(rows)


def prepare_change(data: Path, output: Path) -> None:
    rows = read_minutes(data / "quotes_1min")
    if not rows:
        raise DataError(f"{data / 'quotes_1min'} has nothing to read")
    write_lines(output / "quotes_1min.readings",
                [f"{symbol} {price!r}" for _, symbol, price in rows])


def body_of(message: str) -> str:
    """What follows the first blank line, in one line. Some archives have tabs for line ends."""
    parts = re.split(r"\r?\n\r?\n|\t\t", message, maxsplit=1)
    return " ".join(parts[-1].split())


def read_queries(folder: Path) -> list[str]:
    paths = sorted(folder.glob("*.txt*")) if folder.is_dir() else []
    if not paths:
        raise DataError(f"{folder} has no *.txt* (queries)")
    queries = []
    for path in paths:
        with open_text(path) as file:
            queries += [line.split(":", 1)[-1].strip() for line in file]
    return queries


def prepare_text(data: Path, output: Path) -> None:
    archive = find_file(data / "text", "*.tar*", "messages")
    write_lines(output / "news.documents", [body_of(text) for _, text in archived_texts(archive)])
    write_lines(output / "queries.texts", read_queries(data / "queries"))


def write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


PREPARE = {"content": prepare_content, "change": prepare_change, "text": prepare_text}


def prepare(families: list[str], data: Path, output: Path) -> None:
    """Raises DataError if the data is not as expected."""
    output.mkdir(parents=True, exist_ok=True)
    for family in families:
        if family in PREPARE:
            PREPARE[family](data, output)
