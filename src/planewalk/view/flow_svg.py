"""The ways a program takes as a picture: SVG, its letters in strokes, so that it needs no font."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from .flow import Flow, FlowEdge, Stretch
from .layered import LayeredLayout, Point, layered
from .letters import Place, way, words

PAPER, INK, FAINT = "#fbfaf6", "#22262b", "#6b7280"
COLD, WARM, HOT = (120, 146, 176), (226, 150, 40), (205, 38, 30)
ENTRY, END = "#2f7d4f", "#5b4b8a"
MARGIN = 28.0
HEADING = 92.0
RADIUS = 9.0
"""Of the corners of ways that lead back."""
HEADLINE, SYMBOL, WORD = (10, 18), (8, 14), (7, 12)
"""The boxes of letters."""
SYMBOLS = 34
"""Symbols shown of a stretch; the middle of longer ones is left out."""

ENDINGS = {
    "halted": "ended",
    "fault": "fault",
    "waiting": "asks for input",
    "stalled": "stalled",
    "limit": "still running",
}


class Box(NamedTuple):
    """What is drawn as a box: two lines of text, or one for the ends."""

    title: str
    words: str
    kind: str
    heat: float
    changed: bool = False

    @property
    def size(self) -> Point:
        if self.kind != "stretch":
            return 22.0 + WORD[0] * len(self.words), 24.0
        return 24.0 + max(SYMBOL[0] * len(self.title), WORD[0] * len(self.words)), 46.0


def flow_svg(flow: Flow, name: str) -> str:
    """The picture of a flow, complete in itself."""
    boxes, ways = _boxes(flow)
    layout = layered([box.size for box in boxes], [(way.source, way.target) for way in ways])
    most = max([way.times for way in ways], default=1)
    title = f"{name}: {_count(len(flow.stretches), 'stretch', 'stretches')}"
    title += f", {_count(flow.steps, 'step', 'steps')}, {ENDINGS.get(flow.status, flow.status)}"
    legend = list(_legend(flow, most))
    ends = [x + WORD[0] * len(text) for _, x, _, text in legend]
    ends.append(MARGIN + HEADLINE[0] * len(title))
    width = max(layout.right - layout.left + 2 * MARGIN, 640.0, max(ends) + MARGIN)
    note = 24.0 if flow.left_out else 0.0
    height = layout.bottom - layout.top + HEADING + note + 2 * MARGIN
    across = round((width - layout.right - layout.left) / 2)
    down = round(HEADING + note + MARGIN - layout.top)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" fill="none" stroke-linecap="square">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(_told(boxes, [text for *_, text in legend]))}</desc>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        _text(MARGIN, 34, title, HEADLINE, INK),
        *(part + _text(x, y, text, WORD, FAINT) for part, x, y, text in legend),
        f'<g transform="translate({across} {down})">',
    ]
    # The hottest are drawn last, over the others.
    order = sorted(range(len(ways)), key=lambda n: ways[n].times)
    parts += [_way(layout, n, _heat(ways[n].times, most)) for n in order]
    parts += [_box(box, centre) for box, centre in zip(boxes, layout.centres, strict=True)]
    forks = _forks(ways)
    parts += [_label(layout, n, ways[n].times) for n in order if ways[n].source in forks]
    return "\n".join([*parts, "</g>", "</svg>"])


def _boxes(flow: Flow) -> tuple[list[Box], list[FlowEdge]]:
    """The stretches, after the start and before the ends, and all ways between them."""
    most = max([stretch.times for stretch in flow.stretches], default=1)
    entries = [n for n, stretch in enumerate(flow.stretches) if stretch.entry]
    shift = 1 if entries else 0
    boxes = [Box("", "start", "entry", 0)] * shift
    boxes += [_stretch_box(stretch, _heat(stretch.times, most)) for stretch in flow.stretches]
    ways = [FlowEdge(0, n + shift, 1) for n in entries]
    ways += [FlowEdge(way.source + shift, way.target + shift, way.times) for way in flow.ways]
    for n, stretch in enumerate(flow.stretches):
        # Every end has a mark of its own: long lines to one mark would only confuse.
        word = ENDINGS.get(flow.status, flow.status)
        for what, times in ((word, stretch.ends), ("gone", stretch.gone)):
            if times:
                ways.append(FlowEdge(n + shift, len(boxes), times))
                boxes.append(Box("", what, "end", 0))
    return boxes, ways


def _stretch_box(stretch: Stretch, heat: float) -> Box:
    place = f"({stretch.first[0]:g}, {stretch.first[1]:g})"
    if stretch.last != stretch.first:
        place += f" to ({stretch.last[0]:g}, {stretch.last[1]:g})"
    times = "once" if stretch.times == 1 else f"{stretch.times:,} times"
    words = f"{place} {stretch.heading}, {times}"
    return Box(_shown(stretch.symbols), words, "stretch", heat, stretch.changed)


def _shown(symbols: str) -> str:
    """Symbols that can be seen: dots for blanks, little boxes for what cannot be printed."""
    seen = "".join("·" if c == " " else c if c.isprintable() else "▫" for c in symbols)
    if len(seen) <= SYMBOLS:
        return seen
    return f"{seen[: SYMBOLS - 12]} … {seen[-9:]}"


def _forks(ways: list[FlowEdge]) -> set[int]:
    """Boxes that more than one way leaves: there it matters how often each was taken."""
    sources = [way.source for way in ways]
    return {source for source in sources if sources.count(source) > 1}


def _heat(times: int, most: int) -> float:
    """From 0, once, to 1, as often as anything here; on a scale of logarithms."""
    return math.log(max(times, 1)) / math.log(most) if most > 1 else 0.0


def _colour(heat: float) -> str:
    low, high, part = (COLD, WARM, 2 * heat) if heat < 0.5 else (WARM, HOT, 2 * heat - 1)
    mixed = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _tint(heat: float) -> str:
    """The colour of a heat, as light as paper."""
    full = _colour(heat)
    light = (round(255 - (255 - int(full[i : i + 2], 16)) * 0.13) for i in (1, 3, 5))
    return "#{:02x}{:02x}{:02x}".format(*light)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _told(boxes: list[Box], legend: list[str]) -> str:
    """What can be read in a picture, for those who cannot see it."""
    return "\n".join([*legend, *(f"{box.title}  {box.words}".strip() for box in boxes)])


def _text(x: float, y: float, text: str, letter: Place, colour: str, halo: int = 0) -> str:
    """A line of text that begins there; y is its middle."""
    path = "".join(words(text, round(x), round(y) - letter[1] // 2, letter))
    pen = way("x", *letter).pen
    around = f'<path d="{path}" stroke="{PAPER}" stroke-width="{pen + halo}"/>' if halo else ""
    return f'{around}<path d="{path}" stroke="{colour}" stroke-width="{pen}"/>'


def _centred(x: float, y: float, text: str, letter: Place, colour: str, halo: int = 0) -> str:
    """A line of text around that place."""
    return _text(x - len(text) * letter[0] / 2, y, text, letter, colour, halo)


def _box(box: Box, centre: Point) -> str:
    (x, y), (w, h) = centre, box.size
    if box.kind != "stretch":
        fill = ENTRY if box.kind == "entry" else END
        return (
            f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}" '
            f'rx="{h / 2:.1f}" fill="{fill}"/>' + _centred(x, y, box.words, WORD, "#ffffff")
        )
    broken = ' stroke-dasharray="5 3"' if box.changed else ""
    return (
        f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}" rx="7" '
        f'fill="{_tint(box.heat)}" stroke="{_colour(box.heat)}" stroke-width="1.6"{broken}/>'
        + _centred(x, y - 9, box.title, SYMBOL, INK)
        + _centred(x, y + 10, box.words, WORD, FAINT)
    )


def _way(layout: LayeredLayout, n: int, heat: float) -> str:
    thick = 1.3 + 3.7 * heat
    colour = _colour(heat)
    points = list(layout.routes[n])
    head = 5.5 + thick
    tip = points[-1]
    points[-1] = (tip[0], tip[1] - head + 1)
    path = _bent(points) if layout.back[n] else _flowing(points)
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thick:.1f}" '
        f'stroke-linecap="round"/>'
        f'<path d="M{tip[0]:.1f} {tip[1]:.1f}l{-head / 2:.1f} {-head:.1f}h{head:.1f}z" '
        f'fill="{colour}"/>'
    )


def _flowing(points: list[Point]) -> str:
    """A curve down through all points, upright in each of them."""
    x, y = points[0]
    path = f"M{x:.1f} {y:.1f}"
    for a, b in points[1:]:
        half = (y + b) / 2
        path += f"C{x:.1f} {half:.1f} {a:.1f} {half:.1f} {a:.1f} {b:.1f}"
        x, y = a, b
    return path


def _bent(points: list[Point]) -> str:
    """Straight lines with round corners."""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        enter = _towards(corner, before, RADIUS)
        leave = _towards(corner, after, RADIUS)
        path += f"L{enter[0]:.1f} {enter[1]:.1f}"
        path += f"Q{corner[0]:.1f} {corner[1]:.1f} {leave[0]:.1f} {leave[1]:.1f}"
    return path + f"L{points[-1][0]:.1f} {points[-1][1]:.1f}"


def _towards(start: Point, goal: Point, far: float) -> Point:
    """The point so far from the start on the way to the goal, at most half of the way."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    length = math.hypot(dx, dy)
    part = min(far / length, 0.5) if length else 0.0
    return start[0] + part * dx, start[1] + part * dy


