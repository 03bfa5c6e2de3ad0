"""A scene as SVG that looks the same everywhere: letters are strokes, so no font is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from zlib import crc32

from ...core.instruction import Group
from ..drawing import letters
from ..drawing.theme import GRID, Colour, Theme, contrast, cover, web
from ..walk.follow import Footprint, Place, row_runs
from .film_layout import Bar, FilmLayout, Point, TextLine, sign_outline
from .scene import Hand, Look, Mark, Scene, block
from .text_painter import one_column

LAYERS = ("rulers", "fills", "heat", "trail", "glyphs", "grid", "hands", "walkers", "words")
"""The order of drawing, the lowest first."""

ROOT = "§"
"""Stands in rules for the name that a file gets once its contents are known."""

Cells = Iterable[tuple[int, int, Look]]


class SvgPainter:
    """Draws scenes of one layout in one theme, as lists of elements for each layer."""

    def __init__(self, layout: FilmLayout, theme: Theme) -> None:
        self.layout, self.theme = layout, theme
        self.known: dict[TextLine, list[str]] = {}

    def picture(self, scene: Scene) -> str:
        layers = self.over(scene) | self.still()
        layers["fills"], layers["glyphs"] = self.cells(cells_of(scene))
        return self.file(scene, [part for name in LAYERS for part in layers[name]])

    def file(self, scene: Scene, body: list[str], rules: str = "") -> str:
        """A whole file, with the text of the scene as its description. Style rules are scoped by a
        class name of its own, so that files can be embedded in one page."""
        layout, theme = self.layout, self.theme
        x, y = layout.corner(layout.box[0], layout.box[1])
        width, height = layout.columns * layout.cell, layout.lines * layout.cell
        lines = [
            f"<title>{escape(scene.title)}</title>",
            f"<desc>{escape(self._words_for(scene))}</desc>",
            f"<style>{self._rules()}{rules}</style>",
            f'<rect width="100%" height="100%" fill="{web(theme.paper)}"/>',
            f'<rect x="{x - 0.5}" y="{y - 0.5}" width="{width + 1}" height="{height + 1}" '
            f'fill="{web(theme.ground)}" stroke="{web(theme.edge)}"/>',
            *body,
        ]
        name = f"p{crc32(''.join(lines).encode()):08x}"
        lines[2] = lines[2].replace(ROOT, name)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" '
            f'viewBox="0 0 {layout.width} {layout.height}" '
            f'width="{layout.width}" height="{layout.height}">'
        )
        return "\n".join([head, *lines, "</svg>"])

    def _rules(self) -> str:
        theme = self.theme
        rules = {
            ".t": f"fill:none;stroke:{web(theme.ink)};stroke-linecap:square",
            ".f": f"stroke:{web(theme.faint)}",
            ".w": f"stroke:{web(theme.ground)};stroke-width:2;paint-order:stroke",
        }
        for n, group in enumerate(Group):
            rules[f".g{n}"] = f"stroke:{web(theme.ink_of(group))}"
        for n, colour in enumerate(theme.walkers):
            rules[f".w{n}"] = f"fill:{web(colour)}"
        return "".join(f".{ROOT} {what}{{{how}}}" for what, how in rules.items())

    def cells(self, cells: Cells) -> tuple[list[str], list[str]]:
        """Colours and letters of cells."""
        blocks: dict[Colour, list[Place]] = {}
        glyphs: dict[tuple[Colour | Group, int], list[str]] = {}
        for x, y, look in cells:
            colour = look.fill
            if not self.layout.readable and look.text:
                colour = block(self.theme, look)
            if colour is not None:
                blocks.setdefault(colour, []).append((x, y))
            if self.layout.readable and look.text:
                ink = look.group if look.fill is None else contrast(look.fill)
                path, pen = self._glyph(x, y, look)
                glyphs.setdefault((ink, pen), []).append(path)
        cell, corner = self.layout.cell, self.layout.corner
        fills = []
        for colour, places in blocks.items():
            bars = ((*corner(x, y), count * cell, cell) for y, x, count in row_runs(places))
            fills.append(f'<path fill="{web(colour)}" d="{_bars(bars)}"/>')
        texts = [self._text("".join(paths), pen, ink) for (ink, pen), paths in glyphs.items()]
        return fills, texts

    def still(self) -> dict[str, list[str]]:
        """The elements that are the same in all scenes, by layer."""
        rulers = [part for words in self.layout.rulers() for part in self._written(words)]
        path = _bars(self.layout.lines_between())
        grid = f'<path fill="{web(self.theme.edge)}" opacity="{GRID}" d="{path}"/>'
        return {"rulers": rulers, "grid": [grid] if path else []}

    def over(self, scene: Scene) -> dict[str, list[str]]:
        """The other elements of a scene that are not cells, by layer."""
        return {
            "heat": [*self._heat(scene)],
            "trail": [self._footprint(scene, foot) for foot in scene.trail],
            "hands": [self._bars_of(hand, self.layout.hand_bars(hand)) for hand in scene.hands],
            "walkers": [*self._walkers(scene)],
            "words": [*self._words(scene)],
        }

    def _bars_of(self, walker: Hand | Mark, bars: Iterable[Bar]) -> str:
        return f'<path class="{self._walker(walker.number)}" d="{_bars(bars)}"/>'

    def _glyph(self, x: int, y: int, look: Look) -> tuple[str, int]:
        """The path of a cell's letter, and how wide its pen is."""
        strokes = letters.way(look.text, self.layout.cell, self.layout.cell)
        return strokes.at(*self.layout.corner(x, y)), strokes.pen

    def _text(self, path: str, pen: int, ink: Group | Colour) -> str:
        """Letters of one colour."""
        width = f' stroke-width="{pen}"' if pen > 1 else ""
        if isinstance(ink, Group):
            return f'<path class="t g{list(Group).index(ink)}"{width} d="{path}"/>'
        return f'<path class="t"{width} style="stroke:{web(ink)}" d="{path}"/>'

    def _heat(self, scene: Scene) -> Iterator[str]:
        for x, y, share in scene.heat:
            colour = self.theme.warmth(scene.look(x, y).fill, share)
            yield f'<path fill="{web(colour)}" d="{_bars([self.layout.bar(x, y)])}"/>'

    def _footprint(self, scene: Scene, foot: Footprint) -> str:
        freshness = scene.freshness(foot)
        return (
            f'<path class="{self._walker(foot.number)}" opacity="{cover(freshness):.2f}" '
            f'd="{_bars([self.layout.print_bar(foot, freshness)])}"/>'
        )

    def _walkers(self, scene: Scene) -> Iterator[str]:
        for mark in scene.marks:
            if not self.layout.readable:
                yield self._bars_of(mark, [self.layout.bar(mark.x, mark.y)])
                continue
            yield self._body(mark.number, self.layout.body(mark))
            look = scene.look(mark.x, mark.y)
            if look.text:
                ink = contrast(self.theme.walker(mark.number))
                yield self._text(*self._glyph(mark.x, mark.y, look), ink)

    def _body(self, number: int, outline: list[Point]) -> str:
        path = "L".join(f"{x:.5g} {y:.5g}" for x, y in outline)
        return f'<path class="w {self._walker(number)}" d="M{path}z"/>'

    def _walker(self, number: int) -> str:
        """The class of a walker's colour."""
        return f"w{number % len(self.theme.walkers)}"

    def _words(self, scene: Scene) -> Iterator[str]:
        for words in self.layout.words(scene):
            if words not in self.known:
                self.known[words] = list(self._written(words))
            yield from self.known[words]
        for line, x, y in self.layout.signs(scene):
            if line.walker is not None:
                yield self._body(line.walker, sign_outline(line.walker, x, y))
            elif line.colour is not None:
                yield (
                    f'<rect x="{x - 5}" y="{y - 5}" width="11" height="11" '
                    f'fill="{web(line.colour)}" stroke="{web(self.theme.edge)}"/>'
                )

    def _written(self, words: TextLine) -> Iterator[str]:
        """A line of text word by word, since films store equal elements once."""
        width, height = words.box
        x, y = words.x - len(words.text) * width * words.right, words.y - height // 2
        kind = "t f" if words.faint else "t"
        for path in letters.words(words.text, x, y, words.box):
            yield f'<path class="{kind}" d="{path}"/>'

    def _words_for(self, scene: Scene) -> str:
        """The text of a picture, for screen readers."""
        rows = ("".join(map(one_column, row)).rstrip() for row in scene.rows)
        panels = (f"{panel.label}: {line.text}" for panel in scene.panels for line in panel.lines)
        return "\n".join([scene.caption, *rows, *panels])


def cells_of(scene: Scene) -> Iterator[tuple[int, int, Look]]:
    left, top = scene.box[:2]
    for y, row in enumerate(scene.rows, top):
        for x, look in enumerate(row, left):
            yield x, y, look


def _bars(bars: Iterable[Bar]) -> str:
    """Rectangles as one path."""
    return "".join(f"M{x} {y}h{width}v{height}h-{width}z" for x, y, width, height in bars)
