"""One program for every pixel: the picture that single pixels make."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.limits import Limits
from ..core.program import Program
from .native import LLVMEngine


def render_rows(program: Program, limits: Limits, seed: int | None = None) -> Iterator[bytes]:
    """The rows of a picture from the top, as bytes of red, green and blue.

    A pixel that runs into the step limit or a fault is no error: it has a colour all the same.
    """
    language = program.language
    assert language.colour is not None
    width, height = program.options["size"]
    seed = (language.default_seed or 0) if seed is None else seed
    engine: LLVMEngine | None = None
    for y in range(height):
        row = bytearray()
        for x in range(width):
            options = {**program.options, "pixel": (x, y)}
            state = language.start(program.source, options, seed)
            if engine is None:
                engine = LLVMEngine(language, state, limits)
            else:
                engine.restart(state)
            finish(engine, limits.steps)
            row += bytes(language.colour(state))
        yield bytes(row)


def finish(engine: LLVMEngine, steps: int | None) -> None:
    """Run a pixel to its end or its limit."""
    state = engine.state
    while steps is None or state.tick < steps:
        if engine.advance(1 << 20 if steps is None else steps - state.tick) is not None:
            return
