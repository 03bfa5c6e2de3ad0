"""A scene as pixels, through Pillow."""

from __future__ import annotations

from typing import Any

from ..drawing.theme import GRID, Colour, Theme, contrast, mix
from ..walk.follow import Footprint
from .film_layout import ADVANCE, FilmLayout, Point, body, brackets, footprint, frame
from .letter_masks import LetterMasks, few_levels
from .scene import OUTSIDE, Look, Mark, Scene, block

FINE = 4
"""Shapes are drawn so many times larger and made smaller, which makes their edges smooth."""


class PixelPainter:
    """Draws scenes of one layout in one theme; only cells that differ are drawn anew."""

    def __init__(self, layout: FilmLayout, theme: Theme) -> None:
        from PIL import Image, ImageDraw

        self.layout, self.theme = layout, theme
        self.image_of, self.draw_on = Image, ImageDraw.Draw
        self.masks = LetterMasks()
        self.plane = Image.new("RGB", (layout.columns * layout.cell, layout.lines * layout.cell),
                               theme.ground)  # fmt: skip
        self.base, self.grid = self._base(), self._grid()
        self.lined = self._with_lines()
        self.rows: tuple[tuple[Look, ...], ...] = ((OUTSIDE,) * layout.columns,) * layout.lines

    def picture(self, scene: Scene) -> Any:
        """The scene as a Pillow image."""
        layout = self.layout
        self._bring_up_to_date(scene)
        image, plane = self.base.copy(), self.lined.copy()
        self._past(plane, scene)
        for hand in scene.hands:
            self._hand(plane, scene, hand)
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
        for x, y, width, height in self.layout.lines_between():
            x, y = x - self.layout.left, y - self.layout.top
            draw.rectangle((x, y, x + width - 1, y + height - 1), fill=round(255 * GRID))
        return mask

    def _with_lines(self) -> Any:
        """The plane with the lines between its cells."""
        plane = self.plane.copy()
        plane.paste(self.theme.edge, mask=self.grid)
        return plane

    # Cells

    def _bring_up_to_date(self, scene: Scene) -> None:
        if scene.rows is self.rows:
            return
        if self.layout.readable:
            draw = self.draw_on(self.plane)
            for y, (old, new) in enumerate(zip(self.rows, scene.rows, strict=True)):
                if old != new:
                    for x, (before, look) in enumerate(zip(old, new, strict=True)):
                        if before != look:
                            self._cell(self.plane, draw, x, y, look, look.fill or self.theme.ground)
        else:
            self._blocks(scene)
        self.rows, self.lined = scene.rows, self._with_lines()

    def _blocks(self, scene: Scene) -> None:
        """All cells as plain colours."""
        colours: dict[Look, bytes] = {}
        pixels = bytearray()
        for row in scene.rows:
            for look in row:
                colour = colours.get(look)
                if colour is None:
                    colour = colours[look] = bytes(block(self.theme, look))
                pixels += colour
        size = (self.layout.columns, self.layout.lines)
        small = self.image_of.frombytes("RGB", size, bytes(pixels))
        self.plane = small.resize(self.plane.size, self.image_of.Resampling.NEAREST)

    def _cell(self, plane: Any, draw: Any, x: int, y: int, look: Look, ground: Colour) -> None:
        cell = self.layout.cell
        x, y = x * cell, y * cell
        draw.rectangle((x, y, x + cell - 1, y + cell - 1), fill=ground)
        self._glyph(plane, x, y, look, self._ink(look))

    def _ink(self, look: Look) -> Colour:
        return self.theme.ink_of(look.group) if look.fill is None else contrast(look.fill)

    def _glyph(self, plane: Any, x: int, y: int, look: Look, ink: Colour) -> None:
        if look.text:
            cell = self.layout.cell
            plane.paste(ink, (x, y), self.masks.get(look.text, cell, cell))

    # What lies over the cells

    def _past(self, plane: Any, scene: Scene) -> None:
        """Heat and footprints; cells that have some are drawn anew, the letter on top."""
        left, top = scene.box[:2]
        warm = {(x - left, y - top): share for x, y, share in scene.heat}
        prints: dict[tuple[int, int], list[Footprint]] = {}
        for foot in scene.trail:
            prints.setdefault((foot.x - left, foot.y - top), []).append(foot)
        draw = self.draw_on(plane)
        cell = self.layout.cell
        for x, y in sorted(warm.keys() | prints.keys()):
            look = scene.rows[y][x]
            ground = look.fill or self.theme.ground
            if (x, y) in warm:
                ground = self.theme.warmth(look.fill, warm[x, y])
            elif not self.layout.readable:
                ground = block(self.theme, look)
            draw.rectangle((x * cell, y * cell, x * cell + cell - 1, y * cell + cell - 1), ground)
            self._lines(draw, x, y, ground)
            for foot in prints.get((x, y), ()):
                ground = self._footprint(draw, scene, foot, x * cell, y * cell, ground)
            if self.layout.readable:
                self._glyph(plane, x * cell, y * cell, look, self._ink(look))

    def _lines(self, draw: Any, x: int, y: int, ground: Colour) -> None:
        """The lines on the left of a cell and above it, drawn anew."""
        if self.layout.grid:
            cell, colour = self.layout.cell, mix(ground, self.theme.edge, GRID)
            left, top = x * cell, y * cell
            if x:
                draw.rectangle((left, top, left, top + cell - 1), colour)
            if y:
                draw.rectangle((left, top, left + cell - 1, top), colour)

    def _footprint(
        self, draw: Any, scene: Scene, foot: Footprint, x: int, y: int, ground: Colour
    ) -> Colour:
        share = 1 - (foot.age - 1) / max(scene.length, 1)
        colour = mix(ground, self.theme.walker(foot.number), 0.12 + 0.38 * share)
        cell = self.layout.cell
        side, inset = footprint(share, cell)
        x, y = x + inset, y + inset
        draw.rectangle((x, y, x + side - 1, y + side - 1), fill=colour)
        return colour

    def _hand(self, plane: Any, scene: Scene, hand: Any) -> None:
        cell = self.layout.cell
        x, y = (hand.x - scene.box[0]) * cell, (hand.y - scene.box[1]) * cell
        draw, colour = self.draw_on(plane), self.theme.walker(hand.number)
        bars = brackets(x, y, cell) if self.layout.readable else frame(x, y, cell)
        for left, top, width, height in bars:
            draw.rectangle((left, top, left + width - 1, top + height - 1), fill=colour)

    def _walker(self, plane: Any, scene: Scene, mark: Mark) -> None:
        cell = self.layout.cell
        column, row = mark.x - scene.box[0], mark.y - scene.box[1]
        x, y = column * cell, row * cell
        colour = self.theme.walker(mark.number)
        if not self.layout.readable:
            self.draw_on(plane).rectangle((x, y, x + cell - 1, y + cell - 1), fill=colour)
            return
        self._shape(plane, body(mark, x + cell / 2, y + cell / 2, cell), colour)
        self._glyph(plane, x, y, scene.rows[row][column], contrast(colour))

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
                mark = Mark(0, 0, 1, 0, line.walker)
                self._shape(image, body(mark, x, y, 1.4 * ADVANCE), theme.walker(line.walker))
            elif line.colour is not None:
                box = (x - 5, y - 5, x + 6, y + 6)
                draw.rectangle(box, fill=line.colour, outline=theme.edge)
