# SPDX-License-Identifier: Apache-2.0
"""The tables of lab_002 as SVG."""

import svg
from lab import Table, file_name

LEVEL = "noise around a level"  # far above all others, so in a chart of its own


def ratios(table: Table, title: str, names: list[str], column: str = "ratio") -> str:
    series = {name: table.where(workload=name).points("threshold", column) for name in names}
    thresholds = table.values("threshold")
    series["3/2"] = [(thresholds[0], 1.5), (thresholds[-1], 1.5)]
    return svg.chart(title, "threshold", "ratio", series)


def figure_4_2(table: Table) -> dict[str, str]:
    names = [name for name in table.values("workload") if name != LEVEL]
    quotes = [name for name in names if "quotes" in name]
    stocks = [name for name in names if name.endswith("by range")]
    walks = [name for name in names if name not in quotes + stocks]
    charts = {
        "figure_4_2": ratios(table, "4.2: OnlineGreedy over GlobalOpt",
                             [*stocks[:1], "unit walks", "long unit walks"]),
        "figure_4_2_walks": ratios(table, "4.2: walks", walks),
        "figure_4_2_level": ratios(table, f"4.2: {LEVEL}", [LEVEL]),
        "figure_4_2_free": ratios(table, "OnlineGreedy over an optimum that may choose any value",
                                  [*quotes, *walks], "free_ratio"),
    }
    if quotes:
        charts["figure_4_2_quotes"] = ratios(table, "4.2: quotes", quotes)
        charts["figure_4_2_stocks"] = ratios(table, "4.2: stocks", stocks)
    return charts


def adversary(table: Table, opening: str) -> str:
    rows = table.where(opening=opening)
    series = {name: rows.where(algorithm=name).points("length", "ratio")
              for name in rows.values("algorithm")}
    return svg.log_log_chart(f"Theorem 1: opening {opening}", "n", "ratio", series)


def rivals(table: Table, name: str) -> str:
    rows = table.where(workload=name)
    series = {algorithm: rows.where(algorithm=algorithm).points("threshold", "online")
              for algorithm in rows.values("algorithm")}
    return svg.log_log_chart(f"Online algorithms: {name}", "threshold", "deliveries", series)


def draw(tables: dict[str, Table]) -> dict[str, str]:
    """Name -> SVG."""
    charts = figure_4_2(tables["ratios"])
    for opening in tables["adversary"].values("opening"):
        charts[f"adversary_{file_name(opening)}"] = adversary(tables["adversary"], opening)
    for name in tables["rivals"].values("workload"):
        charts[f"rivals_{file_name(name)}"] = rivals(tables["rivals"], name)
    return charts
