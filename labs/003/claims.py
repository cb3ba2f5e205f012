# SPDX-License-Identifier: Apache-2.0
"""The claims of paper 003's section V that need no network, judged."""

from lab import FAILS, HOLDS, Claim, Table, percent, verdict

FEW = 3.0              # terms on average that are "very few"
UP_TO_3, UP_TO_5 = 0.85, 0.95  # what the paper's 89 % and 98 % may fall to elsewhere
PEAK_MAX = 3           # the length that most queries have
MANY, HARDLY = 0.1, 0.01  # shares of the documents that a frequent and a rare term is in
FIRST_PART = 0.2       # scores are skewed if the first fifth of the terms has half of the sum,
SKEWED, HALF_SKEWED = 0.5, 0.4  # and partly if it has twice its share
DISMISSED_MAX = 0.0812
ANY = 0

# Table II of the paper.
WT10G = {"documents": 1_692_096, "terms": 64.808, "vocabulary": 16_382, "frequency": 130.31}
AP = {"documents": 1_050, "terms": 6_054.9, "vocabulary": 48_788, "frequency": 619.48}

Row = dict


def mean_length(row: Row) -> Claim:
    return Claim("I", "2.085 and 2.843 terms per query on average",
                 f"{row['log']}: {row['mean']:.3f} ({row['words_mean']:.3f} words), "
                 f"{row['least']:.0f} to {row['most']:.0f}; {row['without_terms']:,.0f} of "
                 f"{row['queries']:,.0f} have none", verdict(row["mean"] <= FEW))


def few_terms(row: Row) -> Claim:
    """Section V.A, which says "less than": see less_than_three."""
    return Claim("I", "89 % have at most 3 terms, 98 % at most 5",
                 f"{row['log']}: {percent(row['up_to_3'])}, {percent(row['up_to_5'])} (of words "
                 f"{percent(row['words_up_to_3'])}, {percent(row['words_up_to_5'])})",
                 verdict(row["up_to_3"] >= UP_TO_3 and row["up_to_5"] >= UP_TO_5,
                         row["up_to_3"] >= UP_TO_3 or row["up_to_5"] >= UP_TO_5))


def falling_lengths(lengths: Table) -> Claim:
    shares = lengths.column("share")
    peak = shares.index(max(shares))
    tail = shares[peak:]
    falls = all(after <= before for before, after in zip(tail, tail[1:]))
    return Claim("5", "most queries have very few terms",
                 f"{lengths.rows[0]['log']}: most have {peak + 1} ({percent(shares[peak])}); the "
                 f"share {'falls' if falls else 'does NOT always fall'} from there on",
                 verdict(peak < PEAK_MAX and falls, peak < PEAK_MAX))


def less_than_three() -> Claim:
    """The largest mean that the commercial log could have, if its shares were of less than 3 and
    less than 5 terms: all queries as long as they may be, the longest 29."""
    below_3, below_5, longest, mean = 0.8877, 0.9842, 29, 2.843
    largest = 2 * below_3 + 4 * (below_5 - below_3) + longest * (1 - below_5)
    return Claim("I", "88.77 % have less than 3 terms, 98.42 % less than 5",
                 f"(the paper's own figures) then at most {largest:.2f} on average, not {mean}: "
                 "at most 3 and 5 must be meant", verdict(largest >= mean))


def printed_frequencies() -> Claim:
    """Each term of each document is counted once on both sides."""
    means = [table["documents"] * table["terms"] / table["vocabulary"] for table in (WT10G, AP)]
    fits = abs(means[1] - AP["frequency"]) < 0.01
    swapped = abs(means[1] - WT10G["frequency"]) < 0.01
    return Claim("II", "a term is in 130.31 (WT10g) and 619.48 (AP) documents on average",
                 f"(the paper's own figures) documents x terms / vocabulary is {means[0]:,.2f} and "
                 f"{means[1]:,.2f}" + (": AP's stands in the other column" if swapped else ""),
                 HOLDS if fits else FAILS)


def unequal_terms(row: Row) -> Claim:
    """Section V.C: "some terms frequently appear in the documents and some terms rarely"."""
    most = row["frequency_most"] / row["documents"]
    median = row["frequency_median"] / row["documents"]
    return Claim("II", "some terms are in many documents, others in hardly any",
                 f"{row['corpus']}: {row['documents']:,.0f} documents of {row['terms_mean']:,.1f} "
                 f"terms, {row['vocabulary']:,.0f} in all, each in {row['frequency_mean']:.1f} on "
                 f"average; one is in {percent(most)} of all, half in at most {percent(median)}",
                 verdict(most >= MANY and median <= HARDLY, most >= MANY or median <= HARDLY))


def skewed_scores(skew: Table) -> Claim:
    share = skew.one("score_share", part=FIRST_PART)
    return Claim("6", "the scores of a document's terms are skewed",
                 f"{skew.rows[0]['corpus']}: the first tenth has "
                 f"{percent(skew.one('score_share', part=0.1))} of the sum, the first fifth "
                 f"{percent(share)}", verdict(share >= SKEWED, share >= HALF_SKEWED))


def pairs(documents: Table) -> list[tuple[Row, Row]]:
    """Corpora come in pairs, first the one with short documents, as WT10g and AP."""
    return list(zip(documents.rows[::2], documents.rows[1::2]))


def both(short: Row, long: Row) -> str:
    return f"{short['corpus']}, {long['corpus']}"


def larger_scores(short: Row, long: Row) -> Claim:
    return Claim("6", "shorter documents have larger scores",
                 f"{both(short, long)}: {short['score']:.3g} and {long['score']:.3g} on average",
                 verdict(short["score"] > long["score"]))


