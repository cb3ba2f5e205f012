# SPDX-License-Identifier: Apache-2.0
"""The tables of lab_001 as SVG."""

import svg
from lab import Table, file_name


def full_tests(rows: Table, floor: dict) -> str:
    found = rows.where(hashing="pair", rule="rarest_bit")
    series = {f"k = {k}": found.where(probes=k).points("bits", "share") for k in (1, 2, 3, 4, 8)}
    series["exact sets"] = [(bits, floor["with_all_pairs"]) for bits in found.values("bits")]
    return svg.log_log_chart(f"Full tests: {floor['workload']}", "n, bits", "share", series)


def hashing(rows: Table, floor: dict) -> str:
    names = {"value": "value alone", "pair": "pair", "used": "pair, used attributes"}
    found = rows.where(rule="rarest_bit", probes=2)
    series = {name: found.where(hashing=way).points("bits", "share")
              for way, name in names.items()}
    series["exact sets"] = [(bits, floor["with_all_pairs"]) for bits in found.values("bits")]
    return svg.log_log_chart(f"What is hashed, k = 2: {floor['workload']}", "n, bits", "share",
                             series)


def entries(rows: Table, name: str) -> str:
    series = {f"{rule}, k = {k}": rows.where(hashing="pair", rule=rule, probes=k)
              .points("bits", "entries") for k in (1, 2, 4) for rule in ("every_bit", "rarest_bit")}
    return svg.log_log_chart(f"List entries visited, per subscription: {name}", "n, bits",
                             "entries", series)


def memory(rows: Table, name: str) -> str:
    series = {f"{rule}, k = {k}": rows.where(hashing="pair", rule=rule, probes=k)
              .points("bits", "bytes") for k in (1, 2, 4) for rule in ("every_bit", "rarest_bit")}
    return svg.log_log_chart(f"Memory per subscription: {name}", "n, bits", "bytes", series)


def times(timed: Table, name: str) -> str:
    scan = timed.one("publication_us", method="scan")
    series = {"scan, full tests": [(bits, scan) for bits in timed.values("bits") if bits]}
    for rule in ("every_bit", "rarest_bit"):
        rows = timed.where(method=rule)
        series[f"{rule} and full tests"] = rows.points("bits", "publication_us")
        series[f"{rule} alone"] = rows.points("bits", "prefilter_us")
    return svg.log_log_chart(f"Time per publication: {name}", "n, bits", "us", series)


def equality(table: Table) -> dict[str, str]:
    """Full tests saved, over the share of equalities and over the number of symbols."""
    charts = {}
    for name, column, rows, label in (
            ("equality", "equality_percent", table.where(symbols=200),
             "% of subscriptions with an equality"),
            ("selectivity", "symbols", table.where(equality_percent=100), "symbols")):
        series = {f"n = {bits:.0f}, k = 2": sorted(
            (row[column], 1 / row["share"]) for row in rows.where(bits=bits).rows if row["share"])
                  for bits in rows.values("bits")}
        series["an order of magnitude"] = [(x, 10.0) for x in sorted(rows.values(column))]
        charts[name] = svg.chart("Full tests saved: quotes", label, "times", series, y_log=True)
    return charts


def compressed(table: Table, keys: float) -> str:
    rows = table.where(keys=keys)
    series = {"plain, best k": rows.where(way="plain").points("bytes", "measured")}
    series |= {f"compressed, k = {k}": rows.where(way="compressed", probes=k)
               .points("bytes", "measured") for k in (1, 2, 3, 4)}
    return svg.chart(f"Compressed filters: {keys:.0f} keys", "bytes sent", "FP rate", series,
                     y_log=True)


def draw(tables: dict[str, Table]) -> dict[str, str]:
    """Name -> SVG."""
    charts = equality(tables["equality"])
    for floor in tables["floors"].rows:
        name = floor["workload"]
        rows = tables["prefilter"].where(workload=name)
        timed = tables["times"].where(workload=name)
        drawn = {"full_tests": full_tests(rows, floor), "hashing": hashing(rows, floor),
                 "entries": entries(rows, name), "memory": memory(rows, name),
                 "times": times(timed, name)}
        charts |= {f"{kind}_{file_name(name)}": chart for kind, chart in drawn.items()}
    for keys in tables["compressed"].values("keys"):
        charts[f"compressed_{keys:.0f}"] = compressed(tables["compressed"], keys)
    return charts
