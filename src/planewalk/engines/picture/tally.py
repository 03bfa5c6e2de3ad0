"""How the pixels of a picture ended, counted."""

from __future__ import annotations

from ...core.base.named import NamedTuple
from ...core.step import Fault

DIFFERENT = 2
"""Faults at different places that are kept: one to tell of, and that there are others."""


class PixelTally(NamedTuple):
    """So many pixels were drawn, and this came of them."""

    pixels: int = 0
    faulted: int = 0
    limited: int = 0
    """Those that hit the step limit."""
    untold: int = 0
    """Those that may have done one or the other, drawn by something that does not tell."""
    faults: tuple[Fault, ...] = ()
    """Some of the faults, each but once."""

    def plus(self, other: PixelTally) -> PixelTally:
        faults = dict.fromkeys((*self.faults, *other.faults))
        return PixelTally(
            self.pixels + other.pixels,
            self.faulted + other.faulted,
            self.limited + other.limited,
            self.untold + other.untold,
            tuple(faults)[:DIFFERENT],
        )
