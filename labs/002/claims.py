# SPDX-License-Identifier: Apache-2.0
"""The claims of paper 002's section 4.3.1, judged."""

from lab import Claim, Table, verdict

APPROXIMATION = 1.5
FREE_APPROXIMATION = 2.0
NEAR = 0.1        # what "about" 1.5 may be off
MOST = 0.75       # what "most" thresholds are
STRAYS_MAX = 4.0  # standard errors
EXACT = 1e-9


def most(count: int, of: int) -> str:
    return verdict(count >= MOST * of, count > 0)


def at_most(ratios: Table) -> Claim:
    """Figure 4.2, for one workload: "for most conformance threshold values"."""
    rows = ratios.rows
    within = [row for row in rows if row["ratio"] <= APPROXIMATION]
    worst = max(rows, key=lambda row: row["ratio"])
    return Claim("4.2", "at most 3/2 at most thresholds",
                 f"{rows[0]['workload']}: at {len(within)} of {len(rows)}; largest mean "
                 f"{worst['ratio']:.2f} at {worst['threshold']:.0f}",
                 most(len(within), len(rows)))


def about(ratios: Table) -> Claim:
    """Section 4.4.2: "an average of 1.5-approximation"."""
    values = ratios.column("ratio")
    mean = sum(values) / len(values)
    near = [value for value in values if abs(value - APPROXIMATION) <= NEAR]
    return Claim("4.2", "about 1.5 on average",
                 f"{ratios.rows[0]['workload']}: {mean:.2f} over all thresholds "
                 f"({min(values):.2f} to {max(values):.2f}; within {NEAR} of 1.5 at {len(near)})",
                 verdict(abs(mean - APPROXIMATION) <= NEAR, bool(near)))


def free_values(ratios: Table) -> Claim:
    """What an optimum would save that may deliver any value, not only the stream's."""
    values = ratios.column("free_ratio")
    within = [value for value in values if value <= FREE_APPROXIMATION]
    return Claim("4.2", "(ours) at most 2 if the optimum may choose any value",
                 f"{ratios.rows[0]['workload']}: at {len(within)} of {len(values)}; mean "
                 f"{sum(values) / len(values):.2f}, largest {max(values):.2f}",
                 most(len(within), len(values)))


def walk_limit(ratios: Table) -> Claim:
    """Where 3/2 comes from: the mean of long streams with steps of -1 and 1, by threshold."""
    def strays(row: dict) -> float:
        return abs(row["ratio"] - (1.5 - 0.5 / (row["threshold"] + 1))) / (row["error"] or EXACT)

    worst = max(ratios.rows, key=strays)
    fitting = [row for row in ratios.rows if strays(row) <= STRAYS_MAX]
    return Claim("4.2", "(ours) a fair walk has 3/2 - 1/(2c + 2)",
                 f"{worst['workload']}: at {len(fitting)} of {len(ratios.rows)}; strays by up to "
                 f"{strays(worst):.2g} standard errors, at {worst['threshold']:.0f}",
                 verdict(len(fitting) == len(ratios.rows), bool(fitting)))


def bound(opening: str, stream: str, n: float) -> float:
    """The ratio that the proof gives; without the first item, the optimum has one delivery less."""
    saved = 0 if opening == "4 8 9" else 1
    return n / (2 - saved) if stream == "X_2" else (n - 1) / (3 - saved)


def adversary(rows: Table) -> Claim:
    """Theorem 1, for one algorithm against the paper's adversary."""
    is_exact = all(row["conforms"] and row["ratio"] >= bound("4 8 9", row["stream"], row["length"])
                   - EXACT for row in rows.rows)
    last = rows.rows[-1]
    formula = "n/2" if last["stream"] == "X_2" else "(n-1)/3"
    return Claim("Th. 1", "a ratio of n/2 or (n-1)/3",
                 f"{last['algorithm']}: {last['stream']}, n = {last['length']:,.0f}: "
                 f"{last['online']:,.0f} to {last['offline']:.0f} deliveries, {formula}",
                 verdict(is_exact))


def least(table: Table) -> list[Claim]:
    """Theorem 1, for all algorithms."""
    found = []
    for opening, words, formula in (
            ("4 8 9", "no algorithm does better", "(n-1)/3"),
            ("8 9", "(ours) without the first item, none does better than (n-1)/2", "(n-1)/2")):
        rows = table.where(opening=opening).rows
        is_exact = all(abs(row["ratio"] - bound(opening, "X_1", row["length"])) <= EXACT
                       for row in rows)
        found.append(Claim("Th. 1", words,
                           f"the best of all 2^n lists of decisions, n = {rows[0]['length']:.0f} "
                           f"to {rows[-1]['length']:.0f}: {formula if is_exact else 'OTHER'}",
                           verdict(is_exact)))
    return found


def worst(table: Table) -> Claim:
    """Corollary 1 to the last delivery, not only up to a constant."""
    rows = table.rows
    is_exact = all(abs(row["ratio"] - (row["length"] - 1) / 2) <= EXACT for row in rows)
    return Claim("Cor. 1", "OnlineGreedy is optimal among online algorithms",
                 f"its worst of all streams of 4 values, n = {rows[0]['length']:.0f} to "
                 f"{rows[-1]['length']:.0f}: {'(n-1)/2' if is_exact else 'OTHER'}",
                 verdict(is_exact))


def rivals(rows: Table) -> Claim:
    """Corollary 1 away from the worst case, for one workload."""
    wins, told = 0, ""
    thresholds = rows.values("threshold")
    gain_most = 0.0
    for threshold in thresholds:
        counts = {row["algorithm"]: row["online"] for row in rows.where(threshold=threshold).rows}
        best = min(counts, key=lambda name: (counts[name], name != "OnlineGreedy"))
        wins += best == "OnlineGreedy"
        gain = counts["OnlineGreedy"] / counts[best]
        if best != "OnlineGreedy" and gain > gain_most:
            gain_most = gain
            told = f"; {best} delivers {gain:.2g}x less at {threshold:.0f}"
    return Claim("Cor. 1", "(ours) it delivers the least on usual streams too",
                 f"{rows.rows[0]['workload']}: at {wins} of {len(thresholds)} thresholds{told}",
                 verdict(wins == len(thresholds), wins > 0))
