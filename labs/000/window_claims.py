# SPDX-License-Identifier: Apache-2.0
"""The claims of paper 000's section 7 about sliding windows and bursts, judged."""

import math

from lab import Claim, Table, percent, verdict


def equal_timers(shares: Table, thresholds: Table) -> list[Claim]:
    """Figures 9(a) to 9(d)."""
    claims = []
    for figure, kind in (("9(a)", "horizontal"), ("9(b)", "vertical")):
        rows = shares.where(kind=kind).column("true_share")
        told = " ".join(f"{100 * share:.3g}" for share in rows[:4])
        rising = all(low <= high + 0.001 for low, high in zip(rows, rows[1:]))
        claims.append(Claim(figure, "the more equal timers, the more true duplicates",
                            f"{kind}, % true at 1 to 4 equal: {told}", verdict(rising)))
    for kind, wanted in (("horizontal", 2), ("vertical", 1)):
        rows = thresholds.where(kind=kind).rows
        sums = [row["false_positives"] + row["false_negatives"] for row in rows]
        best = sums.index(min(sums))
        told = "; ".join(f"{up_to}: {percent(rows[up_to]['false_positives'])} + "
                         f"{percent(rows[up_to]['false_negatives'])}"
                         for up_to in dict.fromkeys((0, 1, 2, best)))
        words = "at most 2 equal" if wanted == 2 else "all unequal"
        claims.append(Claim("9(c,d)", f"{kind}: {words} = distinct is a good balance",
                            f"FP + FN up to {told}; least at {best}",
                            verdict(best == wanted, sums[wanted] < sums[0])))
    return claims


class Course:
    """How many filters there are over time: a step function of the slot."""

    def __init__(self, steps: list[tuple[float, float]]):
        self.steps = steps
        self.end = steps[-1][0]

    def mean(self, start: float, end: float) -> float:
        """Over the shares start to end of the time."""
        low, high, total = start * self.end, end * self.end, 0.0
        for (slot, count), (until, _) in zip(self.steps, self.steps[1:]):
            total += count * max(0.0, min(until, high) - max(slot, low))
        return total / (high - low)

    def most(self, start: float, end: float) -> float:
        low, high = start * self.end, end * self.end
        return max(count for (slot, count), (until, _) in zip(self.steps, self.steps[1:])
                   if slot < high and until > low)

    def change_count(self) -> int:
        return sum(a != b for (_, a), (_, b) in zip(self.steps, self.steps[1:]))

    def extra(self) -> float:
        """Mean number of filters in the second half of the burst, less that before."""
        return self.mean(1 / 2, 2 / 3) - self.mean(1 / 6, 1 / 3)

    def slots_after(self) -> float:
        """How long after the burst until there are first as few filters as before it."""
        burst_end, usual = self.end * 2 / 3, self.most(1 / 6, 1 / 3)
        back = [max(slot, burst_end) for (slot, count), (until, _)
                in zip(self.steps, self.steps[1:]) if until > burst_end and count <= usual]
        return min(back, default=self.end) - burst_end

    def spread(self, start: float, end: float) -> float:
        """Standard deviation of the number of filters."""
        squares = Course([(slot, count * count) for slot, count in self.steps])
        variance = squares.mean(start, end) - self.mean(start, end) ** 2
        return math.sqrt(max(0.0, variance))

    def unrest(self) -> float:
        """The spread while the rate is steady: before the burst, and in its second half."""
        return (self.spread(1 / 6, 1 / 3) + self.spread(1 / 2, 2 / 3)) / 2


def courses(filters: Table, sizing: str) -> dict[tuple, Course]:
    found: dict[tuple, Course] = {}
    steps: dict[tuple, list] = {}
    for row in filters.where(sizing=sizing).rows:
        key = (row["rule"], int(row["window"]), int(row["burst"]))
        steps.setdefault(key, []).append((row["slot"], row["filters"]))
    for key, values in steps.items():
        found[key] = Course(values)
    return found


def bursts(filters: Table, rates: Table) -> list[Claim]:
    """Figures 10(a) to 10(f) and 11."""
    claims = []
    for sizing, words in (("own", "filter sized for its window"),
                          ("common", "filter sized for w = 100")):
        found = courses(filters, sizing)
        claims += [more_then_fewer(found, words), fluctuation(found, words),
                   *larger_windows(found, words)]
    own = rates.where(sizing="own")
    told = "; ".join(
        f"{burst:.0f}x: " + " ".join(
            f"{100 * own.one('false_positives', rule=rule, window=500.0, burst=burst):.3g}"
            for rule in ("density", "cardinality")) for burst in (2.0, 5.0))
    missed = sum(rates.column("missed"))
    # The paper's figure 11 has no number in its text: only that windows never miss is judged.
    return claims + [
        Claim("11", "false positive rate under bursts (curves, no figure in the text)",
              f"w = 500, % by density and cardinality: {told}; {missed:.0f} missed", "not tested")]


def more_then_fewer(found: dict[tuple, Course], words: str) -> Claim:
    rises = [course.most(1 / 3, 2 / 3) > course.most(1 / 6, 1 / 3) for course in found.values()]
    falls = [course.mean(0.95, 1) < course.most(1 / 3, 2 / 3) for course in found.values()]
    shown = found["density", 500, 5]
    return Claim("10", "more filters during a burst, fewer after it",
                 f"{words}: rise in {sum(rises)}, fall in {sum(falls)} of {len(found)}; density, "
                 f"w = 500, 5x: {shown.mean(1 / 6, 1 / 3):.2g}, {shown.most(1 / 3, 2 / 3):.0f}, "
                 f"{shown.mean(0.95, 1):.2g}", verdict(all(rises + falls), any(rises)))


def fluctuation(found: dict[tuple, Course], words: str) -> Claim:
    pairs = [(course, found["cardinality", *key[1:]])
             for key, course in found.items() if key[0] == "density"]
    # By both measures: how far it strays, and how often it changes.
    wider = [cardinality.unrest() > density.unrest() for density, cardinality in pairs]
    oftener = [cardinality.change_count() > density.change_count()
               for density, cardinality in pairs]
    spreads = [sum(pair[i].unrest() for pair in pairs) / len(pairs) for i in (1, 0)]
    changes = [sum(pair[i].change_count() for pair in pairs) for i in (1, 0)]
    return Claim("10", "cardinality fluctuates more than density",
                 f"{words}: spread {spreads[0]:.2f} to {spreads[1]:.2f}, more in {sum(wider)} of "
                 f"{len(pairs)}; changes {changes[0]} to {changes[1]}, more in {sum(oftener)}",
                 verdict(all(wider + oftener), any(wider + oftener)))


def larger_windows(found: dict[tuple, Course], words: str) -> list[Claim]:
    extra, after = [], []
    for rule in ("density", "cardinality"):
        for burst in (2, 5):
            row = [found[rule, window, burst] for window in (100, 500, 1000)]
            extra.append([course.extra() for course in row])
            after.append([course.slots_after() for course in row])

    def rising(rows):
        return [all(low < high for low, high in zip(row, row[1:])) for row in rows]

    def told(row, form):
        return " ".join(format(value, form) for value in row)

    return [
        Claim("10", "larger windows have more extra filters",
              f"{words}: density, 5x: {told(extra[1], '.2f')}; rising in "
              f"{sum(rising(extra))} of 4", verdict(all(rising(extra)), any(rising(extra)))),
        Claim("10", "and have them for longer",
              f"{words}: density, 5x: {told(after[1], '.0f')} slots after; rising in "
              f"{sum(rising(after))} of 4", verdict(all(rising(after)), any(rising(after)))),
    ]
