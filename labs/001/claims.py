# SPDX-License-Identifier: Apache-2.0
"""The claims of paper 001's sections IV to VI, judged.

Where nothing else is said, filters have 512 bits and two hashes, and pairs are hashed.
"""

from lab import FAILS, HOLDS, PARTLY, Claim, Table, percent, verdict

REFERENCE = {"bits": 512, "probes": 2}
WANTED = 10.0  # an order of magnitude
NEARLY = 5.0


def times(factor: float) -> str:
    return f"{factor:,.0f}x" if factor >= 100 else f"{factor:.3g}x"


def ratio(more: float, less: float) -> float:
    """A run may be too small to measure anything."""
    return more / less if less else float("inf")


def saved(share: float) -> float:
    """How many times fewer full tests."""
    return ratio(1, share)


def share_of(rows: Table, **wanted) -> float:
    """The share of subscriptions that reach the full test."""
    return rows.one("share", **{"hashing": "pair", "rule": "rarest_bit", **REFERENCE, **wanted})


def full_tests(rows: Table, floor: dict) -> Claim:
    """For one workload."""
    share = share_of(rows)
    return Claim("V", "an order of magnitude fewer full tests",
                 f"{floor['workload']}: {times(saved(share))} fewer ({percent(share)} reach it; "
                 f"with exact sets {percent(floor['with_all_pairs'])}; "
                 f"{percent(floor['matched'])} match; "
                 f"{percent(floor['with_equality'])} have an equality)",
                 verdict(saved(share) >= WANTED, saved(share) >= NEARLY))


def all_shapes(rows: Table, name: str) -> Claim:
    """So that the verdict does not hang on the n and k that we chose to tell."""
    found = rows.where(hashing="pair", rule="rarest_bit").rows
    enough = [row for row in found if saved(row["share"]) >= WANTED]
    smallest = saved(min(row["share"] for row in found if row["bits"] == 64))
    return Claim("V", "the same, whatever n and k",
                 f"{name}: at {len(enough)} of {len(found)} settings; n = 64 at its best k "
                 f"{times(smallest)}", verdict(len(enough) == len(found), bool(enough)))


def equality(table: Table) -> list[Claim]:
    """Over the share of subscriptions with an equality, and over the number of symbols."""
    claims = []
    shares = table.where(bits=512, symbols=200)
    symbols = table.where(bits=512, equality_percent=100)
    for rows, column, unit, paper, shown in (
            (shares, "equality_percent", " % with an equality", "share of equalities",
             (100, 95, 90, 80, 50, 0)),
            (symbols, "symbols", " symbols", "selectivity", (200, 50, 20, 10, 5, 2))):
        factors = {int(row[column]): saved(row["share"]) for row in rows.rows}
        enough = [value for value, factor in factors.items() if factor >= WANTED]
        told = ", ".join(f"{value}: {times(factors[value])}" for value in shown)
        claims.append(Claim("V", f"the same, whatever the {paper}",
                            f"quotes, {told}; enough from {min(enough, default='none')}{unit}",
                            verdict(len(enough) == len(factors), bool(enough))))
    return claims


def no_miss(floors: Table) -> Claim:
    missed = sum(floors.column("missed"))
    matched = sum(row["matched"] * row["subscriptions"] * row["publications"]
                  for row in floors.rows)
    return Claim("IV", "a negative test guarantees that there is no match",
                 f"{missed:.0f} of {matched:,.0f} matches missed", verdict(missed == 0))


def lists(rows: Table, name: str) -> Claim:
    counts = {bits: rows.one("lists", hashing="pair", rule="every_bit", bits=bits, probes=2)
              for bits in (64, 512, 4096)}
    told = ", ".join(f"{count:.0f} of {bits} bits" for bits, count in counts.items())
    shares = [count / bits for bits, count in counts.items()]
    return Claim("IV", "lists to traverse are far fewer than bits", f"{name}: {told}",
                 verdict(max(shares) <= 0.1, min(shares) <= 0.1))


