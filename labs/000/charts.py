# SPDX-License-Identifier: Apache-2.0
"""The figures of paper 000 as SVG, from the tables of lab_000."""

import svg
from lab import Table, file_name

KINDS = ("horizontal", "vertical")


def false_positives(table: Table) -> dict[str, str]:
    charts = {}
    for workload in table.values("workload"):
        rows = table.where(workload=workload)
        series = {f"{kind}, P = {target}": rows.where(kind=kind, target=target)
                  .points("slices", "measured") for target in rows.values("target")
                  for kind in KINDS}
        series |= {f"theory, P = {target}": rows.where(kind="horizontal", target=target)
                   .points("slices", "theory") for target in rows.values("target")}
        charts[f"false_positives_{file_name(workload)}"] = svg.chart(
            f"5(a), 7(a), 7(b): {workload}", "slices", "FP rate", series, x_log=True)
    return charts


def load(table: Table) -> dict[str, str]:
    charts = {}
    for column, title in (("fairness", "5(b), 8: fairness"), ("largest_share", "5(c), 8: load")):
        series = {f"{workload}, {kind}": table.where(workload=workload, kind=kind)
                  .points("slices", column) for workload in table.values("workload")
                  for kind in KINDS}
        charts[column] = svg.chart(title, "slices", column.split("_")[-1], series, x_log=True)
    return charts


def failures(table: Table, wanted: Table) -> dict[str, str]:
    rates = {f"{kind}, {column}": table.where(kind=kind, target=0.02)
             .points("failed_percent", column) for kind in KINDS
             for column in ("theory", "measured")}
    slices = {f"{kind}, P_max = {largest}": wanted.where(kind=kind, largest=largest, target=0.02)
              .points("failed", "slices") for largest in wanted.values("largest")
              for kind in KINDS}
    return {"failures": svg.chart("1(a): failed sites", "% failed", "FP rate", rates),
            "slices_wanted": svg.chart("1(b): slices wanted", "failed sites", "S_f", slices)}


def thresholds(live: Table, equal: Table, shares: Table) -> dict[str, str]:
    rows = live.where(target=0.02, reading="full")
    of_live = {name: rows.points("threshold", name)
               for name in ("false_positives", "false_negatives",
                            "false_positives_theory", "false_negatives_theory")}
    of_equal = {f"{kind}, {name}": equal.where(kind=kind).points("distinct_up_to", name)
                for kind in KINDS for name in ("false_positives", "false_negatives")}
    of_shares = {kind: shares.where(kind=kind).points("equal", "true_share") for kind in KINDS}
    return {"live_threshold": svg.chart("5(d): 8 of 40 failed", "x", "rate", of_live),
            "equal_threshold": svg.chart("9(c,d): distinct with up to so many equal timers",
                                         "equal timers", "rate", of_equal),
            "equal_shares": svg.chart("9(a,b): true duplicates", "equal timers", "share",
                                      of_shares)}


def sites(table: Table) -> dict[str, str]:
    series = {f"{lookup}, {share:.0f} % distinct": table.where(lookup=lookup,
                                                               distinct_percent=share)
              .points("slices", "sites") for share in table.values("distinct_percent")
              for lookup in ("parallel", "pipelined")}
    return {"sites_contacted": svg.chart("7(c): slices per lookup", "slices", "sites", series)}


def bursts(filters: Table, rates: Table) -> dict[str, str]:
    charts = {}
    for rule in ("density", "cardinality"):
        for window in filters.values("window"):
            rows = filters.where(rule=rule, window=window)
            series = {f"{burst:.0f}x, sized {sizing}": rows.where(burst=burst, sizing=sizing)
                      .points("slot", "filters") for burst in rows.values("burst")
                      for sizing in rows.values("sizing")}
            charts[f"bursts_{rule}_{window:.0f}"] = svg.chart(
                f"10: {rule}, w = {window:.0f}", "slot", "filters", series, steps=True)
    series = {f"{rule}, {burst:.0f}x": rates.where(rule=rule, burst=burst, sizing="own")
              .points("window", "false_positives") for rule in ("density", "cardinality")
              for burst in rates.values("burst")}
    return charts | {"burst_rates": svg.chart("11: false positives", "window", "FP rate", series)}


def trees(levels: Table, top_down: Table) -> dict[str, str]:
    name = levels.rows[0]["workload"]
    five = levels.where(workload=name, leaves="five levels")
    charts = {}
    for column, title, label in (("climbed", "12(a): levels climbed", "levels"),
                                 ("accesses", "12(b): accesses", "level")):
        series = {tree: five.where(tree=tree).points("level", column)
                  for tree in ("dense", "sparse")}
        charts[f"tree_{column}"] = svg.chart(title, label, "count", series)
    series = {tree: top_down.where(workload=name, tree=tree, refuted="stop")
              .points("threshold", "false_positives") for tree in ("dense", "sparse")}
    return charts | {"top_down": svg.chart("12(c): top-down", "threshold", "FP rate", series)}


def draw(tables: dict[str, Table]) -> dict[str, str]:
    """Name -> SVG."""
    return (false_positives(tables["false_positives"]) | load(tables["load"])
            | failures(tables["failures"], tables["slices_wanted"])
            | thresholds(tables["live_threshold"], tables["equal_threshold"],
                         tables["equal_shares"])
            | sites(tables["sites_contacted"])
            | bursts(tables["burst_filters"], tables["burst_rates"])
            | trees(tables["tree_levels"], tables["top_down"]))
