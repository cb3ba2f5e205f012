# SPDX-License-Identifier: Apache-2.0
"""The claims of paper 000's section 7 and figure 1 about slices, failures and trees, judged."""

from lab import FAILS, HOLDS, PARTLY, Claim, Table, percent, verdict


def deviations(rates: Table, kind: str) -> dict[int, float]:
    """Slices -> measured rate over the paper's formula, less one, mean of all targets. A number of
    slices that the smallest filter has no cells for is left out."""
    found: dict[int, list[float]] = {}
    for row in rates.where(kind=kind).rows:
        found.setdefault(int(row["slices"]), []).append(row["measured"] / row["theory"] - 1)
    target_count = len(rates.values("target"))
    return {slices: sum(values) / target_count for slices, values in found.items()
            if len(values) == target_count}


def false_positives(figure: str, rates: Table) -> list[Claim]:
    """Figures 5(a), 7(a) and 7(b), for one workload."""
    name = rates.rows[0]["workload"]
    vertical = list(deviations(rates, "vertical").values())
    spread = max(max(measured) / min(measured) - 1 if min(measured) else max(measured)
                 for measured in (rates.where(kind="vertical", target=target).column("measured")
                                  for target in rates.values("target")))
    horizontal = deviations(rates, "horizontal")
    shown = [slices for slices in (1, 100, max(horizontal)) if slices in horizontal]
    rising = [horizontal[slices] for slices in dict.fromkeys(shown)]
    grows = all(low < high for low, high in zip(rising, rising[1:]))
    told = ", ".join(f"{slices}: {100 * horizontal[slices]:+.1f} %"
                     for slices in dict.fromkeys(shown))
    return [
        Claim(figure, "vertical slices leave the rate as it is",
              f"{name}: the same for 1 to {max(horizontal)} slices, "
              f"{100 * vertical[0]:+.1f} % from theory" if spread == 0 else
              f"{name}: differs by {percent(spread)}", verdict(spread == 0)),
        Claim(figure, "horizontal deviates more, the more slices", f"{name}: {told}",
              verdict(grows and len(rising) > 1, rising[-1] > rising[0])),
    ]


def load(figure: str, loads: Table) -> list[Claim]:
    """Figures 5(b), 5(c) and 8, for one workload."""
    name = loads.rows[0]["workload"]
    slices = [count for count in loads.values("slices") if count > 1]

    def pair(column, count):
        return [loads.one(column, kind=kind, slices=count) for kind in ("horizontal", "vertical")]

    fairer = [pair("fairness", count)[1] > pair("fairness", count)[0] for count in slices]
    smaller = [pair("largest_share", count)[1] < pair("largest_share", count)[0]
               for count in slices]
    shown = 50
    fairness, share = pair("fairness", shown), pair("largest_share", shown)
    return [
        Claim(f"{figure} fairness", "vertical is fairer than horizontal",
              f"{name}, {shown} slices: {fairness[1]:.3f} to {fairness[0]:.3f}",
              verdict(all(fairer), any(fairer))),
        Claim(f"{figure} share", "vertical has the smaller largest share",
              f"{name}, {shown} slices: {percent(share[1])} to {percent(share[0])}",
              verdict(all(smaller), any(smaller))),
    ]


def sites_contacted(table: Table) -> list[Claim]:
    """Figure 7(c)."""
    slices = 50
    saved = {}
    for share in table.values("distinct_percent"):
        parallel, pipelined = (table.one("sites", distinct_percent=share, slices=slices, lookup=way)
                               for way in ("parallel", "pipelined"))
        saved[share] = 1 - pipelined / parallel
    told = ", ".join(f"{share:.0f} % distinct: {percent(value)} fewer"
                     for share, value in saved.items())
    below = all(row["sites"] <= 4 for row in table.rows)
    return [
        Claim("7(c)", "pipelining saves messages, more with fewer duplicates",
              f"{slices} slices, {told}",
              verdict(saved[80] > saved[50] > saved[20] > 0, min(saved.values()) > 0)),
        Claim("7(c)", "a lookup contacts at most k slices",
              f"at most {max(table.column('sites')):.2f} of k = 4", verdict(below)),
    ]