def tuning(rows: Table, floor: dict) -> Claim:
    """Candidates beyond those with all pairs, at the best k."""
    told, excesses = [], []
    for bits in (64, 256, 1024, 4096):
        shares = {k: share_of(rows, bits=bits, probes=k) for k in range(1, 9)}
        best = min(shares, key=shares.get)
        excesses.append(shares[best] - floor["with_all_pairs"])
        told.append(f"{bits}: {percent(max(0.0, excesses[-1]))} (k = {best})")
    falling = all(low <= high for high, low in zip(excesses, excesses[1:]))
    return Claim("IV", "size and hashes tune the accuracy",
                 f"{floor['workload']}, false candidates at n = {', '.join(told)}",
                 verdict(falling, excesses[-1] < excesses[0]))


def one_list(rows: Table, name: str, timed: Table) -> Claim:
    """Our rule against the paper's."""
    same = all(rows.one("share", hashing=row["hashing"], rule="rarest_bit", bits=row["bits"],
                        probes=row["probes"]) == row["share"]
               for row in rows.where(rule="every_bit").rows)
    rules = ("every_bit", "rarest_bit")
    entries, memory = (ratio(*(rows.one(column, hashing="pair", rule=rule, **REFERENCE)
                               for rule in rules)) for column in ("entries", "bytes"))
    time = ratio(*(timed.one("prefilter_us", method=rule, bits=512) for rule in rules))
    return Claim("IV", "(ours) one list, of the rarest bit, instead of one per bit",
                 f"{name}: {'the same' if same else 'OTHER'} candidates, {times(entries)} fewer "
                 f"entries, {times(time)} less time, {times(memory)} less memory",
                 verdict(same and entries > 1))


def counting(rows: Table, name: str) -> Claim:
    blind, rarest = (rows.one("entries", hashing="pair", rule=rule, **REFERENCE)
                     for rule in ("blind", "rarest_bit"))
    return Claim("IV", "(ours) rare by the publications seen, not any one bit",
                 f"{name}: {times(ratio(blind, rarest))} fewer entries",
                 verdict(blind > 1.05 * rarest, blind >= rarest))


def hashing(rows: Table, name: str) -> list[Claim]:
    value, pair, used = (share_of(rows, hashing=way) for way in ("value", "pair", "used"))
    entries = [rows.one("entries", hashing=way, rule="rarest_bit", **REFERENCE)
               for way in ("pair", "used")]
    outcome = HOLDS if value <= 1.1 * pair else PARTLY if saved(value) >= WANTED else FAILS
    return [
        Claim("IV", "hashing the value alone is enough",
              f"{name}: {times(saved(value))} fewer full tests, with the pair {times(saved(pair))}",
              outcome),
        Claim("IV", "(ours) leave out of B(p) what nobody compares by =",
              f"{name}: {times(saved(pair))} to {times(saved(used))} fewer full tests, "
              f"{times(ratio(*entries))} fewer entries",
              verdict(used <= pair and entries[1] < entries[0], entries[1] <= entries[0])),
    ]


def speed(timed: Table, name: str) -> Claim:
    scan = timed.one("publication_us", method="scan")
    best = min((row for row in timed.rows if row["method"] == "rarest_bit"),
               key=lambda row: row["publication_us"])
    every = min(timed.where(method="every_bit").column("publication_us"))
    count, rarest = timed.rows[0]["subscriptions"], best["publication_us"]
    return Claim("IV", "bit-wise tests discard quickly",
                 f"{name}, {count:,.0f} subscriptions, plain values: scan {scan:.3g} us, every bit "
                 f"{every:.3g} us, rarest bit {rarest:.3g} us (n = {best['bits']:.0f})",
                 verdict(max(every, rarest) < scan))


def compressed(table: Table) -> list[Claim]:
    claims = []
    for keys in table.values("keys"):
        told, factors = [], []
        for cells in table.where(keys=keys).values("plain_cells"):
            rows = table.where(keys=keys, plain_cells=cells)
            plain = rows.where(way="plain").rows[0]
            best = min(rows.where(way="compressed").rows, key=lambda row: row["theory"],
                       default=plain)
            factors.append(ratio(best["measured"], plain["measured"]))
            told.append(f"{plain['bytes']:.0f} bytes {factors[-1]:.2f}")
        claims.append(
            Claim("VI", "compressed: fewer false positives in the same bytes",
                  f"{keys:,.0f} keys, FP to those of the plain filter: {', '.join(told)}",
                  verdict(max(factors) < 0.95, min(factors) < 0.95)))
    return claims
