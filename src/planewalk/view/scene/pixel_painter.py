"""A scene as pixels, through Pillow."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..drawing.theme import GRID, Colour, Theme, contrast, cover, mix
from ..walk.follow import Footprint
from .film_layout import Bar, FilmLayout, Point, sign_outline
from .letter_masks import LetterMasks, few_levels
from .scene import OUTSIDE, Look, Mark, Scene, block, changed_cells

FINE = 4
"""Shapes are drawn so many times larger and made smaller, which makes their edges smooth."""


class PixelPainter:
    """Draws scenes of one layout in one theme; only cells that differ are drawn anew."""

    def __init__(self, layout: FilmLayout, theme: Theme) -> None:
        from PIL import Image, ImageDraw

        self.layout, self.theme = layout, theme
        self.inner = layout._replace(left=0, top=0)
        """The layout of the plane without what is around it."""
        self.image_of, self.draw_on = Image, ImageDraw.Draw
        self.masks = LetterMasks()
        self.plane = Image.new("RGB", (layout.columns * layout.cell, layout.lines * layout.cell),
                               theme.ground)  # fmt: skip
        self.base, self.grid, self.lined = self._base(), self._grid(), self.plane
        self.rows: tuple[tuple[Look, ...], ...] = ((OUTSIDE,) * layout.columns,) * layout.lines

    def picture(self, scene: Scene) -> Any:
        """The scene as a Pillow image."""
        layout, theme = self.layout, self.theme
        self._bring_up_to_date(scene)
        image, plane = self.base.copy(), self.lined.copy()
        self._past(plane, scene)
        for hand in scene.hands:
            for bar in self.inner.hand_bars(hand):
                _fill(self.draw_on(plane), bar, theme.walker(hand.number))
        for mark in scene.marks:
            self._walker(plane, scene, mark)
        image.paste(plane, (layout.left, layout.top))
        self._words(image, scene)
        return image

    def _base(self) -> Any:
        """What is the same in all frames: the paper, the edge of the plane, and its rulers."""
        layout, theme = self.layout, self.theme
        image = self.image_of.new("RGB", (layout.width, layout.height), theme.paper)
        x, y = layout.left, layout.top
        edge = (x - 1, y - 1, x + self.plane.width, y + self.plane.height)
        self.draw_on(image).rectangle(edge, outline=theme.edge)
        for words in layout.rulers():
            self.masks.write(image, words, theme.faint)
        return image

    def _grid(self) -> Any:
        """A mask of the lines between cells."""
        mask = self.image_of.new("L", self.plane.size)
        draw = self.draw_on(mask)
        for bar in self.inner.lines_between():
            _fill(draw, bar, round(255 * GRID))
        return mask

    # Cells

    def _bring_up_to_date(self, scene: Scene) -> None:
        if scene.rows is self.rows:
            return
        if self.layout.readable:
            draw, (left, top) = self.draw_on(self.plane), scene.box[:2]
            for x, y, _, look in changed_cells(self.rows, scene.rows):
                place = left + x, top + y
                _fill(draw, self.inner.bar(*place), look.fill or self.theme.ground)
                self._glyph(self.plane, *place, look, self._ink(look))
        else:
            self._blocks(scene)
        self.rows, self.lined = scene.rows, self.plane.copy()
        self._line(self.lined, (0, 0, *self.plane.size))

    def _blocks(self, scene: Scene) -> None:
        """All cells as plain colours."""
        colour = cache(lambda look: bytes(block(self.theme, look)))
        pixels = b"".join([colour(look) for row in scene.rows for look in row])
        size = (self.layout.columns, self.layout.lines)
        small = self.image_of.frombytes("RGB", size, pixels)
        self.plane = small.resize(self.plane.size, self.image_of.Resampling.NEAREST)

    def _ink(self, look: Look) -> Colour:
        return self.theme.ink_of(look.group) if look.fill is None else contrast(look.fill)

    def _glyph(self, plane: Any, x: int, y: int, look: Look, ink: Colour) -> None:
        if look.text:
            cell = self.layout.cell
            plane.paste(ink, self.inner.corner(x, y), self.masks.get(look.text, cell, cell))

    # What lies over the cells

    def _past(self, plane: Any, scene: Scene) -> None:
        """Heat and footprints; cells that have some are drawn anew, the letter on top."""
        warm = {(x, y): share for x, y, share in scene.heat}
        prints: dict[tuple[int, int], list[Footprint]] = {}
        for foot in scene.trail:
            prints.setdefault((foot.x, foot.y), []).append(foot)
        draw = self.draw_on(plane)
        for x, y in sorted(warm.keys() | prints.keys()):
            look = scene.look(x, y)
            ground = look.fill or self.theme.ground
            if (x, y) in warm:
                ground = self.theme.warmth(look.fill, warm[x, y])
            elif not self.layout.readable:
                ground = block(self.theme, look)
            _fill(draw, self.inner.bar(x, y), ground)
            for foot in prints.get((x, y), ()):
                freshness = scene.freshness(foot)
                ground = mix(ground, self.theme.walker(foot.number), cover(freshness))
                _fill(draw, self.inner.print_bar(foot, freshness), ground)
            if self.layout.readable:
                self._glyph(plane, x, y, look, self._ink(look))
            self._line(plane, self.inner.bar(x, y))

    def _line(self, plane: Any, bar: Bar) -> None:
        """Draw the grid in a part of the plane."""
        if self.layout.grid:
            x, y, width, height = bar
            plane.paste(self.theme.edge, (x, y), self.grid.crop((x, y, x + width, y + height)))

    def _walker(self, plane: Any, scene: Scene, mark: Mark) -> None:
        colour = self.theme.walker(mark.number)
        if not self.layout.readable:
            _fill(self.draw_on(plane), self.inner.bar(mark.x, mark.y), colour)
            return
        self._shape(plane, self.inner.body(mark), colour)
        self._glyph(plane, mark.x, mark.y, scene.look(mark.x, mark.y), contrast(colour))

    def _shape(self, image: Any, outline: list[Point], colour: Colour) -> None:
        """A filled outline with a thin border and smooth edges."""
        left, top = (int(min(p[axis] for p in outline)) - 2 for axis in (0, 1))
        right, bottom = (int(max(p[axis] for p in outline)) + 3 for axis in (0, 1))
        size = ((right - left) * FINE, (bottom - top) * FINE)
        points = [((x - left) * FINE, (y - top) * FINE) for x, y in outline]
        mask = self.image_of.new("L", size)
        border = self.image_of.new("L", size)
        self.draw_on(mask).polygon(points, fill=255)
        self.draw_on(border).polygon(points, fill=255, outline=255, width=2 * FINE)
        self.draw_on(border).line([*points, points[0], points[1]], fill=255, width=2 * FINE,
                                  joint="curve")  # fmt: skip
        small = (right - left, bottom - top)
        for part, fill in ((border, self.theme.ground), (mask, colour)):
            image.paste(fill, (left, top), few_levels(part.resize(small)))

    # Text

    def _words(self, image: Any, scene: Scene) -> None:
        theme, draw = self.theme, self.draw_on(image)
        for words in self.layout.words(scene):
            ink = theme.faint if words.faint else theme.ink
            self.masks.write(image, words, ink)
        for line, x, y in self.layout.signs(scene):
            if line.walker is not None:
                self._shape(image, sign_outline(line.walker, x, y), theme.walker(line.walker))
            elif line.colour is not None:
                box = (x - 5, y - 5, x + 6, y + 6)
                draw.rectangle(box, fill=line.colour, outline=theme.edge)


def _fill(draw: Any, bar: Bar, ink: Colour | int) -> None:
    x, y, width, height = bar
    draw.rectangle((x, y, x + width - 1, y + height - 1), ink)
