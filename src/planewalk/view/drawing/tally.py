"""How the pixels of a picture ended, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...core.limits import Limits
from ...core.program import Program
from ...core.step import Fault
from ...engines.picture import PixelTally
from ...engines.stepping.reference import ReferenceEngine

MOST_STEPS = 20_000
"""Limit for a pixel that is run again to explain it."""


def trouble(tally: PixelTally) -> str:
    """One line on pixels that did not end as they should; nothing if all did."""
    told = []
    if tally.faulted:
        (x, y), reason = tally.faults[0].place, tally.faults[0].reason
        elsewhere = " and elsewhere" if len(tally.faults) > 1 else ""
        told.append((tally.faulted, f"faulted at ({x:g}, {y:g}){elsewhere} ({reason})"))
    if tally.limited:
        told.append((tally.limited, "hit the step limit"))
    lines = [
        f"{count:,}{'' if at else f' of {tally.pixels:,} pixels'} {what}"
        for at, (count, what) in enumerate(told)
    ]
    if tally.untold:
        lines.append(
            f"the graphics processor does not tell whether any of {tally.untold:,} pixels faulted "
            "or hit the step limit"
        )
    return ", ".join(lines)


def out_of_range(
    program: Program, limits: Limits, seed: int, time: float, places: Sequence[tuple[int, int]]
) -> str:
    """One line if the colours of all these pixels are out of range; empty if not, or if it is not
    known. It explains pictures in which every channel is 0 or 255."""
    seen = []
    for x, y in places:
        options = program.language.pictures.of_pixel(program.options, x, y, time)
        values = _channels(Program(program.language, program.source, options), limits, seed)
        if values is None or all(0 <= value < 256 for value in values):
            return ""
        seen.append(f"pixel {x},{y} would be {', '.join(map(_level, values))} of 255")
    size, (x, y) = "x".join(map(str, program.size)), next(iter(places))
    return (
        f"all is 0 or 255 since colours are out of range: {seen[0]} (NaN is shown as 0); "
        f"planewalk debug --size {size} --pixel {x},{y} walks there"
    )


def _channels(program: Program, limits: Limits, seed: int) -> Sequence[float] | None:
    """The channels of a pixel without clamping; None if it does not end soon or if it faults."""
    shading = program.language.drawing.shading
    state = program.start(seed)
    engine = ReferenceEngine(program.language, state, limits)
    steps = MOST_STEPS if limits.steps is None else min(limits.steps, MOST_STEPS)
    stop = engine.advance(steps)
    if shading is None or stop is None or isinstance(stop, Fault):
        return None
    return shading.channels(_Unbounded, state.stack)


class _Unbounded:
    """The words by which a language clamps colours, without clamping."""

    @staticmethod
    def least(a: Any, _: Any) -> Any:
        """See `core/numbers/pure.py`."""
        return a

    most = least


def _level(value: float) -> str:
    return f"{value:.0f}" if math.isfinite(value) else "NaN" if value != value else f"{value}"
