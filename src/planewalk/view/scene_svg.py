"""A scene as SVG: letters stay letters, and nothing outside the file is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from zlib import crc32

from ..core.instruction import Group
from .follow import Footprint
from .layout import ADVANCE, FONT, Layout, Point, body, brackets, footprint
from .scene import Look, Mark, Scene
from .theme import Colour, Theme, contrast, web

MONOSPACE = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
LAYERS = ("fills", "heat", "trail", "glyphs", "hands", "walkers", "words")
"""What is drawn over what, the lowest first."""

ROOT = "§"
"""Stands in rules for the name that a file gets once its contents are known."""

Cells = Iterable[tuple[int, int, Look]]


class SvgPainter:
    """Draws scenes of one layout in one theme, as lists of elements for each layer."""

    def __init__(self, layout: Layout, theme: Theme) -> None:
        self.layout, self.theme = layout, theme
        self.half = layout.cell / 2

    def picture(self, scene: Scene) -> str:
        """The whole scene as one file."""
        layers = self.over(scene)
        layers["fills"], layers["glyphs"] = self.cells(cells_of(scene))
        return self.file(scene.title, [part for name in LAYERS for part in layers[name]])

    def file(self, title: str, body: list[str], rules: str = "") -> str:
        """A whole file. Its rules are only for itself, wherever it is made a part of a page."""
        layout, theme = self.layout, self.theme
        x, y = layout.corner(layout.box[0], layout.box[1])
        width, height = layout.columns * layout.cell, layout.lines * layout.cell
        lines = [
            f"<title>{escape(title)}</title>",
            f"<style>{self._rules()}{rules}</style>",
            f'<rect width="100%" height="100%" fill="{web(theme.paper)}"/>',
            f'<rect x="{x - 0.5}" y="{y - 0.5}" width="{width + 1}" height="{height + 1}" '
            f'fill="{web(theme.ground)}" stroke="{web(theme.edge)}"/>',
            *body,
        ]
        name = f"p{crc32(''.join(lines).encode()):08x}"
        lines[1] = lines[1].replace(ROOT, name)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" '
            f'viewBox="0 0 {layout.width} {layout.height}" '
            f'width="{layout.width}" height="{layout.height}">'
        )
        return "\n".join([head, *lines, "</svg>"])

    def _rules(self) -> str:
        """What the classes of elements mean."""
        theme, cell = self.theme, self.layout.cell
        rules = {
            "text": f"font:{FONT}px {MONOSPACE};fill:{web(theme.ink)};white-space:pre",
            ".f": f"fill:{web(theme.faint)}",
            ".c": f"font-size:{cell * 0.8:g}px;text-anchor:middle",
            ".h": "fill:none;stroke-width:2",
            ".w": f"stroke:{web(theme.ground)};stroke-width:{max(cell / 16, 0.5):g}",
        }
        for n, group in enumerate(Group):
            rules[f".g{n}"] = f"fill:{web(theme.ink_of(group))}"
        for n, colour in enumerate(theme.walkers):
            rules[f".w{n}"] = f"fill:{web(colour)}"
            rules[f".h{n}"] = f"stroke:{web(colour)}"
        return "".join(f".{ROOT} {what}{{{how}}}" for what, how in rules.items())

    def cells(self, cells: Cells) -> tuple[list[str], list[str]]:
        """Colours and letters of cells."""
        blocks: dict[Colour, list[tuple[int, int]]] = {}
        lines: dict[tuple[int, Colour | Group], list[tuple[int, str]]] = {}
        codes: list[str] = []
        for x, y, look in cells:
            colour = look.fill
            if not self.layout.readable and look.text:
                colour = look.fill or self.theme.ink_of(look.group)
            if colour is not None:
                blocks.setdefault(colour, []).append((y, x))
            if self.layout.readable and look.text:
                ink = look.group if look.fill is None else contrast(look.fill)
                if len(look.text) == 1:
                    lines.setdefault((y, ink), []).append((x, look.text))
                else:
                    codes.append(self._code(x, y, look.text, self._ink(ink)))
        fills = [
            f'<path fill="{web(colour)}" d="{self._blocks(places)}"/>'
            for colour, places in blocks.items()
        ]
        texts = [self._letters(y, letters, self._ink(ink)) for (y, ink), letters in lines.items()]
        return fills, texts + codes

    def over(self, scene: Scene) -> dict[str, list[str]]:
        """All that is not cells, by layer."""
        layers: dict[str, list[str]] = {name: [] for name in LAYERS}
        layers["heat"] = self._heat(scene)
        layers["trail"] = [self._footprint(scene, foot) for foot in scene.trail]
        layers["hands"] = list(self._hands(scene))
        layers["walkers"] = list(self._walkers(scene))
        layers["words"] = list(self._words(scene))
        return layers

    def _ink(self, ink: Group | Colour) -> str:
        """The attribute that gives a letter its colour."""
        if isinstance(ink, Group):
            return f'class="c g{list(Group).index(ink)}"'
        return f'class="c" style="fill:{web(ink)}"'

    def _letters(self, y: int, letters: list[tuple[int, str]], ink: str) -> str:
        """Letters of one row; each has its own place, whatever font there is."""
        places = " ".join(f"{self.layout.corner(x, y)[0] + self.half:g}" for x, _ in letters)
        text = escape("".join(letter for _, letter in letters))
        return f'<text {ink} x="{places}" y="{self._baseline(y):g}">{text}</text>'

    def _baseline(self, y: int) -> float:
        return self.layout.corner(0, y)[1] + self.layout.cell * 0.78

    def _code(self, x: int, y: int, digits: str, ink: str) -> str:
        """A code that takes the room of one letter."""
        size = self.layout.cell * 1.3 / len(digits)
        across, down = self.layout.corner(x, y)
        rest = f'x="{across + self.half:g}" y="{down + self.half + 0.35 * size:g}"'
        style = f"font-size:{size:g}px"
        if 'style="' in ink:
            ink = ink.replace('style="', f'style="{style};')
        else:
            ink += f' style="{style}"'
        return f"<text {ink} {rest}>{digits}</text>"

    def _blocks(self, places: list[tuple[int, int]]) -> str:
        """Cells as one path, neighbours in a row together."""
        cell = self.layout.cell
        path = ""
        for y, first, count in _stretches(sorted(places)):
            x, down = self.layout.corner(first, y)
            path += f"M{x} {down}h{count * cell}v{cell}h-{count * cell}z"
        return path

    def _heat(self, scene: Scene) -> list[str]:
        left, top = scene.box[:2]
        parts = []
        for x, y, share in scene.heat:
            colour = self.theme.warmth(scene.rows[y - top][x - left].fill, share)
            parts.append(f'<path fill="{web(colour)}" d="{self._blocks([(y, x)])}"/>')
        return parts

    def _footprint(self, scene: Scene, foot: Footprint) -> str:
        share = 1 - (foot.age - 1) / max(scene.length, 1)
        side = footprint(share, self.layout.cell)
        left, top = self.layout.corner(foot.x, foot.y)
        x, y = left + self.half - side / 2, top + self.half - side / 2
        number = foot.number % len(self.theme.walkers)
        return (
            f'<path class="w{number}" opacity="{0.12 + 0.38 * share:.2f}" '
            f'd="M{x:.4g} {y:.4g}h{side:.3g}v{side:.3g}h-{side:.3g}z"/>'
        )

    def _hands(self, scene: Scene) -> Iterator[str]:
        for hand in scene.hands:
            corners = brackets(*self.layout.corner(hand.x, hand.y), self.layout.cell)
            path = "".join(_path(corner) for corner in corners)
            yield f'<path class="h h{hand.number % len(self.theme.walkers)}" d="{path}"/>'

    def _walkers(self, scene: Scene) -> Iterator[str]:
        left, top = scene.box[:2]
        for mark in scene.marks:
            x, y = self.layout.corner(mark.x, mark.y)
            yield self._body(mark, x + self.half, y + self.half, self.layout.cell)
            look = scene.rows[mark.y - top][mark.x - left]
            if self.layout.readable and look.text:
                ink = self._ink(contrast(self.theme.walker(mark.number)))
                if len(look.text) > 1:
                    yield self._code(mark.x, mark.y, look.text, ink)
                else:
                    yield self._letters(mark.y, [(mark.x, look.text)], ink)

    def _body(self, mark: Mark, x: float, y: float, cell: float) -> str:
        number = mark.number % len(self.theme.walkers)
        return f'<path class="w w{number}" d="{_path(body(mark, x, y, cell))}z"/>'

    def _words(self, scene: Scene) -> Iterator[str]:
        for x, y, text, faint, right, _ in self.layout.words(scene):
            style = ' class="f"' if faint else ""
            anchor = ' text-anchor="end"' if right else ""
            yield f'<text{style}{anchor} x="{x}" y="{y + FONT * 0.35:g}">{escape(text)}</text>'
        for line, x, y in self.layout.signs(scene):
            if line.walker is not None:
                mark = Mark(0, 0, 1, 0, line.walker)
                yield self._body(mark, x, y, 1.4 * ADVANCE)
            elif line.colour is not None:
                yield (
                    f'<rect x="{x - 5}" y="{y - 5}" width="11" height="11" '
                    f'fill="{web(line.colour)}" stroke="{web(self.theme.edge)}"/>'
                )


def cells_of(scene: Scene) -> Iterator[tuple[int, int, Look]]:
    """All cells of a scene, with their places."""
    left, top = scene.box[:2]
    for y, row in enumerate(scene.rows, top):
        for x, look in enumerate(row, left):
            yield x, y, look


def _stretches(places: list[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Neighbours in a row as (y, first x, how many)."""
    begin = 0
    for at, (y, x) in enumerate(places, 1):
        if at == len(places) or places[at] != (y, x + 1):
            yield y, places[begin][1], at - begin
            begin = at


def _path(points: list[Point]) -> str:
    return "M" + "L".join(f"{x:.5g} {y:.5g}" for x, y in points)
