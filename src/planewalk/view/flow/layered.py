"""Layered graph drawing after Sugiyama: reverse back edges, assign layers, order, straighten.

A forward edge passes each layer between its ends through a dummy item; back edges run outside the
boxes, in lanes at the nearer side.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import NamedTuple

Point = tuple[float, float]

SPACE = 26.0
"""Between two boxes of a layer."""
PASSAGE = 12.0
"""Width of an edge that passes a layer."""
GAP = 40.0
"""Between two layers, without the tracks of back edges."""
LANE = 15.0
TRACK = 7.0
SWEEPS = 16


class LayeredLayout(NamedTuple):
    """The centres of boxes, the points of edges, and the bounds of it all."""

    centres: list[Point]
    routes: list[list[Point]]
    back: list[bool]
    left: float
    top: float
    right: float
    bottom: float


class _Item:
    """A box, or the dummy item of an edge that passes a layer."""

    def __init__(self, width: float, height: float, layer: int) -> None:
        self.width, self.height, self.layer = width, height, layer
        self.x = self.y = 0.0
        self.up: list[_Item] = []
        self.down: list[_Item] = []
        self.rank = 0.0


def layered(sizes: list[Point], ways: list[tuple[int, int]]) -> LayeredLayout:
    """Lay out boxes of these sizes; the search for back edges starts at the first."""
    back = _turned_back(len(sizes), ways)
    depth = _depths(len(sizes), [way for way, turned in zip(ways, back, strict=True) if not turned])
    items = [_Item(w, h, depth[n]) for n, (w, h) in enumerate(sizes)]
    layers: list[list[_Item]] = [[] for _ in range(max(depth, default=0) + 1)]
    for item in items:
        layers[item.layer].append(item)
    passages = [
        [] if turned else _passages(items[a], items[b], layers)
        for (a, b), turned in zip(ways, back, strict=True)
    ]
    _order(layers)
    _straighten(layers)
    outward = _Outward(layers, items, ways, back)
    bottom = outward.place_rows()
    routes = []
    for n, (a, b) in enumerate(ways):
        start, goal = items[a], items[b]
        inner = [(item.x, item.y) for item in passages[n]]
        if back[n]:
            inner = outward.route(n, start, goal)
        bottom_of, top_of = start.y + start.height / 2, goal.y - goal.height / 2
        routes.append([(start.x, bottom_of), *inner, (goal.x, top_of)])
    _spread_ports(items, ways, routes, back)
    spots = [point for route in routes for point in route]
    left = min([item.x - item.width / 2 for item in items] + [x for x, _ in spots], default=0.0)
    right = max([item.x + item.width / 2 for item in items] + [x for x, _ in spots], default=0.0)
    top = min([0.0] + [y for _, y in spots])
    bottom = max([bottom] + [y for _, y in spots])
    return LayeredLayout([(i.x, i.y) for i in items], routes, back, left, top, right, bottom)


def _turned_back(count: int, ways: list[tuple[int, int]]) -> list[bool]:
    """Which edges are back edges of a depth-first search."""
    out: list[list[int]] = [[] for _ in range(count)]
    for number, (source, _) in enumerate(ways):
        out[source].append(number)
    back = [False] * len(ways)
    inside: dict[int, bool] = {}
    """The boxes that were met; true for those on the path from the root."""

    def visit(here: int) -> None:  # as deep as there are boxes, which are a few hundred
        inside[here] = True
        for number in out[here]:
            target = ways[number][1]
            if target not in inside:
                visit(target)
            else:
                back[number] = inside[target]
        inside[here] = False

    for root in range(count):
        if root not in inside:
            visit(root)
    return back


def _depths(count: int, ways: list[tuple[int, int]]) -> list[int]:
    """The length of the longest path to each box of an acyclic graph."""
    above: dict[int, list[int]] = {n: [] for n in range(count)}
    for source, target in ways:
        above[target].append(source)
    depth = [0] * count
    for n in TopologicalSorter(above).static_order():
        depth[n] = max((depth[source] + 1 for source in above[n]), default=0)
    return depth


def _passages(a: _Item, b: _Item, layers: list[list[_Item]]) -> list[_Item]:
    """Join two boxes, with a passage in each layer between."""
    chain = []
    last = a
    for layer in range(a.layer + 1, b.layer):
        item = _Item(PASSAGE, 0, layer)
        layers[layer].append(item)
        chain.append(item)
        last.down.append(item)
        item.up.append(last)
        last = item
    last.down.append(b)
    b.up.append(last)
    return chain


def _order(layers: list[list[_Item]]) -> None:
    """Sort each layer by the mean rank of its neighbours, down and up, to avoid crossings."""
    for layer in layers:
        for at, item in enumerate(layer):
            item.rank = at
    for layer, downwards in _sweeps(layers, SWEEPS):
        wish = {}
        for item in layer:
            near = item.up if downwards else item.down
            wish[item] = sum(i.rank for i in near) / len(near) if near else item.rank
        layer.sort(key=wish.__getitem__)
        for at, item in enumerate(layer):
            item.rank = at


def _sweeps(layers: list[list[_Item]], many: int) -> Iterator[tuple[list[_Item], bool]]:
    """All layers so many times, in turns downwards and upwards."""
    for sweep in range(many):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            yield layer, downwards


def _straighten(layers: list[list[_Item]]) -> None:
    """Pull every box towards the middle of those it is joined to, without touching others."""
    for layer in layers:
        _place(layer, [0.0] * len(layer))
    for layer, downwards in _sweeps(layers, 2 * SWEEPS):
        wishes = []
        for item in layer:
            near = (item.up if downwards else item.down) or item.up or item.down
            wishes.append(sum(i.x for i in near) / len(near) if near else item.x)
        _place(layer, wishes)


def _place(layer: list[_Item], wishes: list[float]) -> None:
    """Place a layer by isotonic regression: neighbours that would overlap move as one block."""
    offsets, offset = [], 0.0
    for at, item in enumerate(layer):
        if at:
            offset += (layer[at - 1].width + item.width) / 2 + SPACE
        offsets.append(offset)
    blocks: list[list[float]] = []  # mean of the wishes less offsets, how many, passages count more
    for item, wish, room in zip(layer, wishes, offsets, strict=True):
        weight = 3.0 if item.height == 0 else 1.0
        blocks.append([wish - room, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, heavy, size = blocks.pop()
            other = blocks[-1]
            other[0] = (other[0] * other[1] + mean * heavy) / (other[1] + heavy)
            other[1] += heavy
            other[2] += size
    at = 0
    for mean, _, size in blocks:
        for _ in range(int(size)):
            layer[at].x = mean + offsets[at]
            at += 1


class _Outward:
    """Back edges: out below their source, up in a lane, in above their target."""

    def __init__(
        self,
        layers: list[list[_Item]],
        items: list[_Item],
        ways: list[tuple[int, int]],
        back: list[bool],
    ) -> None:
        self.layers = layers
        self.numbers = sorted(
            (n for n in range(len(ways)) if back[n]),
            key=lambda n: items[ways[n][0]].layer - items[ways[n][1]].layer,
        )
        self.spans = {n: (items[ways[n][1]], items[ways[n][0]]) for n in self.numbers}
        self.tracks: dict[int, list[tuple[int, str]]] = {}
        for n in self.numbers:
            upper, lower = self.spans[n]
            self.tracks.setdefault(lower.layer, []).append((n, "out"))
            self.tracks.setdefault(upper.layer - 1, []).insert(0, (n, "in"))
        self.lanes = self._lanes()
        self.track_y: dict[tuple[int, str], float] = {}

    def _lanes(self) -> dict[int, float]:
        """The x of the lane of each back edge; short ones first, so that they lie inside."""
        left = [min((i.x - i.width / 2 for i in layer), default=0.0) for layer in self.layers]
        right = [max((i.x + i.width / 2 for i in layer), default=0.0) for layer in self.layers]
        lanes = {}
        for n in self.numbers:
            upper, lower = self.spans[n]
            rows = range(upper.layer, lower.layer + 1)
            far_left, far_right = min(left[r] for r in rows), max(right[r] for r in rows)
            goes_left = upper.x + lower.x < far_left + far_right - 1
            side, lanes[n] = (left, far_left - LANE) if goes_left else (right, far_right + LANE)
            side[rows.start : rows.stop] = [lanes[n]] * len(rows)
        return lanes

    def place_rows(self) -> float:
        """Assign a y to every layer; gaps grow with the back edges that run in them."""
        y = self._place_tracks(-1, 0.0)
        for number, layer in enumerate(self.layers):
            height = max((item.height for item in layer), default=0.0)
            for item in layer:
                item.y = y + height / 2
            y += height
            end = y
            y = self._place_tracks(number, y)
        return end

    def _place_tracks(self, gap: int, y: float) -> float:
        tracks = self.tracks.get(gap, [])
        for at, key in enumerate(tracks):
            self.track_y[key] = y + GAP / 2 + TRACK * at
        if gap < 0 and not tracks:
            return y
        return y + GAP + TRACK * max(len(tracks) - 1, 0)

    def route(self, n: int, source: _Item, target: _Item) -> list[Point]:
        """The bends of an edge, without its ends."""
        lane, low, high = self.lanes[n], self.track_y[n, "out"], self.track_y[n, "in"]
        return [(source.x, low), (lane, low), (lane, high), (target.x, high)]


def _spread_ports(
    items: list[_Item], ways: list[tuple[int, int]], routes: list[list[Point]], back: list[bool]
) -> None:
    """Spread the edges that meet at a side of a box along it, in the order of their neighbours."""
    for side, end, near, inner in ((0, 0, 1, 2), (1, -1, -2, -3)):
        meeting: dict[int, list[int]] = {}
        for n, way in enumerate(ways):
            meeting.setdefault(way[side], []).append(n)
        for box, numbers in meeting.items():
            numbers.sort(key=lambda n: routes[n][inner if len(routes[n]) > 2 else near][0])
            room = min(22.0, items[box].width * 0.8 / len(numbers))
            for at, n in enumerate(numbers):
                shift = (at - (len(numbers) - 1) / 2) * room
                for place in (end, near) if back[n] else (end,):
                    x, y = routes[n][place]
                    routes[n][place] = (x + shift, y)
