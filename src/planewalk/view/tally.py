"""What became of the pixels of a picture, for people."""

from __future__ import annotations

from ..core.step import Fault
from ..engines.picture import PixelTally


def trouble(tally: PixelTally) -> str:
    """One line on pixels that did not end as they should; nothing if all did."""
    told = []
    if tally.faulted:
        told.append((tally.faulted, f"faulted {_place(tally.faults)}"))
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


def _place(faults: tuple[Fault, ...]) -> str:
    (x, y), reason = faults[0].place, faults[0].reason
    elsewhere = " and elsewhere" if len(faults) > 1 else ""
    return f"at ({x:g}, {y:g}){elsewhere} ({reason})"
