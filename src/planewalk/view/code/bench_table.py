"""Measurements of engines as a table with bars."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..terminal.wrap import filled

BAR, LEAST_BAR = 24, 6
"""Characters of the longest bar, and those for which it is worth one."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_UNITS = "", " k", " M", " G", " T", " P", " E"

LEGEND = (
    "Steps a second. Whole run: from the start of a program to its end, or as far as there was "
    "time, with all code made on the way. Code there: a run that finds its code, or the fastest "
    "part of a longer one."
)


class Measured(NamedTuple):
    """The measurement of one engine on one program."""

    program: str
    engine: str
    steps: int
    """Of its whole run, or as far as that has come."""
    runs: int
    seconds: float
    """What those steps took, in the engine alone; code was made meanwhile."""
    ended: bool
    pace: float
    """Steps a second once there is code."""

    @property
    def rate(self) -> float:
        """Steps a second of the whole run; 0 if nothing could be measured."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0


def ratios(row: Measured, rows: list[Measured], baseline: str) -> tuple[float, float] | None:
    """The speed as a multiple of the baseline's, in whole runs and once there is code."""
    for other in rows:
        if (other.program, other.engine) == (row.program, baseline) and other.rate and other.pace:
            return row.rate / other.rate, row.pace / other.pace
    return None


def table_lines(rows: list[Measured], baseline: str, *, blocks: bool, width: int) -> Iterator[str]:
    """A table for each program; bars are as long as whole runs are quick."""
    for program, group in groupby(rows, attrgetter("program")):
        yield from _program_lines(program, list(group), baseline, blocks, width)
    yield ""
    yield from filled(LEGEND, width)


def _program_lines(
    program: str, rows: list[Measured], baseline: str, blocks: bool, width: int
) -> Iterator[str]:
    ended = [row.steps for row in rows if row.ended]
    yield f"{program}: {f'{max(ended):,} steps' if ended else 'no end in sight'}"
    wide = max(len(row.engine) for row in rows)
    room = min(width - wide - 45, BAR)
    yield f"  {'engine':{wide}}  whole run    ratio  code there    ratio"[:width].rstrip()
    most = max(row.rate for row in rows)
    for row in rows:
        times = ratios(row, rows, baseline)
        whole, there = ("-", "-") if times is None else map(_ratio, times)
        line = f"  {row.engine:{wide}}  {_short(row.rate):>9}  {whole:>7}"
        if width >= wide + 43:
            line += f"  {_short(row.pace):>10}  {there:>7}"
        if room >= LEAST_BAR:
            line += f"  {bar(row.rate, most, blocks=blocks, room=room)}"
        yield line.rstrip()


def _short(rate: float) -> str:
    """Three digits and a unit: `612 k`."""
    at = 0
    while rate >= 999.5 and at < len(_UNITS) - 1:
        rate, at = rate / 1000, at + 1
    digits = 0 if rate >= 99.95 or not at else 1 if rate >= 9.995 else 2
    return f"{rate:.{digits}f}{_UNITS[at]}"


def _ratio(times: float) -> str:
    return f"{times:.0f}" if times >= 99.95 else f"{times:.2f}"


def bar(value: float, most: float, *, blocks: bool, room: int = BAR) -> str:
    """A bar of at most `room` characters; positive values have at least a short one."""
    if not value or not most:
        return ""
    eighths = max(round(8 * room * value / most), 1)
    if not blocks:
        return "#" * max(eighths // 8, 1)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
