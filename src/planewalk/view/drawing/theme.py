"""Colours of pictures and films: a light and a dark theme that colour-blind readers can tell apart.

No meaning hangs on a hue alone: walkers differ in shape as well, hands are brackets, trails shrink
as they fade, and heat grows only lighter or darker.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...core.base.named import NamedTuple
from ...core.instruction import Group

Colour = tuple[int, int, int]


def hexadecimal(text: str) -> Colour:
    """(18, 52, 86) from `123456`."""
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


def web(colour: Colour) -> str:
    """`#123456` from (18, 52, 86)."""
    return "#" + bytes(colour).hex()


def mix(below: Colour, above: Colour, share: float) -> Colour:
    """The colour seen where `above` covers `below` with that share."""
    red, green, blue = (round(b + (a - b) * share) for b, a in zip(below, above, strict=True))
    return red, green, blue


def contrast(colour: Colour) -> Colour:
    """Black or white, whichever can be read on a colour."""
    red, green, blue = colour
    return (0, 0, 0) if 299 * red + 587 * green + 114 * blue > 140_000 else (255, 255, 255)


def cover(freshness: float) -> float:
    """How much a footprint covers."""
    return 0.12 + 0.38 * freshness


SPREAD = (0.8191725134, 0.6710436067, 0.5497004779)
"""Multiples of these, without their whole parts, lie well apart, in all three channels."""
REACH = 130
"""How far apart the colours of a group may be in each channel."""

GRID = 0.4
"""How much lines between cells cover."""


WHITE: Colour = (255, 255, 255)
BOARD: Colour = (57, 65, 79)
"""What stands for white on the dark page of the studio, which white boards would outshine."""

HOT: Colour = (221, 110, 20)
"""What cells with a colour of their own take on as they are visited."""


class Theme(NamedTuple):
    """All colours of a picture: `paper` round the plane, `ground` below its cells."""

    paper: Colour
    ground: Colour
    edge: Colour
    ink: Colour
    faint: Colour
    groups: Mapping[Group, Colour]
    walkers: tuple[Colour, ...]
    heat: tuple[Colour, ...]

    def ink_of(self, group: Group) -> Colour:
        return self.groups.get(group, self.ink)

    def shade(self, group: Group, value: int) -> Colour:
        """A colour for cells without letters: near that of the group, another for each value."""
        middle = mix(self.ground, self.ink_of(group), 0.75)
        shifts = (round(REACH * (value * factor % 1 - 0.5)) for factor in SPREAD)
        red, green, blue = (
            min(max(channel + shift, 0), 255) for channel, shift in zip(middle, shifts, strict=True)
        )
        return red, green, blue

    def warmth(self, fill: Colour | None, share: float) -> Colour:
        """The ground of a cell that was visited: `share` is 1 for the most."""
        step = round(share * (len(self.heat) - 1))
        if fill is None:
            return self.heat[step]
        return mix(fill, HOT, 0.25 + 0.55 * step / (len(self.heat) - 1))

    def walker(self, number: int) -> Colour:
        """The colour of a walker by its number."""
        return self.walkers[number % len(self.walkers)]


def _groups(literal: str, work: str, motion: str, memory: str, talk: str, faint: str) -> dict[
    Group, Colour
]:  # fmt: skip
    kinds = {
        literal: (Group.LITERAL, Group.MODE),
        work: (Group.ARITHMETIC, Group.LOGIC, Group.VECTOR, Group.MATRIX, Group.STACK),
        motion: (Group.MOTION, Group.BRANCH, Group.END),
        memory: (Group.MEMORY, Group.WALKERS),
        talk: (Group.INPUT_OUTPUT,),
        faint: (Group.NOTHING,),
    }
    return {group: hexadecimal(text) for text, groups in kinds.items() for group in groups}


def _colours(text: str) -> tuple[Colour, ...]:
    return tuple(map(hexadecimal, text.split()))


LIGHT = Theme(
    paper=hexadecimal("f3f1ea"),
    ground=hexadecimal("fffefb"),
    edge=hexadecimal("d3cfc2"),
    ink=hexadecimal("1d232b"),
    faint=hexadecimal("767c86"),
    groups=_groups("2a5d8f", "1d232b", "8a4b08", "75407a", "0f6b52", "8d929b"),
    walkers=_colours("0a62a6 c7511f 12805c 96488c a87400 3a8fc2 5a5f6b a33a52"),
    heat=_colours("fdf3e3 fbe7c9 f9d9ab f6ca8c f3bb6f f0ac57"),
)

DARK = Theme(
    paper=hexadecimal("15181d"),
    ground=hexadecimal("0e1014"),
    edge=hexadecimal("343a44"),
    ink=hexadecimal("e6e8ec"),
    faint=hexadecimal("8a919d"),
    groups=_groups("86bdf0", "e6e8ec", "f0b661", "dca3e0", "6fd3b0", "6c737f"),
    walkers=_colours("5cb2f2 f58a4f 4ecba0 dc93d3 ecc14a 9ad4f5 b4bac4 f58aa2"),
    heat=_colours("24190e 372410 4b2f11 603b13 764715 8c5417"),
)

THEMES = {"light": LIGHT, "dark": DARK}


def theme_for(name: str, coloured: bool) -> Theme:
    """The theme of that name. Cells with colours of their own are bright, so what is drawn on
    them is always that of the light theme."""
    theme = THEMES[name]
    return theme._replace(ground=LIGHT.ground, walkers=LIGHT.walkers) if coloured else theme
