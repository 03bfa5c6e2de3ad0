"""A film as one SVG file that is animated by CSS; each change is stored once."""

from __future__ import annotations

from collections.abc import Iterator

from ..scene.scene import Look, Scene, changed_cells
from ..scene.svg_painter import LAYERS, ROOT, SvgPainter, cells_of
from .reel import HOLD

Spans = tuple[tuple[int, int], ...]
"""Frames in which something is seen, from the first to before the second of each pair."""


class SvgFilm:
    """Collects scenes; the file is written at the end, when the length is known."""

    def __init__(self, painter: SvgPainter, fps: float) -> None:
        self.painter, self.fps = painter, fps
        self.frames = 0
        self.first: Scene | None = None
        self.cells: dict[tuple[int, int], Look] = {}
        self.changes: dict[tuple[int, int], dict[Look, list[list[int]]]] = {}
        self.seen: dict[tuple[str, str], list[list[int]]] = {}

    def add(self, scene: Scene) -> None:
        if self.first is None:
            self.first, self.rows = scene, scene.rows
        else:
            self._compare(scene)
        for place, looks in self.changes.items():
            self._note(looks.setdefault(self.cells[place], []))
        for layer, parts in self.painter.over(scene).items():
            for part in parts:
                self._note(self.seen.setdefault((layer, part), []))
        self.rows = scene.rows
        self.frames += 1

    def _compare(self, scene: Scene) -> None:
        """Record the cells that look different from the frame before."""
        left, top = scene.box[:2]
        for x, y, before, after in changed_cells(self.rows, scene.rows):
            place = (left + x, top + y)
            if place not in self.changes:
                self.changes[place] = {before: [[0, self.frames]]}
            self.cells[place] = after

    def _note(self, spans: list[list[int]]) -> None:
        if spans and spans[-1][1] == self.frames:
            spans[-1][1] += 1
        elif not spans or spans[-1][1] < self.frames:
            spans.append([self.frames, self.frames + 1])

    def text(self) -> str:
        assert self.first is not None
        layers: dict[str, dict[Spans, list[str]]] = {name: {} for name in LAYERS}
        still = (cell for cell in cells_of(self.first) if cell[:2] not in self.changes)
        always: Spans = ((0, self.frames),)
        layers["fills"][always], layers["glyphs"][always] = self.painter.cells(still)
        for layer, parts in self.painter.still().items():
            layers[layer][always] = parts
        for (x, y), looks in self.changes.items():
            for look, spans in looks.items():
                for layer, parts in zip(("fills", "glyphs"), self.painter.cells([(x, y, look)]),
                                        strict=True):  # fmt: skip
                    layers[layer].setdefault(_frozen(spans), []).extend(parts)
        for (layer, part), spans in self.seen.items():
            layers[layer].setdefault(_frozen(spans), []).append(part)
        patterns = sorted({spans for layer in layers.values() for spans in layer} - {always})
        names = {spans: f"k{n}" for n, spans in enumerate(patterns)}
        body = [line for name in LAYERS for line in self._layer(layers[name], names)]
        return self.painter.file(self.first, body, "".join(self._rules(names)))

    def _layer(self, groups: dict[Spans, list[str]], names: dict[Spans, str]) -> Iterator[str]:
        for spans, parts in groups.items():
            if spans in names:
                later = " l" if spans[0][0] else ""
                yield f'<g class="k {names[spans]}{later}">{"".join(parts)}</g>'
            else:
                yield from parts

    def _rules(self, names: dict[Spans, str]) -> Iterator[str]:
        """An animation for each pattern of visible frames."""
        length = (self.frames - 1) / self.fps + max(HOLD, 1 / self.fps)
        # Viewers without motion, or that want none, show the first frame.
        yield f".{ROOT} .k{{animation:{length:g}s step-end infinite}}"
        yield f".{ROOT} .l{{visibility:hidden}}"
        still = f".{ROOT} .k{{animation-play-state:paused}}"
        yield f"@media(prefers-reduced-motion:reduce){{{still}}}"
        for spans, name in names.items():
            points = {0: "hidden"}
            for first, end in spans:
                points[first] = "visible"
                points[end] = "hidden"
            steps = "".join(
                f"{100 * frame / self.fps / length:.5g}%{{visibility:{what}}}"
                for frame, what in points.items()
                if frame < self.frames
            )
            yield f".{ROOT} .{name}{{animation-name:{ROOT}{name}}}"
            yield f"@keyframes {ROOT}{name}{{{steps}}}"


def _frozen(spans: list[list[int]]) -> Spans:
    return tuple((first, end) for first, end in spans)
