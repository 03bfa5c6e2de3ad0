"""What was measured of engines, as a table with bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

BAR = 24
_EIGHTHS = " ▏▎▍▌▋▊▉"


class Measured(NamedTuple):
    """How one engine did on one program."""

    program: str
    engine: str
    steps: int
    runs: int
    seconds: float
    """Of CPU time, in the engine alone."""

    @property
    def rate(self) -> float:
        """Steps a second; 0 if nothing could be measured."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0


def ratio(row: Measured, rows: list[Measured], baseline: str) -> float | None:
    """How many times as fast as the baseline's engine on the same program, if that ran too."""
    for other in rows:
        if (other.program, other.engine) == (row.program, baseline) and other.rate:
            return row.rate / other.rate
    return None


def table_lines(rows: list[Measured], baseline: str, *, blocks: bool) -> Iterator[str]:
    """The table; bars of one program are as long as its rates are high."""
    wide = max([7, *(len(row.program) for row in rows)])
    tall = max([6, *(len(row.engine) for row in rows)])
    yield (
        f"{'program':{wide}}  {'engine':{tall}}  {'steps':>14}  {'runs':>7}"
        f"  {'steps/s':>14}  {'ratio':>7}"
    )
    program = None
    for row in rows:
        most = max(other.rate for other in rows if other.program == row.program)
        times = ratio(row, rows, baseline)
        shown = "-" if times is None else f"{times:.2f}" if times < 100 else f"{times:.0f}"
        name = row.program if row.program != program else ""
        program = row.program
        yield (
            f"{name:{wide}}  {row.engine:{tall}}  {row.steps:>14,}  {row.runs:>7,}"
            f"  {row.rate:>14,.0f}  {shown:>7}  {bar(row.rate, most, blocks=blocks)}"
        ).rstrip()


def bar(value: float, most: float, *, blocks: bool) -> str:
    """A bar of at most BAR characters; anything at all has a little one."""
    if not value or not most:
        return ""
    eighths = max(round(8 * BAR * value / most), 1)
    if not blocks:
        return "#" * max(eighths // 8, 1)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
