"""One program for every pixel: the picture that single pixels make."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.limits import Limits
from ..core.program import Program
from .reference import ReferenceEngine


def render_rows(program: Program, limits: Limits, seed: int | None = None) -> Iterator[bytes]:
    """The rows of a picture from the top, as bytes of red, green and blue.

    A pixel that runs into the step limit or a fault is no error: it has a colour all the same.
    """
    language = program.language
    assert language.colour is not None
    width, height = program.options["size"]
    chance = language.default_seed if seed is None else seed
    for y in range(height):
        row = bytearray()
        for x in range(width):
            options = {**program.options, "pixel": (x, y)}
            state = language.start(program.source, options, chance or 0)
            engine = ReferenceEngine(language, state, limits)
            while engine.advance((limits.steps or 0) - state.tick) is None:
                if state.tick >= (limits.steps or 0):
                    break
            row += bytes(language.colour(state))
        yield bytes(row)
