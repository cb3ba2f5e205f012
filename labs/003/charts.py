# SPDX-License-Identifier: Apache-2.0
"""The tables of lab_003 as SVG."""

import svg
from lab import Table, file_name

ANY = 0


def figure_5(lengths: Table) -> str:
    series = {name: lengths.where(log=name).points("length", "share")
              for name in lengths.values("log")}
    return svg.chart("5: terms of queries", "terms", "share", series)


def figure_6(scores: Table, corpus: str) -> str:
    rows = scores.where(corpus=corpus)
    series = {f"document {index:.0f}": rows.where(document=index).points("rank", "score")
              for index in rows.values("document")}
    return svg.log_log_chart(f"6: scores of terms, {corpus}", "rank", "score", series)


def frequencies(table: Table) -> str:
    series = {name: table.where(corpus=name).points("rank", "documents")
              for name in table.values("corpus")}
    return svg.log_log_chart("II: documents that have a term", "rank", "documents", series)


def length_name(length: float) -> str:
    return "any length" if length == ANY else f"{length:.0f} terms"


def by_length(table: Table, title: str, value_name: str, values) -> str:
    """One line per expected length; `values` gives the points of its rows."""
    series = {length_name(length): values(table.where(length=length))
              for length in table.values("length")}
    return svg.chart(title, "threshold", value_name, series, x_log=True)


def figure_7(savings: Table, corpus: str) -> dict[str, str]:
    rows = savings.where(corpus=corpus)
    charts = {f"figure_7_{file_name(corpus)}":
              by_length(rows.where(rule="paper"), f"7: {corpus}", "saving",
                        lambda line: line.points("threshold", "saving"))}
    series = {}
    for length in (1, 3, 10):
        for rule, window in (("paper", length + 1), ("ours", length)):
            line = rows.where(rule=rule, length=length)
            series[f"L = {length}, windows of {window}"] = line.points("threshold", "terms")
    charts[f"windows_{file_name(corpus)}"] = svg.log_log_chart(
        f"Threshold terms per document: {corpus}", "threshold", "terms", series)
    return charts


def figure_8(dismissals: Table, corpus: str, log: str) -> str:
    rows = dismissals.where(corpus=corpus, log=log, rule="paper")
    return by_length(rows, f"8: {log} in {corpus}", "dismissed", lambda line: [
        (row["threshold"], row["dismissed"] / row["matches"])
        for row in line.rows if row["matches"]])


def draw(tables: dict[str, Table]) -> dict[str, str]:
    """Name -> SVG."""
    charts = {"figure_5": figure_5(tables["lengths"]),
              "frequencies": frequencies(tables["frequencies"])}
    dismissals = tables["dismissals"]
    for corpus in tables["documents"].values("corpus"):
        charts[f"figure_6_{file_name(corpus)}"] = figure_6(tables["scores"], corpus)
        charts |= figure_7(tables["savings"], corpus)
        for log in dismissals.where(corpus=corpus).values("log"):
            name = f"figure_8_{file_name(log)}_{file_name(corpus)}"
            charts[name] = figure_8(dismissals, corpus, log)
    return charts
