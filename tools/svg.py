# SPDX-License-Identifier: Apache-2.0
"""A small SVG writer: lines over two logarithmic axes."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 40, 50
COLOURS = ["#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b8860b", "#4a4a4a"]

Series = dict[str, list[tuple[float, float]]]


def log_log_chart(title: str, x_label: str, y_label: str, series: Series) -> str:
    """One line per series of (x, y), all values above zero."""
    points = [point for line in series.values() for point in line]
    x_axis = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, TOP - 16, title, size=15),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label, anchor="middle"),
        text(LEFT - 8, TOP - 16, y_label, anchor="end"),
    ]
    for value in x_axis.ticks():
        x = x_axis.place(value)
        parts += [line(x, TOP, x, HEIGHT - BOTTOM),
                  text(x, HEIGHT - BOTTOM + 16, short(value), anchor="middle")]
    for value in y_axis.ticks():
        y = y_axis.place(value)
        parts += [line(LEFT, y, WIDTH - RIGHT, y), text(LEFT - 8, y + 4, short(value), "end")]
    for index, (name, values) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        placed = " ".join(f"{x_axis.place(x):.1f},{y_axis.place(y):.1f}" for x, y in values)
        y = TOP + 8 + 18 * index
        parts += [
            f'<polyline points="{placed}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<rect x="{WIDTH - RIGHT + 12}" y="{y - 8}" width="10" height="10" fill="{colour}"/>',
            text(WIDTH - RIGHT + 28, y + 1, name),
        ]
    return "\n".join([*parts, "</svg>", ""])


class Axis:
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


def short(value: float) -> str:
    """1000 as 1k, 2e6 as 2M."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:g}{letter}"
    return f"{value:g}"


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 12) -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
            f"{escape(words)}</text>")


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#ddd"/>'