def _label(layout: LayeredLayout, n: int, times: int) -> str:
    """How often a way was taken, beside its beginning."""
    points = layout.routes[n]
    if layout.back[n]:
        x, y = points[2][0], (points[2][1] + points[3][1]) / 2
    else:
        (a, b), (c, d) = points[0], points[1]
        x, y = a + (c - a) * 0.35, b + (d - b) * 0.42
    return _centred(x, y, f"{times:,}", WORD, INK, 4)


def _legend(flow: Flow, most: int) -> Iterator[tuple[str, float, float, str]]:
    """What colours and borders mean: each sign, and the words beside it."""
    x, y = MARGIN, 70.0
    for times in sorted({1, round(math.sqrt(most)), most}):
        heat = _heat(times, most)
        said = "taken once" if times == 1 else f"{times:,} times"
        sign = (
            f'<path d="M{x:.1f} {y:.1f}h30" stroke="{_colour(heat)}" '
            f'stroke-width="{1.3 + 3.7 * heat:.1f}" stroke-linecap="round"/>'
        )
        yield sign, x + 38, y, said
        x += 56 + WORD[0] * len(said)
    if any(stretch.changed for stretch in flow.stretches):
        sign = (
            f'<rect x="{x:.1f}" y="{y - 8:.1f}" width="26" height="16" rx="4" '
            f'stroke="{FAINT}" stroke-width="1.5" stroke-dasharray="5 3"/>'
        )
        yield sign, x + 34, y, "rewritten while it ran"
    if flow.left_out:
        many = _count(flow.left_out, "stretch that was", "stretches that were")
        yield "", MARGIN, 94.0, f"{many} walked less often left out"
