"""The control-flow graph of a run as a list of shapes with their places."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..drawing.letters import Place
from ..drawing.theme import hexadecimal, mix, web
from .flow import Flow, FlowEdge, Stretch
from .layered import LayeredLayout, Point, layered

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


class WordsShape(NamedTuple):
    """A line of text; x is its left end, y its middle. A halo keeps lines away from it."""

    x: float
    y: float
    text: str
    letter: Place
    colour: str
    halo: int = 0


class BoxShape(NamedTuple):
    """A box with round corners; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    thick: float = 1.6
    broken: bool = False


class WayShape(NamedTuple):
    """A line through points: with round corners if `bent`, else vertical in each of them."""

    points: tuple[Point, ...]
    bent: bool
    colour: str
    thick: float


class TipShape(NamedTuple):
    """The head of an arrow that points down."""

    x: float
    y: float
    size: float
    colour: str


Shape = WordsShape | BoxShape | WayShape | TipShape


class FlowPicture(NamedTuple):
    """All shapes, later ones over earlier ones; `told` has their text, for screen readers."""

    width: float
    height: float
    title: str
    told: str
    around: list[Shape]
    """What stands above the ways."""
    inner: list[Shape]
    """The ways and boxes, shifted by `across` and `down`."""
    across: int
    down: int


class Box(NamedTuple):
    """The content of a box: two lines of text, or one for start and ends."""

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


def flow_picture(flow: Flow, name: str) -> FlowPicture:
    boxes, ways = boxes_of(flow)
    layout = layered([box.size for box in boxes], [(way.source, way.target) for way in ways])
    most = max([way.times for way in ways], default=1)
    title = f"{name}: {_count(len(flow.stretches), 'stretch', 'stretches')}"
    title += f", {_count(flow.steps, 'step', 'steps')}, {ENDINGS.get(flow.status, flow.status)}"
    legend = list(_legend(flow, most))
    said = [words for words in legend if isinstance(words, WordsShape)]
    ends = [words.x + WORD[0] * len(words.text) for words in said]
    ends.append(MARGIN + HEADLINE[0] * len(title))
    width = max(layout.right - layout.left + 2 * MARGIN, 640.0, max(ends) + MARGIN)
    note = 24.0 if flow.left_out else 0.0
    height = layout.bottom - layout.top + HEADING + note + 2 * MARGIN
    # The hottest are drawn last, over the others.
    order = sorted(range(len(ways)), key=lambda n: ways[n].times)
    # Only where boxes are left by more than one edge, edges are labelled with their counts.
    sources = Counter(way.source for way in ways)
    inner: list[Shape] = []
    for n in order:
        inner += _way(layout, n, heat_of(ways[n].times, most))
    for box, centre in zip(boxes, layout.centres, strict=True):
        inner += _box(box, centre)
    inner += [_label(layout, n, ways[n].times) for n in order if sources[ways[n].source] > 1]
    told = [words.text for words in said] + [f"{box.title}  {box.words}".strip() for box in boxes]
    around = [WordsShape(MARGIN, 34, title, HEADLINE, INK), *legend]
    across = round((width - layout.right - layout.left) / 2)
    down = round(HEADING + note + MARGIN - layout.top)
    return FlowPicture(width, height, title, "\n".join(told), around, inner, across, down)


def boxes_of(flow: Flow) -> tuple[list[Box], list[FlowEdge]]:
    """Boxes for the start, the stretches and the ends, and the edges between them."""
    most = max([stretch.times for stretch in flow.stretches], default=1)
    entries = [n for n, stretch in enumerate(flow.stretches) if stretch.entry]
    shift = 1 if entries else 0
    boxes = [Box("", "start", "entry", 0)] * shift
    boxes += [_stretch_box(stretch, heat_of(stretch.times, most)) for stretch in flow.stretches]
    ways = [FlowEdge(0, n + shift, flow.stretches[n].entered) for n in entries]
    ways += [FlowEdge(way.source + shift, way.target + shift, way.times) for way in flow.ways]
    for n, stretch in enumerate(flow.stretches):
        # Every end has a mark of its own: long lines to one mark would only confuse.
        word = ENDINGS.get(flow.status, flow.status)
        for what, times in ((word, stretch.ends), (stretch.deed or "gone", stretch.gone)):
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
    """Symbols made visible: dots for blanks, boxes for what cannot be printed."""
    seen = "".join("·" if c == " " else c if c.isprintable() else "▫" for c in symbols)
    if len(seen) <= SYMBOLS:
        return seen
    return f"{seen[: SYMBOLS - 12]} … {seen[-9:]}"


