"""Questions about a run whose answers light up on the plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.errors import OptionError
from ...debug.causes import Cause
from ...debug.grammar import Wanted, any_of, parse
from ...debug.search import Pause
from ...debug.session import Session
from ...view.console.breakpoints import Breakpoints
from ...view.walk.follow import cell_of

MOST_LINES = 40
MOST_PLACES = 2_000
"""Cells that light up at once."""


def causes(walk: Session, asked: dict[str, Any], pause: Pause) -> dict[str, Any]:
    """Where a byte of the output, a cell or a value of the stack comes from: as lines, and as the
    places that light up, each with what it is."""
    cause = walk.why(**asked, pause=pause)
    if cause is None:
        raise OptionError("there is no such value yet")
    return {"words": list(cause.lines(MOST_LINES)), "places": list(_places(cause))}


def _places(cause: Cause) -> Iterator[list[Any]]:
    """All places of a tree of causes, each once, those nearest to the effect first."""
    seen: set[Any] = set()
    told: set[tuple[int, int]] = set()
    work = [cause]
    for each in work:
        if id(each) in seen or len(told) == MOST_PLACES:
            continue
        seen.add(id(each))
        work += each.parents
        place = None if each.place is None else cell_of(*each.place)
        if place is not None and place not in told:
            told.add(place)
            yield [*place, "cell" if each.kind == "cell" else "computed"]


def writer(walk: Session, x: int, y: int, words: list[str], pause: Pause) -> dict[str, Any]:
    """Who wrote a cell last: where it stood, and the tick in which it did."""
    deed = walk.who_wrote(x, y, pause)
    if deed is None:
        return {"words": words, "places": []}
    place = None if deed.place is None else cell_of(*deed.place)
    places = [] if place is None else [[*place, "computed"]]
    return {"words": words, "places": places, "tick": deed.tick}


def joined(points: Breakpoints, until: str) -> Wanted:
    """The breakpoints and one condition more, which holds for one run only."""
    parts = [point.wanted for point in points.all.values() if point.wanted.every == 1]
    return any_of([*parts, parse(until)])
