"""Small moving pictures of the examples, for the gallery."""

from __future__ import annotations

from functools import lru_cache
from time import monotonic
from typing import Any

from ...core.errors import OptionError
from ...core.images.png import png_of
from ...core.limits import Limits
from ...core.program import Program
from ...engines.stepping.reference import ReferenceEngine
from ...examples import Example, gallery
from ...languages import registry
from ...view.walk.follow import cell_of
from .encoding import encoded
from .terrain import chart

TICKS = 48
"""Ticks of a run that are shown."""
SIZE = (144, 81)
SECONDS = 5.0
LIMITS = Limits(output=1 << 16, seconds=SECONDS, memory=64 << 20)
"""Limits of one example, which may come from another package."""
MOMENTS = 6
"""Pictures of a program that colours pixels, half a second apart."""


def find(file: str) -> Example:
    """The example of that name."""
    found = [example for example in gallery() if example.file == file]
    if not found:
        raise OptionError(f"there is no example {file!r}")
    return found[0]


@lru_cache(maxsize=400)
def thumbnail(file: str, dark: bool) -> dict[str, Any]:
    """Pictures in order of time, or a map with the places of walkers tick by tick."""
    example = find(file)
    program = Program(registry.get(example.language), example.read())
    if program.language.drawing.shading is not None:
        return {"file": file, "pictures": [_picture(program, at / 2) for at in range(MOMENTS)]}
    return {"file": file, **_walked(program, example, dark)}


def _picture(program: Program, time: float) -> str:
    from ..pictures.library import render

    picture = render(
        source=program.source, language=program.language.name, size=SIZE, time=time,
        max_time=SECONDS, max_memory=LIMITS.memory,
    )  # fmt: skip
    return encoded(png_of(picture.size, picture.pixels))


def _walked(program: Program, example: Example, dark: bool) -> dict[str, Any]:
    state = program.start(0)
    given = next((run["input"] for run in example.runs if run.get("input")), "")
    state.input.feed(given.encode() if isinstance(given, str) else bytes(given))
    state.input.feed(b"")
    engine = ReferenceEngine(program.language, state, LIMITS.begun(monotonic))
    places = []
    for _ in range(TICKS):
        stood = (cell_of(walker.stance.x, walker.stance.y) for walker in state.walkers[:40])
        places.append([list(place) for place in stood if place is not None])
        if engine.advance(1) is not None:
            break
        state.take_output()
    return {"map": chart(program.language, state.plane, dark), "places": places}