def heat_of(times: int, most: int) -> float:
    """0 for one visit and 1 for the most visits, on a logarithmic scale."""
    return math.log(max(times, 1)) / math.log(most) if most > 1 else 0.0


def colour_of(heat: float) -> str:
    low, high, part = (COLD, WARM, 2 * heat) if heat < 0.5 else (WARM, HOT, 2 * heat - 1)
    return web(mix(low, high, part))


def tint_of(heat: float) -> str:
    """The colour of a heat, as light as paper."""
    return web(mix((255, 255, 255), hexadecimal(colour_of(heat)[1:]), 0.13))


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _centred(x: float, y: float, text: str, letter: Place, colour: str, halo: int = 0) -> Shape:
    return WordsShape(x - len(text) * letter[0] / 2, y, text, letter, colour, halo)


def _box(box: Box, centre: Point) -> Iterator[Shape]:
    (x, y), (w, h) = centre, box.size
    left, top = x - w / 2, y - h / 2
    if box.kind != "stretch":
        yield BoxShape(left, top, w, h, h / 2, ENTRY if box.kind == "entry" else END)
        yield _centred(x, y, box.words, WORD, "#ffffff")
        return
    yield BoxShape(left, top, w, h, 7, tint_of(box.heat), colour_of(box.heat), broken=box.changed)
    yield _centred(x, y - 9, box.title, SYMBOL, INK)
    yield _centred(x, y + 10, box.words, WORD, FAINT)


def _way(layout: LayeredLayout, n: int, heat: float) -> Iterator[Shape]:
    thick, colour = 1.3 + 3.7 * heat, colour_of(heat)
    points, head = list(layout.routes[n]), 5.5 + thick
    tip = points[-1]
    points[-1] = (tip[0], tip[1] - head + 1)
    yield WayShape(tuple(points), layout.back[n], colour, thick)
    yield TipShape(*tip, head, colour)


def _label(layout: LayeredLayout, n: int, times: int) -> Shape:
    """How often an edge was taken, beside its source."""
    points = layout.routes[n]
    if layout.back[n]:
        x, y = points[2][0], (points[2][1] + points[3][1]) / 2
    else:
        (a, b), (c, d) = points[0], points[1]
        x, y = a + (c - a) * 0.35, b + (d - b) * 0.42
    return _centred(x, y, f"{times:,}", WORD, INK, 4)


def _legend(flow: Flow, most: int) -> Iterator[Shape]:
    """What colours and borders mean: each sign, and the words beside it."""
    x, y = MARGIN, 70.0
    for times in sorted({1, round(math.sqrt(most)), most}):
        heat = heat_of(times, most)
        said = "taken once" if times == 1 else f"{times:,} times"
        yield WayShape(((x, y), (x + 30, y)), True, colour_of(heat), 1.3 + 3.7 * heat)
        yield WordsShape(x + 38, y, said, WORD, FAINT)
        x += 56 + WORD[0] * len(said)
    if any(stretch.changed for stretch in flow.stretches):
        yield BoxShape(x, y - 8, 26, 16, 4, None, FAINT, 1.5, True)
        yield WordsShape(x + 34, y, "rewritten while it ran", WORD, FAINT)
    if flow.left_out:
        many = _count(flow.left_out, "stretch that was", "stretches that were")
        yield WordsShape(MARGIN, 94.0, f"{many} walked less often left out", WORD, FAINT)


def towards(start: Point, goal: Point, far: float) -> Point:
    """The point at a distance from the start towards the goal, at most half way."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    length = math.hypot(dx, dy)
    part = min(far / length, 0.5) if length else 0.0
    return start[0] + part * dx, start[1] + part * dy