def larger_weights(short: Row, long: Row) -> Claim:
    weights, idfs = short["weight"] / long["weight"], short["idf"] / long["idf"]
    return Claim("6", "that is the effect of freq / maxfreq",
                 f"{both(short, long)}: {weights:.3g}x of freq / maxfreq, {idfs:.3g}x of ln(N / n)",
                 verdict(weights > 1 and weights > idfs, weights > 1))


def saving(savings: Table, threshold: float, length: int, rule: str = "paper") -> float:
    return savings.one("saving", threshold=threshold, length=length, rule=rule)


def short_filters(savings: Table) -> Claim:
    """Section V.B gives the factors for search.com and AP."""
    found = [(saving(savings, threshold, length), saving(savings, threshold, ANY))
             for threshold, length in ((2.0, 10), (0.1, 1))]
    told = [f"{of_short:.3g} for {of_any:.3g}"
            + (f" ({of_short / of_any:.3g}x)" if of_any > 0 else "") for of_short, of_any in found]
    more = [of_short > of_any for of_short, of_any in found]
    return Claim("7", "filters of 10 terms save 4.26x at T = 2, of 1 term 7.96x at T = 0.1",
                 f"{savings.rows[0]['corpus']}: {', '.join(told)} of any length",
                 verdict(all(more), any(more)))


def growing_savings(savings: Table) -> Claim:
    thresholds = savings.values("threshold")
    lines = {length: [saving(savings, threshold, length) for threshold in thresholds]
             for length in savings.values("length")}
    growing = [line for line in lines.values()
               if all(after >= before for before, after in zip(line, line[1:]))]
    line = lines[ANY]
    return Claim("7", "a higher threshold saves more",
                 f"{savings.rows[0]['corpus']}: for {len(growing)} of {len(lines)} lengths; any "
                 f"length {line[0]:.4f} at T = {thresholds[0]:g} to {line[-1]:.4f} at "
                 f"{thresholds[-1]:g}, 1 term {lines[1][0]:.4f} to {lines[1][-1]:.4f}",
                 verdict(len(growing) == len(lines), bool(growing)))


def saves_more(short: Row, long: Row, savings: Table) -> Claim:
    found = {threshold: [saving(savings.where(corpus=row["corpus"]), threshold, ANY)
                         for row in (short, long)] for threshold in savings.values("threshold")}
    more = [threshold for threshold, (of_short, of_long) in found.items() if of_short >= of_long]
    return Claim("7", "for any length, shorter documents save more",
                 f"{both(short, long)}: at {len(more)} of {len(found)} thresholds; "
                 f"{found[1.0][0]:.4f} and {found[1.0][1]:.4f} at T = 1",
                 verdict(len(more) == len(found), bool(more)))


def window_of_length(savings: Table) -> Claim:
    """Threshold terms with windows of L, as the paper's text has it, and L + 1, as Algorithm 2."""
    ours, papers = (savings.where(rule=rule) for rule in ("ours", "paper"))
    fewer = [row for row, other in zip(ours.rows, papers.rows) if row["terms"] < other["terms"]]
    more = [row for row, other in zip(ours.rows, papers.rows) if row["terms"] > other["terms"]]
    told = [f"{ours.one('terms', threshold=1.0, length=length):.3g} for "
            f"{papers.one('terms', threshold=1.0, length=length):.3g} (L = {length})"
            for length in (1, 2, 3, 5, 10)]
    return Claim("7", "(ours) windows of L terms need fewer than Algorithm 2's of L + 1",
                 f"{savings.rows[0]['corpus']}, T = 1: " + ", ".join(told),
                 verdict(bool(fewer) and not more, bool(fewer)))


def rate(row: Row) -> float:
    return row["dismissed"] / row["matches"] if row["matches"] else 0.0


def name_of(dismissals: Table) -> str:
    return f"{dismissals.rows[0]['log']} in {dismissals.rows[0]['corpus']}"


def few_dismissals(dismissals: Table) -> Claim:
    rows = [row for row in dismissals.where(rule="paper").rows if row["length"] in (5, 10)]
    worst = max(rows, key=rate)
    low = [row for row in rows if rate(row) < DISMISSED_MAX]
    return Claim("8", "with 5 or 10 terms, less than 0.0812 are dismissed",
                 f"{name_of(dismissals)}: at most {rate(worst):.2g}, of {worst['matches']:,.0f} "
                 f"matches at T = {worst['threshold']:g} with {worst['length']:.0f}",
                 verdict(len(low) == len(rows), bool(low)))


def more_dismissals(dismissals: Table) -> Claim:
    worst = {length: max(map(rate, dismissals.where(rule="paper", length=length).rows))
             for length in (1, 2, 3, 5)}
    return Claim("8", "with 3, 2 or 1 more are",
                 f"{name_of(dismissals)}: at most " +
                 ", ".join(f"{worst[length]:.2g} with {length}" for length in (3, 2, 1)),
                 verdict(worst[5] < worst[3] < worst[2] < worst[1], worst[5] < worst[1]))


def none_dismissed(dismissals: Table) -> Claim:
    matches = sum(dismissals.column("expected_matches"))
    dismissed = sum(dismissals.column("expected_dismissed"))
    return Claim("8", "(ours) none of a filter of at most L terms is, with windows of L or L + 1",
                 f"{name_of(dismissals)}: {dismissed:,.0f} of {matches:,.0f}",
                 verdict(dismissed == 0))
