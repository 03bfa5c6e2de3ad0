"""Questions about a run whose answers light up: on the plane, and as marks on the line of time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from ...core.errors import OptionError
from ...core.limits import Limits
from ...debug.branch import Branch
from ...debug.causes import Cause
from ...debug.grammar import Wanted, parse
from ...debug.search import Pause, Search
from ...debug.session import Session
from ...view.console import Breakpoints
from ...view.follow import cell_of

MOST_LINES = 40
MOST_PLACES = 2_000
"""Cells that light up at once."""
MOST_MARKS = 1_000
"""Marks of one kind: more than there are pixels nobody sees."""
MOST_SOUGHT = 1_000_000
"""Ticks that marks are sought in one by one."""


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
    parts = [point.wanted.text for point in points.all.values() if point.wanted.every == 1]
    parse(until)  # whatever is wrong with it must be told of it alone
    return parse(" or ".join(f"({text})" for text in (*parts, until)))


class Marks:
    """The ticks of a run at which something happened, sought a little at a time."""

    def __init__(self) -> None:
        self._branch: Branch | None = None
        self._sought: dict[str, _Sought] = {}

    def look(self, walk: Session, points: Breakpoints, pause: Pause) -> dict[str, Any]:
        """All marks that are known, and whether that is all of them up to the furthest tick."""
        if walk.branch is not self._branch:
            self._branch, self._sought = walk.branch, {}
        kinds = {"output": parse("output"), "input": parse("input")}
        if points.together is not None:
            kinds["break"] = points.together
        self._sought = {name: self._kind(name, wanted) for name, wanted in kinds.items()}
        done = [kind.seek(walk, pause) for kind in self._sought.values()]
        found = {name: kind.ticks for name, kind in self._sought.items()}
        return {"marks": found, "done": all(done), "reached": walk.reached}

    def _kind(self, name: str, wanted: Wanted) -> _Sought:
        known = self._sought.get(name)
        return known if known is not None and known.wanted.text == wanted.text else _Sought(wanted)


class _Sought:
    """The marks of one kind."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.ticks: list[int] = []
        self._upto = 0

    def seek(self, walk: Session, pause: Pause) -> bool:
        """Go on for a while; says whether all is sought that there is."""
        last = min(walk.reached, MOST_SOUGHT)
        while self._upto < last:
            if pause():
                return False
            course = walk.aside(self._upto)
            search = Search(walk.language, course, self.wanted, Limits(memory=walk.limits.memory))
            if self._upto == 0 and search.true_at_start:
                self._note(0, last)
            for tick in search.matches(min(last, end_of(walk, course.branch)), pause):
                self._note(tick, last)
            if course.tick == self._upto:
                return not pause()  # it goes no further, unless there was no time to try
            self._upto = course.tick
        return True

    def _note(self, tick: int, last: int) -> None:
        """Keep a tick, unless there is one so near that they would be drawn as one."""
        near = last // MOST_MARKS
        at = bisect_left(self.ticks, tick - near)
        if at == len(self.ticks) or self.ticks[at] > tick:
            self.ticks.append(tick)


def end_of(walk: Session, branch: Branch) -> int:
    """The tick up to which a branch is the past of where the session is."""
    child = walk.branch
    if branch is child:
        return branch.reached
    while child.parent is not None and child.parent != branch.name:
        child = walk.branches[child.parent]
    return child.begins
