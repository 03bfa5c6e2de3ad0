"""One program for every pixel: the picture that single pixels make."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..core.limits import Limits
from ..core.program import Program
from ..core.state import State
from .native import LLVMEngine

if TYPE_CHECKING:
    from .llvm import Store

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; right and bottom lie outside."""


class Heat(NamedTuple):
    """How much work each pixel was."""

    steps: array[int]
    limited: bytes


class Painter:
    """Exact pictures of one program, at any time, whole or in parts."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        seed: int | None = None,
        threads: int = 1,
        store: Store | None = None,
    ) -> None:
        assert program.language.colour is not None
        self.program = program
        self.limits = limits
        self.seed = (program.language.default_seed or 0) if seed is None else seed
        self.store = store
        self.engine: LLVMEngine | None = None

    def paint(self, time: float | None = None, box: Box | None = None) -> bytes:
        """The rows of a part of the picture, as bytes of red, green and blue.

        A pixel that runs into the step limit or a fault is no error: it has a colour all the same.
        """
        colour = self.program.language.colour
        assert colour is not None
        return b"".join(bytes(colour(state)) for state, _ in self._pixels(time, box))

    def heat(self, time: float | None = None, box: Box | None = None) -> Heat:
        """The steps that each pixel took, and which ones ran into the limit."""
        ends = [(state.tick, limited) for state, limited in self._pixels(time, box)]
        return Heat(array("L", [steps for steps, _ in ends]), bytes(limited for _, limited in ends))

    def close(self) -> None:
        self.engine = None

    def _pixels(self, time: float | None, box: Box | None) -> Iterator[tuple[State, bool]]:
        options = dict(self.program.options)
        if time is not None:
            options["time"] = time
        left, top, right, bottom = box or (0, 0, *options["size"])
        for y in range(top, bottom):
            for x in range(left, right):
                options["pixel"] = (x, y)
                state = self.program.language.start(self.program.source, dict(options), self.seed)
                yield state, not self._finish(state)

    def _finish(self, state: State) -> bool:
        """Run a pixel to its end or its limit; whether it ended."""
        if self.engine is None:
            self.engine = LLVMEngine(self.program.language, state, self.limits, self.store)
        else:
            self.engine.restart(state)
        steps = self.limits.steps
        while steps is None or state.tick < steps:
            if self.engine.advance(1 << 20 if steps is None else steps - state.tick) is not None:
                return True
        return self.engine.advance(0) is not None


def render_rows(program: Program, limits: Limits, seed: int | None = None) -> Iterator[bytes]:
    """The rows of a picture from the top, as bytes of red, green and blue."""
    width, height = program.options["size"]
    painter = Painter(program, limits, seed)
    for y in range(height):
        yield painter.paint(box=(0, y, width, y + 1))
