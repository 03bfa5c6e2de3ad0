"""Why code could not be made: one line for each reason, with its place, and how often it was so."""

from __future__ import annotations

import os
from collections import Counter

from ... import core
from ...core.base.named import NamedTuple
from ...core.geometry import EndlessWalk
from ..base.leave import Leave

INSIDE = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(core.__file__))), folder, "")
    for folder in ("core", "engines")
)


class Refusal(NamedTuple):
    """What the compiler does not do: a line of code, or what was raised there, and its place."""

    why: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"not compiled: {self.why}, {self.file}:{self.line}"

    def told(self, times: int) -> str:
        """In a line, with how often that was so."""
        return f"{self} ({times:,} times)" if times > 1 else str(self)


def refusal_of(error: BaseException) -> Refusal:
    """What an error on the way to code is about; the place is one of the language, if there is."""
    import traceback  # which most runs do without

    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith(INSIDE)]
    frame = (outside or frames)[-1]
    plain = isinstance(error, (Leave, EndlessWalk))
    said = str(error).partition("\n")[0]
    name = type(error).__name__
    why = frame.line if plain and frame.line else f"{name}: {said}" if said else name
    return Refusal(why, frame.filename, frame.lineno or 0)


class Refusals(Counter[Refusal]):
    """What has gone wrong so far. It only costs speed, so a run says nothing of it."""

    def note(self, error: BaseException) -> None:
        """Count one more."""
        self[refusal_of(error)] += 1