def failures(table: Table, wanted: Table) -> list[Claim]:
    """Figures 1(a) and 1(b)."""
    error = max(abs(row["measured"] / row["theory"] - 1) for row in table.rows)
    better = [table.one("measured", target=row["target"], kind="vertical",
                        failed_percent=row["failed_percent"]) < row["measured"]
              for row in table.where(kind="horizontal").rows if row["failed_percent"] > 0]
    at_20 = [table.one("measured", target=0.02, kind=kind, failed_percent=20)
             for kind in ("vertical", "horizontal")]
    claims = [
        Claim("1(a)", "vertical slices suffer less from failures",
              f"P = 0.02, 20 % failed: {percent(at_20[0])} to {percent(at_20[1])}; "
              f"formulas within {percent(error)}", verdict(all(better), any(better))),
    ]
    for target in wanted.values("target"):
        vertical, horizontal = (wanted.one("slices", target=target, largest=0.15, failed=4,
                                           kind=kind) for kind in ("vertical", "horizontal"))
        claims.append(
            Claim("1(b)", "P_max 0.15, f = 4: vertical < 20, horizontal > 30 slices",
                  f"P = {target}: {vertical:.0f} and {horizontal:.0f}",
                  verdict(vertical < 20 and horizontal > 30, vertical < horizontal)))
    over = max(row["measured"] / row["largest"] for row in wanted.rows)
    return claims + [
        Claim("1(b)", "with S_f slices false positives stay within P_max",
              f"measured at most {over:.3f} P_max", verdict(over <= 1.01, over < 1.2))]


def live_threshold(table: Table) -> list[Claim]:
    """Figure 5(d): which x has few false positives and few false negatives."""
    claims = []
    for reading, meaning in (("full", "all live cells set"), ("stream", "same, down all along"),
                             ("literal", "the words as they stand")):
        rows = table.where(reading=reading, target=0.02).rows
        sums = {int(row["threshold"]): row["false_positives"] + row["false_negatives"]
                for row in rows}
        best = min(sums, key=sums.get)
        near = [x for x in (3, 4) if sums[x] <= 1.1 * sums[best]]
        told = ", ".join(f"{x}: {percent(sums[x])}" for x in dict.fromkeys((best, 3, 4, 5)))
        claims.append(Claim("5(d)", "8 of 40 failed, k = 8: x = 3 or 4 is best",
                            f"{meaning}, FP + FN at {told}",
                            verdict(len(near) == 2, len(near) == 1)))
    return claims


def trees(levels: Table, top_down: Table) -> list[Claim]:
    """Table 1 and figures 12(a) to 12(c), for one workload."""
    name = levels.rows[0]["workload"]
    claims = [table_1(levels.where(leaves=leaves), f"{name}, a leaf per {what}")
              for leaves, what in (("clients", "client"), ("networks", "network"))]
    accesses = {tree: sum(levels.where(leaves="clients", tree=tree).column("accesses"))
                for tree in ("dense", "sparse")}
    claims.append(Claim("table 1", "dense trees access fewer filters",
                        f"{name}: {accesses['dense']:,.0f} to {accesses['sparse']:,.0f}",
                        verdict(accesses["dense"] < accesses["sparse"])))
    five = levels.where(leaves="five levels")
    return claims + [climbing(five, name), top_down_check(top_down, name)]


def table_1(levels: Table, name: str) -> Claim:
    leaf_share = {}
    for tree in ("dense", "sparse"):
        hits = levels.where(tree=tree).column("hits")
        leaf_share[tree] = hits[1] / sum(hits) if sum(hits) else 0.0
    holds = [leaf_share["dense"] > 0.5, leaf_share["sparse"] < 0.5]
    return Claim("table 1", "most duplicates at the leaves if dense, at the root if sparse",
                 f"{name}: {percent(leaf_share['dense'])} and "
                 f"{percent(leaf_share['sparse'])} at leaves", verdict(all(holds), any(holds)))


def climbing(five: Table, name: str) -> Claim:
    means = {}
    for tree in ("dense", "sparse"):
        climbed = five.where(tree=tree).points("level", "climbed")
        means[tree] = sum(up * count for up, count in climbed) / sum(n for _, n in climbed)
    return Claim("12(a,b)", "dense trees resolve most at lower levels",
                 f"{name}: {means['dense']:.2f} to {means['sparse']:.2f} levels climbed",
                 verdict(means["dense"] < means["sparse"]))


def top_down_check(top_down: Table, name: str) -> Claim:
    told, best, lower = [], True, False
    for tree in ("dense", "sparse"):
        rates = [top_down.one("false_positives", tree=tree, refuted="stop", threshold=level)
                 for level in range(5)]
        told.append(f"{tree} " + " ".join(f"{100 * rate:.2g}" for rate in rates[:4]))
        gain = rates[0] - rates[2]
        best &= gain > 0 and rates[2] - min(rates[3:]) <= 0.05 * rates[0]
        lower |= rates[1] - rates[2] <= 0.05 * rates[0]
    outcome = FAILS if not best else PARTLY if lower else HOLDS
    return Claim("12(c)", "a top-down threshold of 2 is best, more gains nothing",
                 f"{name}, FP % at 0 to 3: {', '.join(told)}", outcome)
