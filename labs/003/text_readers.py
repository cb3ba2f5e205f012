# SPDX-License-Identifier: Apache-2.0
"""Reads news articles and query logs, as the lines of workload.h.

Articles are the files of an archive whose names are numbers, in the order of newsgroups. Logs have
lines of `number:query`. Lines that cannot be read are counted, not guessed at.
"""

import re
from pathlib import Path
from typing import Iterable, NamedTuple

from lab_data import DataError, archived_texts, find_file, open_text

LOGS = {"Terabyte-05": "terabyte*", "Million Query": "million*"}
ARTICLES = "20 Newsgroups"
JOINED = 10  # articles of a long document

QUERY = re.compile(r"\d+:(.*\S.*)")


class Queries(NamedTuple):
    queries: list[str]
    malformed_count: int


def parse_queries(lines: Iterable[str]) -> Queries:
    found = [QUERY.fullmatch(line.strip()) for line in lines]
    queries = [match[1].strip() for match in found if match]
    return Queries(queries, len(found) - len(queries))


def read_queries(folder: Path) -> dict[str, Queries]:
    logs = {}
    for name, pattern in LOGS.items():
        path = find_file(folder, pattern, name)
        with open_text(path) as file:
            logs[name] = parse_queries(file)
        if not logs[name].queries:
            raise DataError(f"{path} has no queries")
    return logs


def read_articles(folder: Path) -> list[str]:
    path = find_file(folder, "*.tar*", "articles")
    articles = [" ".join(text.split()) for name, text in archived_texts(path) if name.isdigit()]
    if not articles:
        raise DataError(f"{path} has no articles")
    return articles


def corpora(articles: list[str]) -> dict[str, list[str]]:
    """The articles, and the same as long documents."""
    joined = [" ".join(articles[i:i + JOINED]) for i in range(0, len(articles), JOINED)]
    return {ARTICLES: articles, f"{ARTICLES} by tens": joined}
