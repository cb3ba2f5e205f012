# SPDX-License-Identifier: Apache-2.0
"""A small SVG writer: lines over two axes, each linear or logarithmic."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 40, 50
COLOURS = ["#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b8860b", "#4a4a4a"]
DASHES = ["", "6 3", "2 3"]

Series = dict[str, list[tuple[float, float]]]


def log_log_chart(title: str, x_label: str, y_label: str, series: Series) -> str:
    """One line per series of (x, y), all values above zero."""
    return chart(title, x_label, y_label, series, x_log=True, y_log=True)


def chart(title: str, x_label: str, y_label: str, series: Series, *, x_log: bool = False,
          y_log: bool = False, steps: bool = False) -> str:
    """One line per series of (x, y); on a logarithmic axis, points that are not above zero are
    left out. With steps, a value holds until the next."""
    series = {name: visible(line, x_log, y_log) for name, line in series.items()}
    if steps:
        series = {name: stepped(line) for name, line in series.items()}
    points = [point for line in series.values() for point in line] or [(1.0, 1.0)]
    x_axis = axis(x_log, [x for x, _ in points], LEFT, WIDTH - RIGHT)
    y_axis = axis(y_log, [y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [*frame(title, x_label, y_label), *grid(x_axis, y_axis)]
    for index, (name, values) in enumerate(series.items()):
        parts += curve(index, name, values, x_axis, y_axis)
    return "\n".join([*parts, "</svg>", ""])


def visible(line, x_log: bool, y_log: bool) -> list[tuple[float, float]]:
    return [(x, y) for x, y in line if (x > 0 or not x_log) and (y > 0 or not y_log)]


def stepped(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    points = line[:1]
    for x, y in line[1:]:
        points += [(x, points[-1][1]), (x, y)]
    return points


def frame(title: str, x_label: str, y_label: str) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, TOP - 16, title, size=15),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label, anchor="middle"),
        text(LEFT - 8, TOP - 16, y_label, anchor="end"),
    ]


def grid(x_axis, y_axis) -> list[str]:
    parts = []
    for value in x_axis.ticks():
        x = x_axis.place(value)
        parts += [rule(x, TOP, x, HEIGHT - BOTTOM),
                  text(x, HEIGHT - BOTTOM + 16, short(value), anchor="middle")]
    for value in y_axis.ticks():
        y = y_axis.place(value)
        parts += [rule(LEFT, y, WIDTH - RIGHT, y), text(LEFT - 8, y + 4, short(value), "end")]
    return parts


def curve(index: int, name: str, values, x_axis, y_axis) -> list[str]:
    """A line and its entry in the legend; beyond the colours, lines are dashed."""
    colour = COLOURS[index % len(COLOURS)]
    dash = DASHES[index // len(COLOURS) % len(DASHES)]
    placed = " ".join(f"{x_axis.place(x):.1f},{y_axis.place(y):.1f}" for x, y in values)
    y = TOP + 8 + 18 * index
    stroke = f'stroke="{colour}" stroke-width="2"'
    if dash:
        stroke += f' stroke-dasharray="{dash}"'
    return [
        f'<polyline points="{placed}" fill="none" {stroke}/>',
        f'<path d="M{WIDTH - RIGHT + 6} {y - 3}h18" {stroke}/>',
        text(WIDTH - RIGHT + 28, y + 1, name),
    ]


def axis(is_log: bool, values: list[float], start: float, end: float):
    return (LogAxis if is_log else LinearAxis)(values, start, end)


class LogAxis:
    """A logarithmic axis over whole decades, from pixel `start` to pixel `end`."""

    def __init__(self, values: list[float], start: float, end: float):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(self.low + 1, math.ceil(math.log10(max(values))))
        self.start, self.end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


class LinearAxis:
    """A linear axis over whole steps of 1, 2 or 5 times a power of ten; zero is on it."""

    def __init__(self, values: list[float], start: float, end: float):
        low, high = min(0.0, *values), max(0.0, *values)
        wanted = (high - low or 1.0) / 6
        power = 10.0 ** math.floor(math.log10(wanted))
        self.step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= wanted)
        self.low = math.floor(low / self.step)
        self.high = max(self.low + 1, math.ceil(high / self.step - 1e-9))
        self.start, self.end = start, end

    def place(self, value: float) -> float:
        share = (value / self.step - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        return [index * self.step for index in range(self.low, self.high + 1)]


def short(value: float) -> str:
    """1000 as 1k, 2e6 as 2M."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:g}{letter}"
    return f"{value:.4g}"


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 12) -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
            f"{escape(words)}</text>")


def rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#ddd"/>'
